/**
 * The whole life of import jobs against a model of it (test/support/model): what a seed makes of one vendor's jobs, workers, merchants and faults, in
 * memory and in virtual time. `MODEL_SEEDS` says how many seeds (1,000). One that fails is printed, and happens again the same way, told step by step:
 *
 *   MODEL_SEED=123 node dist/test/unit/jobs/import-model.test.js
 */
import t from 'tap'
import { plantedFaults } from '../../support/model/planted-faults.js'
import type { End } from '../../support/model/run-seed.js'
import { runSeeds } from '../../support/model/run-seeds.js'

const only = process.env['MODEL_SEED']
const seeds = only === undefined ? Number(process.env['MODEL_SEEDS'] ?? 1_000) : 1
const firstSeed = Number(only ?? 1)

/** Some 15 ms each where nothing else runs. */
t.setTimeout(60_000 + 200 * seeds)

t.test('whatever becomes of workers and database, jobs come to their ends as the model says', async (t) => {
  const ends = new Map<End, number>()
  let ran = 0
  await runSeeds({ firstSeed, count: seeds, wantsTrace: only !== undefined }, (run) => {
    ran += 1
    for (const end of run.ends) ends.set(end, (ends.get(end) ?? 0) + 1)
    if (only !== undefined) t.comment(run.trace.join('\n'))
    if (run.failures.length > 0) t.fail(`MODEL_SEED=${run.seed}`, { failures: run.failures })
    return false
  })
  t.equal(ran, seeds)
  t.comment(Object.fromEntries(ends))
  if (only !== undefined) return
  const wanted: End[] = ['completed', 'completed by another worker', 'cancelled', 'cancelled in the queue', 'given up', 'named nothing']
  for (const end of wanted) t.ok(ends.has(end), `some jobs end ${end}`)
})

t.test('the same seed happens the same way', async (t) => {
  const [first, second] = [await tracesOf(10), await tracesOf(10)]
  t.ok(first.join().length > 10_000)
  t.strictSame(first, second)
})

async function tracesOf (count: number): Promise<string[]> {
  const traces: string[] = []
  await runSeeds({ firstSeed, count, wantsTrace: true }, ({ seed, trace }) => {
    traces[seed - firstSeed] = trace.join('\n')
    return false
  })
  return traces
}

for (const name of Object.keys(plantedFaults)) {
  t.test(`is found: ${name}`, { skip: only !== undefined }, async (t) => {
    let foundBy: number | null = null
    await runSeeds({ firstSeed: 1, count: 1_000, plantedFault: name }, ({ seed, failures }) => {
      if (failures.length > 0) foundBy ??= seed
      return foundBy !== null
    })
    t.not(foundBy, null)
    t.comment(`by seed ${foundBy}`)
  })
}
