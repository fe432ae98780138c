/** Tables as CSV (RFC 4180), for spreadsheets: which take a cell that begins like a formula for one, whoever wrote it. */

export type Cell = string | number | null | undefined

export const toCsv = (head: readonly string[], rows: ReadonlyArray<readonly Cell[]>): string =>
  [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'

function cell (value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
