/** A thread of run-seeds: time is its own there, and so are the promises, which a test's own runner watches at twice their cost. */
import { parentPort, workerData } from 'node:worker_threads'
import { plantedFaults } from './planted-faults.js'
import { runSeed } from './run-seed.js'
import type { Piece, SeedRunOf } from './run-seeds.js'

const { firstSeed, step, count, plantedFault, wantsTrace } = workerData as Piece

// Most seeds throw hundreds of errors, whose stacks nobody reads: a seed that fails is told step by step.
if (!wantsTrace) Error.stackTraceLimit = 0

for (let seed = firstSeed; seed < firstSeed + count * step; seed += step) {
  parentPort?.postMessage({ seed, ...await runSeed(seed, plantedFault === null ? {} : plantedFaults[plantedFault], wantsTrace) } satisfies SeedRunOf)
}
