/**
 * kill -9 of the whole service at random moments: the job ends by itself after the restart, and nobody can tell from
 * products, stats or issues that anything has happened. `KILL_ROUNDS` says how many rounds of ten (2).
 *
 * A round is five services side by side, each killed twice over one job: after each kill the new process waits out the lease of
 * the lost one, and waiting together is cheaper. Kafka is the
 * embedded one here, whatever TEST_KAFKA_BROKERS says: the services must not get each other's hints.
 */
import t, { type Test } from 'tap'
import { createRandom } from '../../src/cli/sample-random.js'
import { testDatabase } from '../support/database.js'
import { ownDatabaseName } from '../support/own-names.js'
import { withDatabase } from '../support/service-process.js'
import { compareResults, lineCount, momentAt, prepareReplace, reached, resultOf, type ImportResult } from './telling-replace.js'

const rounds = Number(process.env['KILL_ROUNDS'] ?? 2)
const servicesCount = 5
const kafka = { KAFKA_BROKERS: '' }
const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

// Most of it is waiting for leases; far below this, but above what a test gets by default.
t.setTimeout(60_000 + 300_000 * rounds)

t.test('a job that is killed at random moments ends as if it had not been', async (t) => {
  t.comment(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  const { url } = await testDatabase(t)

  const undisturbed = await prepareReplace(t, { env: kafka, mongodbUrl: withDatabase(url, ownDatabaseName('service')) })
  const jobId = await undisturbed.vendor.startImport({ files: ['replacement.jsonl'], mode: 'REPLACE' })
  t.equal((await undisturbed.vendor.ended(jobId)).status, 'completed')
  const reference = await resultOf(undisturbed.service, undisturbed.vendor, jobId)
  t.match(reference.stats, { productsProcessed: lineCount }, 'the reference has read everything')
  await undisturbed.service.terminate()

  for (let round = 0; round < rounds; round++) {
    // One moment in each tenth of the job; the first is the very acceptance, and each service gets one of either half.
    const momentOf = (tenth: number): number => tenth === 0 ? 0 : (tenth + random.fraction()) / (2 * servicesCount)
    const progresses = Array.from({ length: 2 * servicesCount }, (_, tenth) => momentOf(tenth))
    await Promise.all(Array.from({ length: servicesCount }, async (_, number) => {
      await killTwice(t, `round ${round}, service ${number}`, withDatabase(url, ownDatabaseName('service')), [progresses[number] ?? 0, progresses[number + servicesCount] ?? 0], reference)
    }))
  }
})

async function killTwice (t: Test, name: string, mongodbUrl: string, progresses: number[], reference: ImportResult): Promise<void> {
  const { service, vendor } = await prepareReplace(t, { env: kafka, mongodbUrl })
  const jobId = await vendor.startImport({ files: ['replacement.jsonl'], mode: 'REPLACE' })
  for (const progress of progresses) {
    await reached(service, vendor, jobId, momentAt(progress))
    await service.kill9()
    await service.start()
  }
  const { status } = await vendor.ended(jobId)
  const job = await service.repositories().importJobs.find(vendor.id, jobId)
  t.comment(`${name}: attempt ${job?.attempt}`)
  const result = await resultOf(service, vendor, jobId)
  t.equal(status, 'completed', `${name}: the job has completed`)
  compareResults(t, name, result, reference)
  await service.terminate()
}
