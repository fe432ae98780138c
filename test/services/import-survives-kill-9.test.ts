/**
 * kill -9 of the whole service at fifty random moments: the job ends by itself after the restart, and nobody can tell from
 * products, stats or issues that anything has happened.
 *
 * Five rounds of five services side by side, each killed twice over one job: after each kill the new process waits out the lease of
 * the lost one, and waiting together is cheaper. Kafka is the
 * embedded one here, whatever TEST_KAFKA_BROKERS says: the services must not get each other's hints.
 */
import t, { type Test } from 'tap'
import { createRandom } from '../../src/cli/sample-random.js'
import { productId } from '../../src/domain/product.js'
import { testDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { startServiceProcess, withDatabase, type ServiceProcess } from '../support/service-process.js'
import { createVendor, type TestVendor } from '../support/vendor.js'
import { absentCount, before, compareResults, lineCount, replacement, resultOf, type ImportResult } from './telling-replace.js'

const rounds = 5
const servicesCount = 5
const kafka = { KAFKA_BROKERS: '' }
const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A product that shows how far the job is: written by it, or archived by it. */
interface Moment { externalId: string, archived: boolean }

/** `progress` from 0 (accepted) to 1 (all but ended). */
function momentAt (progress: number): Moment | null {
  const place = Math.floor(progress * (lineCount + absentCount))
  if (place === 0) return null
  if (place >= lineCount) return { externalId: `absent-${place - lineCount}`, archived: true }
  // Of every fifty, these lines write a product of their own.
  return { externalId: `P${place - place % 50 + 5}`, archived: false }
}

async function prepare (t: Test, mongodbUrl: string): Promise<{ service: ServiceProcess, vendor: TestVendor }> {
  const service = await startServiceProcess(t, { env: kafka, mongodbUrl })
  const vendor = await createVendor(service)
  await vendor.put('before.jsonl', before)
  await vendor.put('replacement.jsonl', replacement)
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  return { service, vendor }
}

// Most of it is waiting for leases; far below this, but above what a test gets by default.
t.setTimeout(840_000)

t.test('a job that is killed at random moments ends as if it had not been', async (t) => {
  t.comment(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  const { url } = await testDatabase(t)

  const undisturbed = await prepare(t, withDatabase(url, `reference_${seed}`))
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
      await killTwice(t, `round ${round}, service ${number}`, withDatabase(url, `killed_${seed}_${round}_${number}`), [progresses[number] ?? 0, progresses[number + servicesCount] ?? 0], reference)
    }))
  }
})

async function killTwice (t: Test, name: string, mongodbUrl: string, progresses: number[], reference: ImportResult): Promise<void> {
  const { service, vendor } = await prepare(t, mongodbUrl)
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

async function reached (service: ServiceProcess, vendor: TestVendor, jobId: string, moment: Moment | null): Promise<void> {
  if (moment === null) return
  const { collections } = service.database()
  const { importJobs } = service.repositories()
  const _id = productId(vendor.id, moment.externalId)
  await eventually(`the job has come to ${moment.externalId}`, async () => {
    const product = await collections.products.findOne({ _id }, { projection: { writtenBy: 1, archivedByJobId: 1 } })
    const by = moment.archived ? product?.archivedByJobId : product?.writtenBy
    if (JSON.stringify(by ?? null).includes(jobId)) return true
    const job = await importJobs.find(vendor.id, jobId)
    return job?.status === 'completed' || job?.status === 'failed'
  })
}
