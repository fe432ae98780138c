/** A cancelled job ends failed, with what it has done so far, and the vendor's queue goes on. */
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { startHaltingFiles } from '../support/halting-files.js'
import { holdLane } from '../support/held-lane.js'
import { file, line, lines } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const files = await startHaltingFiles(t)
const service = await startServiceProcess(t, { files })
const cancel = 'mutation ($jobId: ID!) { cancelProductImport(jobId: $jobId) { jobId status errorDetails { line message } } }'
const cancelled = [{ line: null, message: 'The import was cancelled' }]

t.test('a queued job ends at once and is never run', async (t) => {
  const vendor = await createVendor(service, 'queued')
  const other = await createVendor(service, 'stranger')
  await vendor.put('a.jsonl', file(line('A')))
  await vendor.put('b.jsonl', file(line('B')))
  const held = await holdLane(t, service.repositories(), vendor.id)
  const jobId = await vendor.startImport({ files: ['a.jsonl'], mode: 'UPDATE' })
  const next = await vendor.startImport({ files: ['b.jsonl'], mode: 'UPDATE' })

  t.match(await other.graphql(cancel, { jobId }), { data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] })
  t.strictSame((await vendor.graphql(cancel, { jobId })).data.cancelProductImport, { jobId, status: 'failed', errorDetails: cancelled })
  t.match((await vendor.graphql(cancel, { jobId })).data, { cancelProductImport: { status: 'failed' } }, 'again is harmless')
  const { data } = await vendor.graphql('query ($jobId: ID!) { productImportJob(jobId: $jobId) { status queuePosition } }', { jobId: next })
  t.strictSame(data.productImportJob, { status: 'queued', queuePosition: 1 })

  await held.release()
  t.equal((await vendor.ended(next)).status, 'completed')
  t.equal((await vendor.graphql('{ product(externalId: "A") { id } }')).data.product, null)
  t.match(await vendor.graphql(cancel, { jobId: next }), { data: null, errors: [{ extensions: { code: 'CONFLICT' } }] })
})

t.test('a running job ends with what it has imported, and archives nothing', async (t) => {
  const vendor = await createVendor(service, 'running')
  const count = 2_500
  await vendor.put('before.jsonl', file(line('before')))
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  await vendor.put('long.jsonl', file(...lines(count)))
  files.haltAfter(100_000)
  const jobId = await vendor.startImport({ files: ['long.jsonl'], mode: 'REPLACE' })
  const next = await vendor.startImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  await eventually('the job is at work', async () => (await vendor.graphql('{ product(externalId: "P0") { id } }')).data.product !== null)

  const { data } = await vendor.graphql(cancel, { jobId })
  t.match(data.cancelProductImport, { jobId, status: 'processing' })
  const job = await vendor.ended(jobId)
  files.goOn()
  t.equal(job.status, 'failed')
  t.strictSame(job.errorDetails, [{ line: null, externalId: null, message: 'The import was cancelled' }])
  const created = job.stats?.productsCreated ?? 0
  t.ok(created > 0 && created < count, 'it had begun and was not over')
  t.match(await vendor.ended(next), { status: 'completed', stats: { productsUpdated: 1 } })
  t.equal((await vendor.graphql('{ products(archived: false) { totalCount } }')).data.products.totalCount, created + 1)
})
