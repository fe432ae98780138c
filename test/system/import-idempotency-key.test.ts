/** A start that is repeated with the same key starts nothing twice. */
import t from 'tap'
import { holdLane } from '../support/held-lane.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type StartImport } from '../support/vendor.js'

const service = await startServiceProcess(t)

t.test('the same key again, also at the same time, is the same job', async (t) => {
  const vendor = await createVendor(service, 'acme')
  const other = await createVendor(service, 'other')
  for (const each of [vendor, other]) await each.put('a.jsonl', file(line('A')))
  const request: StartImport = { files: ['a.jsonl'], mode: 'UPDATE', idempotencyKey: 'nightly 2024-05-01' }

  const started = await Promise.all(Array.from({ length: 10 }, async () => await vendor.startImport(request)))
  t.equal(new Set(started).size, 1)
  const [jobId = ''] = started
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsProcessed: 1 } })
  t.equal(await vendor.startImport(request), jobId, 'also when it is over')
  const { data } = await vendor.graphql(`mutation {
    processProductImport(input: { files: ["other.jsonl"], mode: REPLACE, idempotencyKey: "${request.idempotencyKey}" }) { jobId status }
  }`)
  t.strictSame(data.processProductImport, { jobId, status: 'completed' }, 'also over GraphQL')
  t.equal((await vendor.graphql('{ productImportJobs { totalCount } }')).data.productImportJobs.totalCount, 1)

  t.not(await vendor.startImport({ ...request, idempotencyKey: 'another' }), jobId)
  t.not(await other.startImport(request), jobId, 'a key is its vendor\'s own')
})

t.test('a key whose start was refused can be used again', async (t) => {
  const vendor = await createVendor(service, 'full')
  await vendor.put('a.jsonl', file(line('A')))
  const held = await holdLane(t, service.repositories(), vendor.id)
  const queued: string[] = []
  for (let number = 0; number < 20; number++) queued.push(await vendor.startImport({ files: ['a.jsonl'], mode: 'UPDATE' }))
  const request: StartImport = { files: ['a.jsonl'], mode: 'UPDATE', idempotencyKey: 'once' }
  t.equal((await vendor.rest('POST', '/api/v1/products/import', request)).status, 429)
  await held.release()
  for (const jobId of queued) await vendor.ended(jobId)
  const jobId = await vendor.startImport(request)
  t.equal((await vendor.ended(jobId)).status, 'completed')
  t.equal(await vendor.startImport(request), jobId)
})
