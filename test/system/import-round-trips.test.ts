/** What a small job asks of the database, from its request to its end: small jobs are many, and each command is a wait. docs/scale.md lists them. */
import type { CommandStartedEvent } from 'mongodb'
import t from 'tap'
import { createImportQueue } from '../../src/jobs/import-queue.js'
import { createRunImport } from '../../src/jobs/run-import.js'
import { testApp } from '../unit/api/test-api.js'
import { testDatabase } from '../support/database.js'
import { accept, ended, neverTakesOver, startWorker } from '../support/import-workers.js'
import { silent } from '../support/log.js'
import { memoryFiles } from '../support/memory-files.js'
import { file, line } from '../support/product-lines.js'
import { monitored, siblingDatabase } from '../support/sibling-database.js'

const { url } = await testDatabase(t)
const { database: { db, collections }, repositories } = await siblingDatabase(t, monitored({ url }))
const ids = Array.from({ length: 10 }, (_, n) => `p${n}`)
const files = memoryFiles({
  'first.jsonl': [file(...ids.map((id) => line(id)))],
  'warm.jsonl': [file(...ids.map((id) => line(id, { name: 'A second name' })))],
  'variants.jsonl': [file(...ids.map((id) => line(id, { variants: [{ externalId: 'V', name: 'V', inventory: 1 }] })))],
  'stock.jsonl': [file(...ids.map((externalId) => JSON.stringify({ externalId, variants: [{ externalId: 'V', inventory: 2 }] })))],
  'delta.jsonl': [file(...ids.map((id) => line(id, { name: 'Another name' })))],
  'bad.jsonl': [file(...ids.map((id) => line(id, { name: '' })))]
})
// Beats come once a second; they would be chance here.
const worker = startWorker(t, { workerId: 'w', repositories, run: createRunImport({ collections, files, log: silent }), beatMs: 600_000, ...neverTakesOver })
const drained = new Map<string, Promise<void>>()
const importQueue = createImportQueue(repositories, (vendorId, jobId) => { drained.set(jobId, worker.wake(vendorId)) }, silent)
const app = await testApp(t, repositories, { dependencies: { importQueue } })
await repositories.vendors.create('shop', 'Shop')
const { key } = await repositories.integrationApiKeys.create('shop', 'test', ['PRODUCT_MANAGE'])

/** As `command collection`, until the job has ended and from then on. */
async function roundTrips (fileName: string): Promise<{ before: string[], after: string[], errors: number | undefined }> {
  const asked: string[] = []
  let endedAt = Infinity
  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    asked.push(`${commandName} ${(command as Record<string, string>)[commandName]}`)
    if (JSON.stringify(command).includes('"completedAt":"')) endedAt = Math.min(endedAt, asked.length)
  }
  db.client.on('commandStarted', listen)
  const response = await app.inject({ method: 'POST', url: '/api/v1/products/import', headers: { 'x-vendor-api-key': key }, payload: { files: [fileName], mode: 'UPDATE' } })
  const { jobId } = response.json<{ jobId: string }>()
  await drained.get(jobId)
  db.client.off('commandStarted', listen)
  const { status, stats } = await ended(repositories, 'shop', jobId)
  t.equal(status, 'completed')
  return { before: asked.slice(0, endedAt), after: asked.slice(endedAt), errors: stats?.errors }
}

await roundTrips('first.jsonl')

t.test('ten lines that change ten products take 13 at most, from the request to the end of the job, and one until the lane is free', async (t) => {
  // What a process does once, such as to write down the sessions of its transactions.
  await roundTrips('warm.jsonl')
  const { before, after, errors } = await roundTrips('delta.jsonl')
  t.equal(errors, 0)
  t.ok(before.length <= 13, before.join(', '))
  t.ok(after.length <= 1, after.join(', '))
})

t.test('ten that change stock take one less: nothing that products are found by is written', async (t) => {
  await roundTrips('variants.jsonl')
  const { before, errors } = await roundTrips('stock.jsonl')
  t.equal(errors, 0)
  t.ok(before.length <= 12, before.join(', '))
  t.notOk(before.some((command) => command.endsWith('search_vocabularies')), before.join(', '))
})

t.test('ten lines that are all wrong take no more', async (t) => {
  const { before, errors } = await roundTrips('bad.jsonl')
  t.equal(errors, ids.length)
  t.ok(before.length <= 13, before.join(', '))
})

t.test('jobs that wait behind each other take the lane from each other in one, and the last gives it up in one', async (t) => {
  const jobIds: string[] = []
  for (let n = 0; n < 5; n++) jobIds.push(await accept(repositories, 'busy', { files: ['first.jsonl'] }))
  const asked: string[] = []
  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    if ((command as Record<string, string>)[commandName] === 'import_lanes') asked.push(commandName)
  }
  db.client.on('commandStarted', listen)
  await worker.wake('busy')
  db.client.off('commandStarted', listen)
  for (const jobId of jobIds) t.equal((await repositories.importJobs.find('busy', jobId))?.status, 'completed')
  t.strictSame(asked, ['find', 'update', ...jobIds.slice(1).map(() => 'update'), 'update'])
})
