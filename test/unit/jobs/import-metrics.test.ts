import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { registerImportMetrics } from '../../../src/jobs/import-metrics.js'
import type { Lanes } from '../../../src/store/jobs/lanes.js'
import { testDatabase } from '../../support/database.js'
import { accept } from '../../support/import-workers.js'
import { siblingDatabase } from '../../support/sibling-database.js'
import { silent } from '../../support/log.js'

const server = await testDatabase(t)

async function figures (lanes: Lanes): Promise<Record<string, number>> {
  const registry = new Registry()
  registerImportMetrics(registry, lanes, silent)
  const text = await registry.metrics()
  return Object.fromEntries(Array.from(text.matchAll(/^catalog_import_(\w+) (\S+)$/gm), ([, name = '', value]) => [name, Number(value)]))
}

const lanesOf = async (t: Test) => (await siblingDatabase(t, server)).repositories

t.test('nothing queued is zero, not nothing', async (t) => {
  const { lanes } = await lanesOf(t)
  t.strictSame(await figures(lanes), { vendors_waiting: 0, vendors_running: 0, jobs_queued: 0, longest_wait_seconds: 0 })
})

t.test('a vendor waits when no worker has its next job; what queues behind its own job does not count', async (t) => {
  const repositories = await lanesOf(t)
  const { lanes } = repositories
  for (const vendorId of ['runs', 'runs', 'runs', 'waits', 'waits', 'handed-back', 'done']) await accept(repositories, vendorId)
  await lanes.claim('runs', 'worker')
  const handedBack = await lanes.claim('handed-back', 'worker')
  const done = await lanes.claim('done', 'worker')
  if (handedBack === null || done === null) throw new Error('the lanes were not free')
  await lanes.handBack('handed-back', handedBack.claim)
  await lanes.release('done', done.claim)
  const found = await figures(lanes)
  t.match(found, { vendors_waiting: 2, vendors_running: 1, jobs_queued: 4 })
  t.ok((found['longest_wait_seconds'] ?? NaN) > 0)
})

t.test('the longest wait is that of the oldest job without a worker', async (t) => {
  const repositories = await lanesOf(t)
  const request = { files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null } as const
  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000)
  for (const [vendorId, hours] of [['older', 2], ['younger', 1], ['running', 3]] as const) {
    await repositories.lanes.enqueue(vendorId, { jobId: vendorId, request: { ...request, files: [...request.files] }, createdAt: hoursAgo(hours) })
  }
  await repositories.lanes.claim('running', 'worker')
  const { longest_wait_seconds: seconds = NaN } = await figures(repositories.lanes)
  t.ok(seconds >= 7_200 && seconds < 10_800, `${seconds} s`)
})

t.test('while the database is away there is no figure, rather than an old one', async (t) => {
  const lanes = { backlog: async () => { throw new Error('away') } } satisfies Partial<Lanes> as unknown as Lanes
  t.strictSame(await figures(lanes), {})
})
