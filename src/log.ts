/**
 * The process's log on its standard output: what is written within one turn of the event loop goes out together when the turn is over. To write a line costs as much
 * as to make it, and a request has two. From warnings on each is written at once, with all that came before it.
 *
 * What ends the process by way of its `exit` event loses nothing. What ends it from outside, or V8 over its memory, loses the lines of that turn.
 */
import pino, { type DestinationStream, type Logger } from 'pino'

export interface LogOptions {
  level: string
  /** A file's descriptor or path. Default: the standard output. */
  to?: number | string
}

export const createLog = ({ level, to = 1 }: LogOptions): Logger => pino({ name: 'catalog', level }, linesTogether(to))

const warn = pino.levels.values['warn'] ?? 0
/** More is written within the turn. */
const mostCharacters = 8 * 1_024

interface Lines extends DestinationStream {
  /** pino says of each line here how much it matters. */
  lastLevel: number
  flushSync (): void
}

function linesTogether (to: number | string): Lines {
  // Its own flushSync also waits for the disk, which nothing here needs, and which holds up everything where the log is a file.
  const out = pino.destination({ dest: to, sync: true })
  let text = ''
  let isDue = false
  const flushSync = (): void => {
    isDue = false
    if (text === '') return
    const written = text
    text = ''
    out.write(written)
  }
  process.on('exit', flushSync)
  const lines: Lines = {
    lastLevel: 0,
    write (line) {
      text += line
      if (lines.lastLevel >= warn || text.length >= mostCharacters) return flushSync()
      if (isDue) return
      isDue = true
      setImmediate(flushSync)
    },
    flushSync
  }
  return Object.assign(lines, { [Symbol.for('pino.metadata')]: true })
}
