/** How far something is: a bar where a person watches (a terminal), else a line when there is something new. */
import cliProgress from 'cli-progress'
import { printable, type Terminal } from './output.js'

export interface Progress {
  /** `share` from 0 to 1, null while nothing is known. */
  update (share: number | null, note: string): void
  /** Takes the bar away; what comes of it is told by a line of its own. */
  end (): void
}

interface ProgressOptions {
  stream: Terminal
  label: string
  /** Without a terminal: at most one line in this time, and a line that repeats the one before only after five times that. */
  lineEveryMs: number
}

export const createProgress = (options: ProgressOptions): Progress =>
  options.stream.isTTY === true ? createBar(options) : createLines(options)

const steps = 1_000

function createBar ({ stream, label }: ProgressOptions): Progress {
  const bar = new cliProgress.SingleBar({
    stream,
    format: `  ${label}  {bar} {percentage} %  {note}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    // The command tidies up after an interruption itself.
    gracefulExit: false,
    fps: 10
  })
  bar.start(steps, 0, { note: '' })
  return {
    update: (share, note) => { bar.update(Math.floor((share ?? 0) * steps), { note: printable(note) }) },
    end: () => { bar.stop() }
  }
}

function createLines ({ stream, label, lineEveryMs }: ProgressOptions): Progress {
  let lastAt = performance.now()
  let last = ''
  return {
    update (share, note) {
      const percent = (share === null ? '' : `${Math.floor(share * 100)} %`).padStart(6)
      const line = `  ${label}${percent}  ${printable(note)}\n`
      const now = performance.now()
      if (now - lastAt < lineEveryMs * (line === last ? 5 : 1)) return
      lastAt = now
      last = line
      stream.write(line)
    },
    end () {}
  }
}
