/** However charts and PDFs come, and however many writers there are, a vendor has no more of them than its quota. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { KeptPdf, SizeChartDraft } from '../../../../src/domain/size-chart.js'
import { createRepositories } from '../../../../src/store/repositories.js'
import { createSizeCharts } from '../../../../src/store/size-charts/size-charts.js'
import { testDatabase } from '../../../support/database.js'
import { withMethod } from '../../../support/with-method.js'

const { database } = await testDatabase(t)
const maxCharts = 5
const pdfBytes = 1_000
const { sizeCharts, sizeChartPdfs } = createRepositories(database, { charts: maxCharts, pdfBytes })
const vendor = (): string => `v${randomBytes(4).toString('hex')}`
const chart = (externalId: string, body = '|S|'): SizeChartDraft => ({ externalId, name: externalId, origin: { body } })
const charts = (count: number, prefix = 'C'): SizeChartDraft[] => Array.from({ length: count }, (_, index) => chart(`${prefix}${index}`))
const refused = { code: 'LIMIT_EXCEEDED', message: 'A vendor may have at most 5 size charts; delete some first' }

t.test('one chart more than the quota is refused; of another vendor it is taken', async (t) => {
  const vendorId = vendor()
  for (const draft of charts(maxCharts)) await sizeCharts.create(vendorId, draft)
  await t.rejects(sizeCharts.create(vendorId, chart('more')), refused)
  t.equal(await sizeCharts.count(vendorId), maxCharts)
  await sizeCharts.create(vendor(), chart('more'))
})

t.test('a bulk over the quota is refused whole, updates included', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(3))
  await t.rejects(sizeCharts.upsertAll(vendorId, [chart('C0', 'new'), ...charts(3, 'D')]), refused)
  t.match(await sizeCharts.findByExternalId(vendorId, 'C0'), { body: '|S|' })
  t.equal(await sizeCharts.count(vendorId), 3)
})

t.test('at the quota what is there can still be changed', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(maxCharts))
  t.match(await sizeCharts.upsertAll(vendorId, [...charts(maxCharts), chart('C0', 'new')]), { created: 0, updated: maxCharts })
})

t.test('a deleted chart makes room', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(maxCharts))
  await sizeCharts.deleteAll(vendorId, ['C0'])
  await sizeCharts.create(vendorId, chart('more'))
  t.equal(await sizeCharts.count(vendorId), maxCharts)
})

t.test('far from the quota charts are not counted at each creation, whoever makes them', async (t) => {
  const vendorId = vendor()
  const { sizeCharts: stored, changeMarks } = database.collections
  let counted = 0
  const counting = withMethod(stored, 'countDocuments', async (...given) => {
    counted++
    return await stored.countDocuments(...given)
  })
  const writers = [0, 1].map(() => createSizeCharts({ sizeCharts: counting, changeMarks }, { charts: 50 }))
  for (let index = 0; index < 20; index++) await writers[index % 2]?.create(vendorId, chart(`C${index}`))
  t.equal(counted, writers.length)
})

t.test('what another has created since it was counted is counted', async (t) => {
  const vendorId = vendor()
  const other = createRepositories(database, { charts: maxCharts, pdfBytes }).sizeCharts
  await sizeCharts.create(vendorId, chart('mine'))
  await other.upsertAll(vendorId, charts(maxCharts - 1))
  await t.rejects(sizeCharts.create(vendorId, chart('more')), refused)
  await t.rejects(sizeCharts.upsertAll(vendorId, [chart('more')]), refused)
})

t.test('writers at the same time do not pass the quota together', async (t) => {
  const vendorId = vendor()
  const writes = Array.from({ length: 12 }, async (_, index) => index % 2 === 0
    ? await sizeCharts.create(vendorId, chart(`one-${index}`))
    : await sizeCharts.upsertAll(vendorId, charts(3, `bulk-${index}-`)))
  const settled = await Promise.allSettled(writes)
  for (const result of settled) if (result.status === 'rejected') t.match(result.reason, refused)
  t.ok(await sizeCharts.count(vendorId) <= maxCharts)
})

const files = database.collections.sizeChartPdfFiles
const keep = async (vendorId: string, bytes: number, replaced: KeptPdf | null = null): Promise<KeptPdf> =>
  await sizeChartPdfs.write(vendorId, [Buffer.alloc(bytes)], replaced)
const full = { name: 'PdfRefused', message: /have at most so many bytes: 1000$/ }

t.test('a PDF that there is no room for is refused and leaves nothing; of another vendor it is kept', async (t) => {
  const vendorId = vendor()
  await keep(vendorId, pdfBytes - 1)
  await t.rejects(keep(vendorId, 2), full)
  t.equal(await files.countDocuments({ 'metadata.vendorId': vendorId }), 1)
  await keep(vendorId, 1)
  await keep(vendor(), 2)
})

t.test('a PDF that is over the quota is not read on', async (t) => {
  let read = 0
  await t.rejects(sizeChartPdfs.write(vendor(), (function * () {
    for (;;) {
      read++
      yield Buffer.alloc(pdfBytes / 2)
    }
  })(), null), full)
  t.equal(read, 3)
})

t.test('a PDF has the room of the one that it takes the place of, and a removed one gives its own back', async (t) => {
  const vendorId = vendor()
  const first = await keep(vendorId, 900)
  const second = await keep(vendorId, 1_000, first)
  await sizeChartPdfs.remove([first.fileId])
  await t.rejects(keep(vendorId, 1), full)
  await sizeChartPdfs.remove([second.fileId])
  await keep(vendorId, 1_000)
})

t.test('PDFs that are written at the same time do not pass the quota together', async (t) => {
  const vendorId = vendor()
  const settled = await Promise.allSettled(Array.from({ length: 12 }, async () => await keep(vendorId, 300)))
  for (const result of settled) if (result.status === 'rejected') t.match(result.reason, full)
  t.ok(await files.countDocuments({ 'metadata.vendorId': vendorId }) <= 3)
})
