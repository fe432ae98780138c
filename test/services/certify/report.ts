/** What a certification says of itself, in markdown. */
import { nameOf } from './certified-files.js'
import type { Figure } from './figure.js'
import type { FileResult } from './run-tests.js'

export interface ReportOptions {
  startedAt: Date
  endedAt: Date
  isPassed: boolean
  isInterrupted: boolean
  /** Of what, and which. */
  versions: Record<string, string>
  /** All that were to run. */
  files: readonly string[]
  results: readonly FileResult[]
  figures: readonly Figure[]
  /** What could not be removed, and why. */
  leftBehind: readonly string[]
}

export function reportOf ({ startedAt, endedAt, isPassed, isInterrupted, versions, files, results, figures, leftBehind }: ReportOptions): string {
  const failed = results.filter(({ failures }) => failures.length > 0)
  const notRun = files.filter((file) => !results.some((result) => result.file === file))
  const outcome = isPassed
    ? `All ${files.length} files passed.`
    : [
        ...isInterrupted ? ['Interrupted.'] : [],
        ...failed.length > 0 ? [`${failed.length} of ${files.length} files failed.`] : [],
        ...notRun.length > 0 ? [`${notRun.length} did not come to an end.`] : [],
        ...leftBehind.length > 0 ? ['Not all that was made on the servers could be removed.'] : []
      ].join(' ') || 'The tests ended with an error.'
  return [
    '# Certification',
    `${startedAt.toISOString()}, ${Math.round((endedAt.getTime() - startedAt.getTime()) / 1_000)} s. **${outcome}**`,
    table(['', 'version'], Object.entries(versions)),
    '## Throughput',
    figures.length === 0 ? 'Not measured.' : `${table(['', 'lines', 'seconds', 'lines/s'], figures.map(rowOf))}\n\nOne import after the other, measured once, in a service with all roles on the machine that ran this.`,
    '## Tests',
    table(['file', 'outcome', 'seconds', 'tests that passed'], [
      ...results.map(({ file, failures, seconds, passed }) => [nameOf(file), failures.length === 0 ? 'passed' : '**failed**', seconds.toFixed(1), String(passed)]),
      ...notRun.map((file) => [nameOf(file), 'not run to its end', '', ''])
    ]),
    ...failed.length === 0 ? [] : ['## What failed', failed.map(({ file, failures }) => `- ${nameOf(file)}: ${failures.map(oneLine).join('; ')}`).join('\n')],
    ...leftBehind.length === 0 ? ['All that was made on the servers has been removed.'] : ['## What is left on the servers', leftBehind.map((line) => `- ${oneLine(line)}`).join('\n')]
  ].join('\n\n') + '\n'
}

const rowOf = ({ what, lines, seconds }: Figure): string[] => [what, lines.toLocaleString('en'), seconds.toFixed(1), Math.round(lines / Math.max(seconds, 0.001)).toLocaleString('en')]

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`

const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
