/** upsertProducts during a job: both change the same products at the same time, and neither loses anything. */
import t from 'tap'
import { file, line, lines } from '../support/product-lines.js'
import { fromDocument } from '../../src/store/catalog/product-document.js'
import { eventually } from '../support/eventually.js'
import { startHaltingFiles } from '../support/halting-files.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const files = await startHaltingFiles(t)
const service = await startServiceProcess(t, { files })
const upsert = 'mutation ($products: [UpsertProductInput!]!, $vendorId: ID!) { upsertProducts(vendorId: $vendorId, products: $products) { externalId } }'

t.test('no update is lost', async (t) => {
  const vendor = await createVendor(service)
  const count = 400
  const ids = Array.from({ length: count }, (_, index) => `P${index}`)
  await vendor.put('before.jsonl', file(...lines(count)))
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })

  // The job writes tags and one metafield, the upserts categories and another.
  await vendor.put('job.jsonl', file(...ids.map((externalId) => JSON.stringify({ externalId, tags: ['job'], 'meta:job': 'yes' }))))
  const jobId = await vendor.startImport({ files: ['job.jsonl'], mode: 'UPDATE' })
  for (let from = 0; from < count; from += 50) {
    const products = ids.slice(from, from + 50).map((externalId) => ({ externalId, categories: ['upsert'], metafields: [{ key: 'upsert', value: 'yes' }] }))
    const { data, errors } = await vendor.graphql(upsert, { vendorId: vendor.id, products })
    t.equal(errors, undefined)
    t.equal(data.upsertProducts.length, 50)
  }
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsProcessed: count, productsUpdated: count, errors: 0 } })

  const found = (await service.database().collections.products.find({ vendorId: vendor.id }).toArray()).map(fromDocument)
  t.equal(found.length, count)
  const both = JSON.stringify({ tags: ['job'], categories: ['upsert'], metafields: ['job', 'upsert'] })
  const lost = found.filter(({ tags, categories, metafields }) => JSON.stringify({ tags, categories, metafields: metafields.map(({ key }) => key).sort() }) !== both)
  t.strictSame(lost.map(({ externalId }) => externalId), [])
})

t.test('a product that is upserted during a REPLACE that does not name it stays live', async (t) => {
  const vendor = await createVendor(service, 'replaced')
  await vendor.put('before.jsonl', file(...lines(300, 'absent-')))
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  await vendor.put('replacement.jsonl', file(...lines(1_200)))
  files.haltAfter(100_000)
  const jobId = await vendor.startImport({ files: ['replacement.jsonl'], mode: 'REPLACE' })
  await eventually('the job is at work', async () => await service.repositories().products.findByExternalId(vendor.id, 'P7'))
  const { errors } = await vendor.graphql(upsert, { vendorId: vendor.id, products: [{ externalId: 'absent-7', tags: ['upserted'] }] })
  t.equal(errors, undefined)
  files.goOn()
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsCreated: 1_200, productsArchived: 299 } })
  const { data } = await vendor.graphql('{ kept: product(externalId: "absent-7") { archived } gone: product(externalId: "absent-8") { archived } }')
  t.strictSame(data, { kept: { archived: false }, gone: { archived: true } })
})

t.test('a new product that job and upsert make at the same time is one product', async (t) => {
  const vendor = await createVendor(service, 'both')
  await vendor.put('job.jsonl', file(...lines(300, 'P', { tags: ['job'] })))
  const jobId = await vendor.startImport({ files: ['job.jsonl'], mode: 'UPDATE' })
  const products = Array.from({ length: 300 }, (_, index) => ({ ...JSON.parse(line(`P${index}`)) as object, categories: ['upsert'] }))
  const { errors } = await vendor.graphql(upsert, { vendorId: vendor.id, products })
  t.equal(errors, undefined)
  const { stats } = await vendor.ended(jobId)
  t.equal((stats?.productsCreated ?? 0) + (stats?.productsUpdated ?? 0), 300)
  const found = service.database().collections.products
  t.equal(await found.countDocuments({ vendorId: vendor.id, tags: ['job'], categories: ['upsert'] }), 300)
  t.equal(await found.countDocuments({ vendorId: vendor.id }), 300)
})
