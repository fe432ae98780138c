/** Lengths of time as operators write them: `90s`, `15m`, `24h`, `7d`. */
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 }

/** undefined = not a length of time, or none at all. */
export function parseSeconds (text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (unitSeconds[unit ?? ''] ?? NaN)
  return seconds >= 1 ? seconds : undefined
}
