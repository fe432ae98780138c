/** W3C's header `traceparent` (Trace Context, level 1), as it comes from strangers. Its companion `tracestate` is free text, and is not taken over. */

export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  traceId: string
  /** 16 hexadecimal digits, not all zero. */
  spanId: string
  isSampled: boolean
}

/** A later version may have more behind the flags; `ff` is none. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** What version 00 has 55 of, and room for what a later one may add. */
const maxLength = 128

/** undefined: it is none. */
export function parseTraceparent (text: unknown): TraceContext | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined
  const [, version, traceId, spanId, flags = '', rest] = form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string => `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
