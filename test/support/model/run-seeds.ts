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

const threads = Math.min(4, availableParallelism())
/** A thread's first seeds take twice as long as its later ones, whose code is compiled; what is left behind in one after all goes with it. */
const seedsOfThread = 10_000

/** Calls `onRun` with each, in no order; when it gives true, it has seen enough. */
export async function runSeeds (
  { firstSeed, count, plantedFault = null, wantsTrace = false }: Pick<Piece, 'firstSeed' | 'count'> & Partial<Piece>, onRun: (run: SeedRunOf) => boolean
): Promise<void> {
  const step = Math.min(threads, count)
  const enough = new AbortController()
  await Promise.all(Array.from({ length: step }, async (_, index) => {
    const ofThis = Math.ceil((count - index) / step)
    for (let done = 0; done < ofThis && !enough.signal.aborted; done += seedsOfThread) {
      await runPiece({ firstSeed: firstSeed + index + done * step, step, count: Math.min(seedsOfThread, ofThis - done), plantedFault, wantsTrace }, onRun, enough)
    }
  }))
}

async function runPiece (piece: Piece, onRun: (run: SeedRunOf) => boolean, enough: AbortController): Promise<void> {
  const thread = new Worker(new URL('seeds-thread.js', import.meta.url), { workerData: piece })
  const end = (): void => { void thread.terminate() }
  enough.signal.addEventListener('abort', end, { once: true })
  await new Promise<void>((resolve, reject) => {
    thread.on('message', (run: SeedRunOf) => { if (onRun(run)) enough.abort() })
    thread.on('error', (error) => {
      enough.abort()
      reject(error)
    })
    thread.on('exit', () => { resolve() })
  })
  enough.signal.removeEventListener('abort', end)
}
