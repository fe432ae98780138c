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

/** One more than cores: a seed waits for libuv's pool a third of its time, as gunzip is done there. */
const threads = Math.min(4, availableParallelism() + 1)
/** Workers that a seed has killed leave open streams behind, some 50 KB a seed: a thread ends with them after as many. */
const seedsOfThread = 2_000

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
