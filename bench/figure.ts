/** One JSON line per figure on stdout (spec/operations.md, `npm run bench`). */
export interface Figure {
  bench: string
  figure: string
  value: number
  unit: string
  /** What the value is compared with, in the same run. */
  against?: string
  [detail: string]: string | number | undefined
}

export function print (figure: Figure): void {
  process.stdout.write(`${JSON.stringify({ ...figure, value: Number(figure.value.toPrecision(4)) })}\n`)
}

export const note = (text: string): void => { process.stderr.write(`${text}\n`) }

export function median (values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
