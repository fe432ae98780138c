/**
 * A process of several heaps. V8 weighs each by itself, and lets garbage lie until there is as much of it as is in use; of the five or six threads of a busy process
 * that is a hundred megabytes, whose sum nobody sees. So each thread of a pool, and the main one, looks at the process now and then, and where this is crowded it gives back what
 * it has lying about. Where it is not, garbage is left to V8: to collect more often costs an import a tenth of its speed (docs/performance.md).
 */
import { getHeapSpaceStatistics } from 'node:v8'
import { beginCollecting, heldMegabytes } from './collect-garbage.js'
import { usedCores } from './cores.js'

/** A service that imports one file holds some 300 MB, with what lies about in it; each thread beyond adds 50 to 100. */
const crowdedMegabytes = 200 + 100 * usedCores
/**
 * A collection that gives back less is not worth its time, since it looks through all that is in use: half as much, as long as that is little, and a fifth in any case. Of 20 vendors' jobs
 * 60 to 100 MB are in use in a thread, and to look through them for 8 MB each time made V8's helper the busiest thread. Half of much would be more memory than a process that is attacked has left.
 */
const worthwhileMegabytes = (inUse: number): number => Math.max(8, Math.min(24, inUse / 2), inUse / 5)

export interface CrowdedProcess {
  /** Of the process. */
  residentMegabytes: () => number
  /** Of this thread, in use and not. What is young comes and goes, many megabytes in a tenth of a second, and V8 clears it away at little cost. */
  oldMegabytes: () => number
  beginCollecting: () => void
}

const thisProcess: CrowdedProcess = {
  residentMegabytes: () => process.memoryUsage.rss() / 1e6,
  oldMegabytes: () => heldMegabytes() - youngMegabytes(),
  beginCollecting
}

function youngMegabytes (): number {
  let young = 0
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics()) if (name.startsWith('new_')) young += used
  return young / 1e6
}

/** What a thread calls again and again, some times a second. Costs some 10 µs. */
export function createCrowdedLook ({ residentMegabytes, oldMegabytes, beginCollecting }: CrowdedProcess = thisProcess, crowded = crowdedMegabytes): () => void {
  /** What was held when a collection was last begun, or the least since then: whatever there is beyond may be garbage. */
  let inUse = 0
  return () => {
    if (residentMegabytes() < crowded) return
    const held = oldMegabytes()
    inUse = Math.min(inUse, held)
    if (held < inUse + worthwhileMegabytes(inUse)) return
    beginCollecting()
    inUse = held
  }
}
