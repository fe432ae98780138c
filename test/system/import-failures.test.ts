/** A job that cannot succeed ends failed with its reason, archives nothing, and what it has imported stays. */
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { holdLane } from '../support/held-lane.js'
import { file, line, lines } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type JobAnswer, type StartImport, type TestVendor } from '../support/vendor.js'

const service = await startServiceProcess(t)
let vendors = 0

/** A vendor with ten live products, `before-0` to `before-9`. */
async function vendorWithProducts (): Promise<TestVendor> {
  const vendor = await createVendor(service, `vendor-${vendors++}`)
  await vendor.put('before.jsonl', file(...lines(10, 'before-')))
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
  return vendor
}

const liveOf = async (vendor: TestVendor): Promise<string[]> => {
  const { data } = await vendor.graphql('{ products(archived: false, first: 200) { nodes { externalId } } }')
  return (data.products.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
}

const before = Array.from({ length: 10 }, (_, index) => `before-${index}`)

/** The reason stands in errorDetails without a line; all that was live still is. */
async function failed (t: Test, vendor: TestVendor, job: JobAnswer, reason: RegExp, imported: string[] = []): Promise<void> {
  t.match(job, { status: 'failed', stats: { productsArchived: 0 }, completedAt: String })
  t.match(job.errorDetails.filter(({ line }) => line === null), [{ line: null, externalId: null, message: reason }])
  t.strictSame((await liveOf(vendor)).sort(), [...before, ...imported].sort())
}

const fails = async (t: Test, request: Partial<StartImport>, contents: Record<string, string | Buffer>, reason: RegExp, imported: string[] = []): Promise<JobAnswer> => {
  const vendor = await vendorWithProducts()
  for (const [name, content] of Object.entries(contents)) await vendor.put(name, content)
  const job = await vendor.runImport({ files: Object.keys(contents), mode: 'REPLACE', ...request })
  await failed(t, vendor, job, reason, imported)
  return job
}

const good = file(line('new-1'), line('new-2'))

t.test('a missing file is found before anything is imported', async (t) => {
  await fails(t, { files: ['good.jsonl', 'missing.jsonl'] }, { 'good.jsonl': good }, /^File not found: missing\.jsonl$/)
})

t.test('a truncated gzip file', async (t) => {
  const whole = gzipSync(file(...lines(2_000, 'x')))
  const contents = { 'good.jsonl': good, 'cut.jsonl.gz': whole.subarray(0, whole.length - 20) }
  const vendor = await vendorWithProducts()
  for (const [name, content] of Object.entries(contents)) await vendor.put(name, content)
  const job = await vendor.runImport({ files: Object.keys(contents), mode: 'REPLACE' })
  t.match(job, { status: 'failed', stats: { productsArchived: 0 } })
  t.match(job.errorDetails, [{ line: null, externalId: null, message: /^cut\.jsonl\.gz is truncated/ }])
  const { data } = await vendor.graphql('{ products(archived: false) { totalCount } new: product(externalId: "new-2") { archived } }')
  t.strictSame(data.new, { archived: false }, 'what was imported before stays')
  t.equal(data.products.totalCount, before.length + (job.stats?.productsCreated ?? 0), 'the stats tell what was imported')
})

t.test('a corrupt gzip file', async (t) => {
  const corrupt = gzipSync(file(...lines(200, 'x')))
  corrupt.fill(0xFF, 60, 90)
  await fails(t, {}, { 'good.jsonl': good, 'corrupt.jsonl.gz': corrupt }, /^corrupt\.jsonl\.gz is (corrupt|truncated)/, ['new-1', 'new-2'])
})

t.test('data behind the gzip data', async (t) => {
  await fails(t, {}, { 'good.jsonl': good, 'trailing.jsonl.gz': Buffer.concat([gzipSync(good), Buffer.from(line('new-3'))]) }, /^trailing\.jsonl\.gz is corrupt/, ['new-1', 'new-2'])
})

t.test('a .json file that is no array', async (t) => {
  await fails(t, {}, { 'object.json': '{"externalId": "new-1"}' }, /^object\.json is not a JSON array of products/)
})

t.test('an empty file in a REPLACE', async (t) => {
  t.match(await fails(t, {}, { 'empty.jsonl': '' }, /nothing was archived/), { stats: { productsProcessed: 0 } })
})

t.test('a REPLACE in which no line has a readable id', async (t) => {
  const job = await fails(t, {}, { 'bad.jsonl': file('nonsense', '{"name": "no id"}', '') }, /nothing was archived/)
  t.match(job.stats, { productsProcessed: 2, errors: 2 })
  t.strictSame(job.errorDetails.map(({ line }) => line), [null, 1, 2])
})

t.test('a REPLACE that would archive more than maxArchivePercent', async (t) => {
  const contents = { 'few.jsonl': file(line('before-0'), line('new-1')) }
  await fails(t, { maxArchivePercent: 89 }, contents, /9 of 10 live products.*nothing was archived/, ['new-1'])
})

t.test('a REPLACE that archives just maxArchivePercent completes', async (t) => {
  const vendor = await vendorWithProducts()
  await vendor.put('few.jsonl', file(line('before-0'), line('new-1')))
  const job = await vendor.runImport({ files: ['few.jsonl'], mode: 'REPLACE', maxArchivePercent: 90 })
  t.match(job, { status: 'completed', stats: { productsArchived: 9, productsCreated: 1, productsUpdated: 1 } })
  t.strictSame((await liveOf(vendor)).sort(), ['before-0', 'new-1'])
})

t.test('an empty file is a good UPDATE', async (t) => {
  const vendor = await vendorWithProducts()
  await vendor.put('empty.jsonl', '')
  t.match(await vendor.runImport({ files: ['empty.jsonl'], mode: 'UPDATE' }), { status: 'completed', stats: { productsProcessed: 0, errors: 0 }, errorDetails: [] })
})

t.test('a file that is deleted, and one that is replaced, while their jobs wait', async (t) => {
  const vendor = await vendorWithProducts()
  await vendor.put('deleted.jsonl', good)
  await vendor.put('replaced.jsonl', file('nonsense'))
  const held = await holdLane(t, service.repositories(), vendor.id)
  const jobs = [
    await vendor.startImport({ files: ['deleted.jsonl'], mode: 'REPLACE' }),
    await vendor.startImport({ files: ['replaced.jsonl'], mode: 'UPDATE' })
  ] as const
  await vendor.remove('deleted.jsonl')
  await vendor.put('replaced.jsonl', good)
  await held.release()
  t.match(await vendor.ended(jobs[1]), { status: 'completed', stats: { productsCreated: 2, errors: 0 } }, 'what is there when the job runs counts')
  await failed(t, vendor, await vendor.ended(jobs[0]), /^File not found: deleted\.jsonl$/, ['new-1', 'new-2'])
})
