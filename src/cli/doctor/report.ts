/** The findings as a person reads them. */
import type { Terminal } from '../output.js'
import { wordCount } from '../wording.js'
import type { Finding, Status } from './check.js'

const colours: Record<Status, number> = { ok: 32, warn: 33, fail: 31 }
const faint = 2

/** Follows https://no-color.org. */
export function reportLines (findings: readonly Finding[], stream: Pick<Terminal, 'isTTY'>, env: NodeJS.ProcessEnv): string[] {
  const coloured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: number, text: string): string => coloured ? `\u001B[${code}m${text}\u001B[0m` : text
  const width = Math.max(...findings.map(({ name }) => name.length))
  const rows = findings.flatMap(({ name, status, detail, fix }) => [
    `  ${paint(colours[status], status.padEnd(4))}  ${name.padEnd(width)}  ${detail}`,
    ...fix === null ? [] : [`${' '.repeat(10 + width)}${paint(faint, `→ ${fix}`)}`]
  ])
  const count = (wanted: Status): number => findings.filter(({ status }) => status === wanted).length
  return [...rows, '', `${wordCount(findings.length, 'check')}: ${count('ok')} ok, ${wordCount(count('warn'), 'warning')}, ${count('fail')} failed`]
}
