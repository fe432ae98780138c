/** At most 20 jobs of a vendor wait, exactly, also when many are started at once. */
import t from 'tap'
import { holdLane } from '../support/held-lane.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type JobAnswer } from '../support/vendor.js'

const service = await startServiceProcess(t)

t.test('of 50 concurrent starts while one job is processing, 20 are queued and 30 refused', async (t) => {
  const vendor = await createVendor(service)
  const other = await createVendor(service, 'other')
  await vendor.put('a.jsonl', file(line('A')))
  await other.put('a.jsonl', file(line('A')))
  const held = await holdLane(t, service.repositories(), vendor.id)
  const request = { files: ['a.jsonl'], mode: 'UPDATE' }

  const answers = await Promise.all(Array.from({ length: 50 }, async () => await vendor.rest('POST', '/api/v1/products/import', request)))
  const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => (body as JobAnswer).jobId)
  const refused = answers.filter(({ status }) => status === 429)
  t.equal(accepted.length, 20)
  t.equal(refused.length, 30)
  for (const { body } of refused) t.match(body, { success: false, error: { code: 'LIMIT_EXCEEDED', message: /20/ } })
  t.match(await vendor.graphql('mutation { processProductImport(input: { files: ["a.jsonl"], mode: UPDATE }) { jobId } }'), {
    data: null, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }]
  })

  const { data } = await vendor.graphql('{ productImportJobs(status: queued, first: 100) { totalCount nodes { jobId queuePosition } } }')
  t.equal(data.productImportJobs.totalCount, 20)
  const queued = data.productImportJobs.nodes as Array<{ jobId: string, queuePosition: number }>
  t.strictSame(queued.map(({ jobId }) => jobId).sort(), [...accepted].sort())
  t.strictSame(queued.map(({ queuePosition }) => queuePosition).sort((a, b) => a - b), Array.from({ length: 20 }, (_, index) => index + 1))
  t.equal((await other.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })).status, 'completed', 'another vendor is not concerned')

  await held.release()
  for (const jobId of accepted) t.equal((await vendor.ended(jobId)).status, 'completed')
  t.equal((await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })).status, 'completed', 'there is room again')
})
