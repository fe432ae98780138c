/** Logs for what is tested: none, and one that is kept. */
import pino, { type Logger } from 'pino'

export const silent: Logger = pino({ level: 'silent' })

/** Everything from level debug on: as it was written, and what that says. */
export function recordingLog (): { log: Logger, text: () => string, entries: Array<Record<string, unknown>> } {
  const lines: string[] = []
  const entries: Array<Record<string, unknown>> = []
  const write = (line: string): void => {
    lines.push(line)
    entries.push(JSON.parse(line) as Record<string, unknown>)
  }
  return { log: pino({ level: 'debug' }, { write }), text: () => lines.join(''), entries }
}
