/**
 * Clocks that are wrong and that jump: a job goes on as if nothing had happened. What lasts for a while (leases, rounds) goes by the
 * monotonic clock; what is stored goes by revisions and attempts, not by times.
 */
import t from 'tap'
import { testDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { ownDatabaseName } from '../support/own-names.js'
import { startServiceProcess, withDatabase, type ServiceProcess, type ServiceProcessOptions } from '../support/service-process.js'
import type { TestVendor } from '../support/vendor.js'
import { createSettableClock, type SettableClock } from './faults/settable-clock.js'
import { compareResults, momentAt, prepareReplace, reached, resultOf, type ImportResult } from './telling-replace.js'

const kafka = { KAFKA_BROKERS: '' }

t.setTimeout(300_000)
const { url } = await testDatabase(t)

const optionsOf = (clock: SettableClock): ServiceProcessOptions =>
  ({ env: { ...kafka, ...clock.env }, mongodbUrl: withDatabase(url, ownDatabaseName('service')) })

async function replace (vendor: TestVendor, service: ServiceProcess, meanwhile: (jobId: string) => Promise<void>): Promise<ImportResult> {
  const jobId = await vendor.startImport({ files: ['replacement.jsonl'], mode: 'REPLACE' })
  await meanwhile(jobId)
  const { status } = await vendor.ended(jobId)
  if (status !== 'completed') throw new Error(`The job ended as ${status}`)
  return await resultOf(service, vendor, jobId)
}

t.test('what a service sees of the clock is what the test says', async (t) => {
  const clock = await createSettableClock(t)
  const { service, vendor } = await prepareReplace(t, optionsOf(clock))
  await clock.set(5)
  t.ok(await eventually('the clock has jumped', async () => {
    const jobId = await vendor.startImport({ files: ['before.jsonl'], mode: 'UPDATE' })
    await vendor.ended(jobId)
    const job = await service.repositories().importJobs.find(vendor.id, jobId)
    return (job?.createdAt.getTime() ?? 0) - Date.now() > 4 * 3_600_000
  }))
})

t.test('a clock that jumps to and fro in the middle of a REPLACE changes nothing of what it leaves behind', async (t) => {
  const still = await createSettableClock(t)
  const undisturbed = await prepareReplace(t, optionsOf(still))
  const reference = await replace(undisturbed.vendor, undisturbed.service, async () => {})
  await undisturbed.service.terminate()

  for (const offsets of [[2, -2, 0], [-26, 26, -1]]) {
    const clock = await createSettableClock(t)
    const { service, vendor } = await prepareReplace(t, optionsOf(clock))
    const result = await replace(vendor, service, async (jobId) => {
      for (const [index, offset] of offsets.entries()) {
        await reached(service, vendor, jobId, momentAt([0.1, 0.5, 0.92][index] ?? 1))
        await clock.set(offset)
      }
    })
    compareResults(t, `jumps ${offsets.join(', ')}`, result, reference)
    await service.terminate()
  }
})

t.test('a worker whose clock is a day ahead comes along: it does not take the job from the one that runs it', async (t) => {
  const still = await createSettableClock(t)
  const { service, vendor } = await prepareReplace(t, optionsOf(still))
  const ahead = await createSettableClock(t)
  await ahead.set(24)
  const jobId = await vendor.startImport({ files: ['replacement.jsonl'], mode: 'REPLACE' })
  // On what the first one has under way; its recovery looks for work at its start.
  await startServiceProcess(t, { env: { ...kafka, ...ahead.env }, mongodbUrl: service.mongodbUrl })
  t.equal((await vendor.ended(jobId)).status, 'completed')
  t.equal((await service.repositories().importJobs.find(vendor.id, jobId))?.attempt, 1)
})
