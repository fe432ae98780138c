/** However a job ends: what it may have written is told to the search, which finds it forgivingly from then on. */
import t from 'tap'
import { emptyStats } from '../../../src/domain/import-job.js'
import type { RunImport } from '../../../src/jobs/run-import.js'
import { testDatabase } from '../../support/database.js'
import { accept, ended, startWorker } from '../../support/import-workers.js'

const { database: { collections: { searchVocabularies } }, repositories } = await testDatabase(t)

const results: Array<[string, RunImport]> = Object.entries({
  completes: async () => ({ status: 'completed', stats: emptyStats() }),
  'fails, or is cancelled': async () => ({ status: 'failed', stats: emptyStats(), reason: 'File not found: b.jsonl' }),
  'is given up': async () => await Promise.reject(new Error('broke'))
} satisfies Record<string, RunImport>)

/** How often the search has been told, once the job is over. */
async function marksOf (vendorId: string, run: RunImport, dryRun: boolean): Promise<number | undefined> {
  await repositories.vendors.create(vendorId, vendorId)
  await searchVocabularies.insertOne({
    _id: vendorId, countedAt: new Date(), tookMs: 1, products: 0, isComplete: true, languages: [], words: '', counts: '', reaches: [], described: '', changes: 0, ofChanges: 0
  })
  const worker = startWorker(t, { workerId: `worker of ${vendorId}`, repositories, run })
  const jobId = await accept(repositories, vendorId, { dryRun })
  await worker.wake(vendorId)
  await ended(repositories, vendorId, jobId)
  return (await searchVocabularies.findOne({ _id: vendorId }))?.changes
}

for (const [how, run] of results) {
  t.test(`a job that ${how} leaves the mark`, async (t) => { t.equal(await marksOf(how.replace(/[^a-z]+/g, '-'), run, false), 1) })
}

for (const status of ['completed', 'failed'] as const) {
  t.test(`one that has ${status} and has written nothing that products are found by leaves none`, async (t) => {
    t.equal(await marksOf(`alike-${status}`, async () => ({ status, stats: emptyStats(), reason: 'File not found', isFoundAlike: true }), false), 0)
  })
}

t.test('a dry run leaves none', async (t) => {
  t.equal(await marksOf('dry', async () => ({ status: 'completed', stats: emptyStats() }), true), 0)
})
