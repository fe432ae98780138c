/**
 * Spans of a pool's thread. It tells what it does, in messages of its task, and who owns the thread makes spans of it: so only one place of a process knows
 * where traces go, and a thread loads nothing for it. What a thread that is lost has begun ends with it.
 */
import { noSpan, type Attributes, type Span, type SpanKind, type SpanOptions } from './span.js'
import { parseTraceparent } from './traceparent.js'

/** Spans are numbered by their thread from 1; 0 is the one that the task was given. */
export type SpanMessage =
  | { span: number, of: number, name: string, kind: SpanKind, startMs: number, attributes: Attributes }
  | { span: number, attributes: Attributes }
  | { span: number, name: string }
  | { span: number, reason: string }
  | { span: number, endMs: number }

/** In the thread: the span whose traceparent the task was given. Ending it is its owner's. */
export function createToldSpan (traceparent: string | undefined, tell: (message: SpanMessage) => void): Span {
  const context = parseTraceparent(traceparent)
  if (context === undefined) return noSpan
  const names = { trace_id: context.traceId, span_id: context.spanId }
  const silent: Span = { ...noSpan, traceparent, names, child: () => silent }
  if (!context.isSampled) return silent
  let numbers = 0

  function spanOf (number: number): Span {
    let isOver = false
    const say = (message: SpanMessage): void => { if (!isOver) tell(message) }
    return {
      // Their own are known outside alone.
      traceparent,
      names,
      child (name, { kind = 'internal', attributes = {}, startMs = Date.now() } = {}) {
        const child = ++numbers
        tell({ span: child, of: number, name, kind, startMs, attributes })
        return spanOf(child)
      },
      rename (name) { say({ span: number, name }) },
      set (attributes) { say({ span: number, attributes }) },
      fail (reason) { say({ span: number, reason }) },
      end (endMs = Date.now()) {
        if (number !== 0) say({ span: number, endMs })
        isOver = true
      }
    }
  }

  return spanOf(0)
}

export interface RetoldSpans {
  take (message: SpanMessage): void
  /** The task is over: what it has not ended is lost. */
  end (): void
}

/** Outside: `root` is the span that the task was given. */
export function retellSpans (root: Span): RetoldSpans {
  const open = new Map<number, Span>([[0, root]])
  return {
    take (message) {
      if ('of' in message) {
        const { kind, startMs, attributes } = message
        const options: SpanOptions = { kind, startMs, attributes }
        open.set(message.span, open.get(message.of)?.child(message.name, options) ?? noSpan)
        return
      }
      const span = open.get(message.span)
      if (span === undefined) return
      if ('attributes' in message) span.set(message.attributes)
      else if ('name' in message) span.rename(message.name)
      else if ('reason' in message) span.fail(message.reason)
      else {
        span.end(message.endMs)
        open.delete(message.span)
      }
    },
    end () {
      open.delete(0)
      for (const span of open.values()) {
        span.fail('lost')
        span.end()
      }
      open.clear()
    }
  }
}
