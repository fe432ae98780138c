/** What the demo shows: steps with a tick and aligned details; colours and passing lines only where a person watches. */
import type { Terminal } from './output.js'
import { printable } from './output.js'

export interface Screen {
  stream: Terminal
  heading (text: string): void
  /** What is being done now; gone again when anything else is written. Without a terminal only told when it takes long. */
  doing (text: string): void
  /** A step that has been done, and what came of it. */
  done (step: string, told: string): void
  failed (step: string): void
  detail (line: string): void
  blank (): void
}

const stepWidth = 20
const longMs = 3_000

/** Follows https://no-color.org. */
export function createScreen (stream: Terminal, env: NodeJS.ProcessEnv): Screen {
  const terminal = stream.isTTY === true
  const coloured = terminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: number, text: string): string => coloured ? `\u001B[${code}m${text}\u001B[0m` : text
  const bold = 1
  const faint = 2
  const green = 32
  const red = 31

  let remark: NodeJS.Timeout | undefined
  const clear = (): void => {
    clearTimeout(remark)
    if (terminal) stream.write('\r\u001B[K')
  }
  const line = (text: string): void => {
    clear()
    stream.write(`${printable(text)}\n`)
  }
  return {
    stream,
    heading: (text) => { line(paint(bold, text)) },
    doing (text) {
      clear()
      if (terminal) stream.write(`  ${paint(faint, `… ${printable(text)}`)}`)
      else remark = setTimeout(() => { stream.write(`  … ${printable(text)}\n`) }, longMs)
    },
    done: (step, told) => { line(`  ${paint(green, '✔')} ${step.padEnd(stepWidth)}  ${told}`) },
    failed: (step) => { line(`  ${paint(red, '✖')} ${step}`) },
    detail: (text) => { line(`      ${text}`) },
    blank: () => { line('') }
  }
}
