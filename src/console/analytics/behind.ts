/** Addresses of the conversations behind a figure: those of its period, channel and kind. */
import type { ConversationChannel } from '../api/operations.js'
import type { Period } from './period.js'

export interface FiguresOf { period: Period, channel: ConversationChannel | null, timezone: string }

/** `kind`: filters as the list of conversations has them in its address. */
export function behind ({ period: { start, end }, channel }: FiguresOf, kind: Record<string, string> = {}): string {
  return `/conversations?${new URLSearchParams({ start, end, ...channel === null ? {} : { channel }, ...kind }).toString()}`
}

/** Those of one hour of every week of the period. */
export const behindHour = (of: FiguresOf, { dayIndex, hour }: { dayIndex: number, hour: number }): string =>
  behind(of, { day: String(dayIndex), hour: String(hour), zone: of.timezone })
