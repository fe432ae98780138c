/** Numbers, sizes and tables as people read them. */

const numbers = new Intl.NumberFormat('en-US')
const oneDecimal = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** 20,000 */
export const wordNumber = (number: number): string => numbers.format(number)

/** `1 line`, `2,000 lines` */
export const wordCount = (count: number, singular: string, plural = `${singular}s`): string => `${wordNumber(count)} ${count === 1 ? singular : plural}`

/** 4.8 MB; decimal units, as file managers and networks count. */
export function wordBytes (bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${oneDecimal.format(bytes / 1_000)} kB`
  if (bytes < 1_000_000_000) return `${oneDecimal.format(bytes / 1_000_000)} MB`
  return `${oneDecimal.format(bytes / 1_000_000_000)} GB`
}

/** 1.4 s, 2 min 05 s */
export function wordDuration (durationMs: number): string {
  const seconds = durationMs / 1_000
  if (seconds < 60) return `${oneDecimal.format(seconds)} s`
  return `${wordNumber(Math.floor(seconds / 60))} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
}

/** One `label  number` line each, numbers aligned to the right. */
export function alignNumbers (rows: ReadonlyArray<readonly [label: string, number: number]>, indent = '  '): string[] {
  const labels = Math.max(...rows.map(([label]) => label.length))
  const widths = Math.max(...rows.map(([, number]) => wordNumber(number).length))
  return rows.map(([label, number]) => `${indent}${label.padEnd(labels)}  ${wordNumber(number).padStart(widths)}`)
}
