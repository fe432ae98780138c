/** Runs many seeds, over the cores that there are. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SeedRun } from './run-seed.js'

export interface Piece {
  firstSeed: number
  /** From one seed to the next. */
  step: number
  count: number
  /** The name of one of planted-faults. */
  plantedFault: string | null
  wantsTrace: boolean
}

export interface SeedRunOf extends SeedRun { seed: number }

/** More would take turns with the other test files. */
const maxThreads = 2

/** Calls `onRun` with each, in no order; when it gives true, it has seen enough. */
export async function runSeeds (
  { firstSeed, count, plantedFault = null, wantsTrace = false }: Pick<Piece, 'firstSeed' | 'count'> & Partial<Piece>, onRun: (run: SeedRunOf) => boolean
): Promise<void> {
  const step = Math.min(maxThreads, availableParallelism(), count)
  const threads = Array.from({ length: step }, (_, index) => {
    const piece: Piece = { firstSeed: firstSeed + index, step, count: Math.ceil((count - index) / step), plantedFault, wantsTrace }
    return new Worker(new URL('seeds-thread.js', import.meta.url), { workerData: piece })
  })
  try {
    await Promise.all(threads.map(async (thread) => await new Promise<void>((resolve, reject) => {
      thread.on('message', (run: SeedRunOf) => {
        if (onRun(run)) for (const each of threads) void each.terminate()
      })
      thread.on('error', reject)
      thread.on('exit', () => { resolve() })
    })))
  } finally {
    await Promise.all(threads.map(async (thread) => await thread.terminate()))
  }
}
