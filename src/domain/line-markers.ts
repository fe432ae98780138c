import { randomBytes } from 'node:crypto'
import type { Fault } from './issue.js'

/**
 * What stands in the place of a line that could not be handed on (sources/line-guard): a control character, which no JSON
 * text can contain outside of an escape, and what nobody outside of this process can know. Behind it the external id, as far as it could be told.
 */
const secret = randomBytes(16).toString('hex')
const markers = { 'line-too-long': `\u0018${secret}`, 'invalid-utf8': `\u001A${secret}` } as const
export type MarkedFault = keyof typeof markers

export const markLine = (code: MarkedFault, externalId: string | null): string => `${markers[code]}${JSON.stringify(externalId)}`

/** What a line stands for; null when it is one of the file's own. */
export function readMarkedLine (text: string): { fault: Fault, externalId: string | null } | null {
  for (const [code, marker] of Object.entries(markers) as Array<[MarkedFault, string]>) {
    if (!text.startsWith(marker)) continue
    const detail = code === 'line-too-long' ? { detail: maxLineBytes } : {}
    return { fault: { code, path: '', ...detail }, externalId: JSON.parse(text.slice(marker.length)) as string | null }
  }
  return null
}

/** 16 MiB. A longer line is an error of that line (decisions.md, Import). */
export const maxLineBytes = 16 * 1024 * 1024
