/** What goes wrong, and when: the same for the same seed, as far as a schedule can say it. */
import { createRandom } from '../../../src/cli/sample-random.js'

export type Fault =
  /** kill -9 of a worker; another begins in its place. */
  | { what: 'kill', worker: number }
  /** SIGTERM, and another begins in its place. */
  | { what: 'restart', worker: number }
  /** Held up for longer than its lease, then going on: taken for dead, and not. */
  | { what: 'false death', worker: number }
  /** Every connection of one worker breaks, of all to the database, or of one to the file server. */
  | { what: 'cut', worker: number, forMs: number }
  | { what: 'database away', forMs: number }
  | { what: 'files away', worker: number, forMs: number }
  /** The same hints again, for everyone, out of order. */
  | { what: 'duplicate' }

export type TimedFault = Fault & { atMs: number }

export const workerCount = 2
/** A job is given up after three lost workers (domain/lane.ts); one that was not undisturbed must not come to that. */
const maxDeaths = 2

export function scheduleOf (seed: number, withinMs: number): TimedFault[] {
  const random = createRandom(seed)
  const faults: TimedFault[] = []
  let deaths = 0
  for (let count = random.integer(3, 8); count > 0; count--) {
    const worker = random.integer(0, workerCount - 1)
    const forMs = random.integer(0, 300)
    const deadly = random.pick(['kill', 'kill', 'false death'] as const)
    const harmless = random.pick<Fault>([
      { what: 'restart', worker }, { what: 'cut', worker, forMs }, { what: 'database away', forMs }, { what: 'files away', worker, forMs }, { what: 'duplicate' }
    ])
    const isDeadly = deaths < maxDeaths && random.chance(0.4)
    if (isDeadly) deaths += 1
    faults.push({ ...isDeadly ? { what: deadly, worker } : harmless, atMs: random.integer(0, withinMs) })
  }
  return faults.sort((a, b) => a.atMs - b.atMs)
}

export const describe = ({ atMs, what, ...details }: TimedFault): string =>
  `${atMs} ms: ${[what, ...Object.entries(details).map(([name, value]) => `${name} ${value}`)].join(', ')}`
