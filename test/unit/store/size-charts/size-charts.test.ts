import { randomBytes } from 'node:crypto'
import { ObjectId } from 'mongodb'
import t from 'tap'
import type { KeptPdf, SizeChartDraft } from '../../../../src/domain/size-chart.js'
import { createSizeChartPdfs } from '../../../../src/store/size-charts/size-chart-pdfs.js'
import { testDatabase } from '../../../support/database.js'

const { repositories: { sizeCharts, sizeChartPdfs }, database } = await testDatabase(t)
const vendor = (): string => `v${randomBytes(4).toString('hex')}`
const markdown = (externalId: string, body = '|S|'): SizeChartDraft => ({ externalId, name: externalId, origin: { body } })
const linked = (externalId: string, sourceUrl = 'https://shop.example.com/a.pdf'): SizeChartDraft => ({ externalId, name: externalId, origin: { sourceUrl } })
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `C${String(index).padStart(4, '0')}`)

t.test('an external id is a vendor\'s once', async (t) => {
  const [mine, other] = [vendor(), vendor()]
  await sizeCharts.create(mine, markdown('C'))
  await t.rejects(sizeCharts.create(mine, markdown('C')), { code: 'CONFLICT', field: 'externalId' })
  await sizeCharts.create(other, markdown('C'))
  const { _id } = await sizeCharts.create(mine, markdown('D'))
  await t.rejects(sizeCharts.update(mine, _id, { externalId: 'C' }), { code: 'CONFLICT' })
})

t.test('another vendor\'s chart does not exist', async (t) => {
  const [mine, other] = [vendor(), vendor()]
  const { _id } = await sizeCharts.create(other, markdown('C'))
  t.equal(await sizeCharts.find(mine, _id), null)
  await t.rejects(sizeCharts.update(mine, _id, { name: 'x' }), { code: 'NOT_FOUND' })
  await t.rejects(sizeCharts.delete(mine, _id), { code: 'NOT_FOUND' })
  t.match(await sizeCharts.deleteAll(mine, ['C']), { deleted: 0 })
  t.ok(await sizeCharts.find(other, _id))
})

t.test('ids of another form are not even looked up', async (t) => {
  for (const id of ['', '$ne', '__proto__', 'x'.repeat(10_000)]) t.equal(await sizeCharts.find(vendor(), id), null)
})

t.test('a bulk creates what is new and updates what is there, the later of a repeated id wins', async (t) => {
  const vendorId = vendor()
  const { _id } = await sizeCharts.create(vendorId, markdown('B', 'old'))
  t.match(await sizeCharts.upsertAll(vendorId, [markdown('A'), markdown('B', 'first'), markdown('C'), markdown('B', 'last')]), { created: 2, updated: 1 })
  t.match(await sizeCharts.findByExternalId(vendorId, 'B'), { _id, body: 'last', revision: 2 })
})

t.test('a bulk again is harmless: nothing is created, what is the same is not written', async (t) => {
  const vendorId = vendor()
  const drafts = names(450).map((name) => markdown(name))
  t.match(await sizeCharts.upsertAll(vendorId, drafts), { created: 450, updated: 0 })
  t.match(await sizeCharts.upsertAll(vendorId, drafts), { created: 0, updated: 450 })
  t.equal((await sizeCharts.findByExternalId(vendorId, 'C0007'))?.revision, 1)
})

t.test('bulks at the same time: every chart once, each counted by one of them as created', async (t) => {
  const vendorId = vendor()
  const bulks = await Promise.all(['a', 'b', 'c'].map(async (body) => await sizeCharts.upsertAll(vendorId, names(60).map((name) => markdown(name, body)))))
  t.equal(bulks.reduce((sum, { created }) => sum + created, 0), 60)
  t.strictSame(bulks.map(({ created, updated }) => created + updated), [60, 60, 60])
  t.equal(await sizeCharts.count(vendorId), 60)
})

t.test('a count of many has whatever was created or deleted before it, in whichever way', async (t) => {
  const vendorId = vendor()
  const many = names(1_001)
  await sizeCharts.upsertAll(vendorId, many.map((name) => markdown(name)))
  t.equal(await sizeCharts.count(vendorId), 1_001)
  const { _id } = await sizeCharts.create(vendorId, markdown('D'))
  t.equal(await sizeCharts.count(vendorId), 1_002)
  await sizeCharts.upsertAll(vendorId, [markdown('E'), markdown('C0000', 'other')])
  t.equal(await sizeCharts.count(vendorId), 1_003)
  await sizeCharts.delete(vendorId, _id)
  t.equal(await sizeCharts.count(vendorId), 1_002)
  await sizeCharts.deleteAll(vendorId, ['E', 'C0000', 'unknown'])
  t.equal(await sizeCharts.count(vendorId), 1_000)
})

t.test('changes of the same chart at the same time are all kept', async (t) => {
  const vendorId = vendor()
  const { _id } = await sizeCharts.create(vendorId, markdown('C'))
  await Promise.all([
    sizeCharts.update(vendorId, _id, { name: 'renamed' }),
    sizeCharts.update(vendorId, _id, { externalId: 'D' }),
    sizeCharts.update(vendorId, _id, { origin: { body: 'new' } })
  ])
  t.match(await sizeCharts.find(vendorId, _id), { name: 'renamed', externalId: 'D', body: 'new' })
})

t.test('pages are by external id, and survive what is deleted and made in between', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, ['a', 'c', 'e', 'g'].map((name) => markdown(name)))
  const first = await sizeCharts.page(vendorId, { first: 2, after: null })
  t.strictSame([first.nodes.map(({ externalId }) => externalId), first.hasNextPage], [['a', 'c'], true])
  await sizeCharts.deleteAll(vendorId, ['c'])
  await sizeCharts.upsertAll(vendorId, [markdown('b'), markdown('d')])
  const second = await sizeCharts.page(vendorId, { first: 10, after: 'c' })
  t.strictSame([second.nodes.map(({ externalId }) => externalId), second.hasNextPage], [['d', 'e', 'g'], false])
})

t.test('a name is found as people say it, a READY chart before others', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, [{ ...linked('A'), name: 'Men\'s Shirts' }, { ...markdown('B'), name: ' men\'s shirts' }])
  t.equal((await sizeCharts.findByName(vendorId, 'MEN\'S SHIRTS'))?.externalId, 'B')
  t.equal(await sizeCharts.findByName(vendorId, 'shirts'), null)
})

t.test('of two workers one gets the chart, and the result of the one that has lost it is dropped', async (t) => {
  const vendorId = vendor()
  const chart = await sizeCharts.create(vendorId, linked('C'))
  const claims = await Promise.all(['a', 'b'].map(async (token) => await sizeCharts.claim(vendorId, chart, token)))
  const held = claims.find((claim) => claim !== null)
  t.equal(claims.filter((claim) => claim !== null).length, 1)
  if (held === undefined || held === null) throw new Error('nobody has it')
  await sizeCharts.update(vendorId, chart._id, { origin: { sourceUrl: 'https://shop.example.com/new.pdf' } })
  const result = { outcome: 'failed', failure: { code: 'no-text' }, pdf: null } as const
  t.equal((await sizeCharts.finish(held, result)).applied, false)
  t.equal(await sizeCharts.beat(held), false)
  t.equal((await sizeCharts.find(vendorId, chart._id))?.status, 'PENDING')
})

t.test('of a claim that has beaten since it was seen nobody takes the chart; of one that has not, one does', async (t) => {
  const vendorId = vendor()
  const dead = await sizeCharts.claim(vendorId, await sizeCharts.create(vendorId, linked('C')), 'dead')
  if (dead === null) throw new Error('not claimed')
  t.ok(await sizeCharts.beat(dead))
  t.equal(await sizeCharts.claim(vendorId, dead, 'too soon'), null)
  const [seen] = await sizeCharts.claimed(vendorId)
  if (seen === undefined) throw new Error('not seen')
  const claims = await Promise.all(['a', 'b'].map(async (token) => await sizeCharts.claim(vendorId, seen, token)))
  t.strictSame(claims.flatMap((claim) => claim === null ? [] : [claim.conversion.attempts]), [2])
  t.equal(await sizeCharts.beat(dead), false)
})

t.test('what waits is told by vendor, claimed or not', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, [linked('A'), linked('B'), markdown('C')])
  const found: string[] = []
  for await (const waiting of sizeCharts.pendingVendors()) if (waiting.vendorId === vendorId) found.push(waiting.vendorId)
  t.equal(found.length, 1, 'once')
  const [first, second, ...more] = await sizeCharts.unclaimed(vendorId, 10)
  if (first === undefined || second === undefined) throw new Error('both wait')
  t.strictSame([more, await sizeCharts.claimed(vendorId)], [[], []])
  await sizeCharts.claim(vendorId, first, 'me')
  t.strictSame(await sizeCharts.unclaimed(vendorId, 10), [second])
  t.strictSame(await sizeCharts.claimed(vendorId), [{ _id: first._id, revision: first.revision + 1 }])
  t.strictSame([await sizeCharts.isAnyPending(vendorId), await sizeCharts.isAnyPending(vendor())], [true, false])
})

const pieces = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text))

t.test('originals come back as they were written', async (t) => {
  const large = randomBytes(600_000)
  const pdf = await sizeChartPdfs.write(vendor(), [large.subarray(0, 1_000), large.subarray(1_000)], null)
  t.equal(pdf.bytes, 600_000)
  t.ok((await sizeChartPdfs.read(pdf))?.equals(large))
  await sizeChartPdfs.remove([pdf.fileId])
  t.equal(await sizeChartPdfs.read(pdf), null)
})

t.test('nothing is kept of what is too large or breaks off', async (t) => {
  const chunks = database.db.collection('size_chart_pdfs.chunks')
  const before = await chunks.countDocuments({})
  await t.rejects(sizeChartPdfs.write(vendor(), (function * () { for (;;) yield Buffer.alloc(1_000_000) })(), null), { message: 'The PDF is larger than 20 MiB' })
  await t.rejects(sizeChartPdfs.write(vendor(), (async function * () {
    yield Buffer.alloc(300_000)
    throw new Error('the client has gone')
  })(), null), { message: 'the client has gone' })
  t.equal(await chunks.countDocuments({}), before)
})

t.test('the sweep removes what no chart holds, half-written files too, and leaves the rest', async (t) => {
  const vendorId = vendor()
  const keep = async (text: string): Promise<KeptPdf> => await sizeChartPdfs.write(vendorId, pieces(text), null)
  const [held, orphan, half] = [await keep('held'), await keep('orphan'), await keep('half')]
  await database.db.collection('size_chart_pdfs.files').deleteOne({ _id: new ObjectId(half.fileId) })
  await sizeCharts.upsertAll(vendorId, [{ externalId: 'C', name: 'C', origin: { pdf: held } }])
  t.equal(await sizeChartPdfs.sweep(sizeCharts.heldPdfs, 3_600_000), 0, 'what is young may be on its way to its chart')
  t.equal(await sizeChartPdfs.sweep(sizeCharts.heldPdfs, -10_000), 2)
  t.strictSame(await Promise.all([held, orphan, half].map(async (pdf) => (await sizeChartPdfs.read(pdf))?.toString() ?? null)), ['held', null, null])
})

t.test('the sweep goes through any number of files, some at a time', async (t) => {
  const vendorId = vendor()
  const few = createSizeChartPdfs(database, { pdfBytes: 1_000 }, 2)
  const kept: KeptPdf[] = []
  for (let index = 0; index < 7; index++) kept.push(await few.write(vendorId, pieces(String(index)), null))
  const asked: string[][] = []
  const heldOf = async (fileIds: string[]): Promise<Set<string>> => {
    asked.push(fileIds)
    return new Set([kept[0]?.fileId ?? '', kept[5]?.fileId ?? ''])
  }
  await database.db.collection('size_chart_pdfs.files').deleteOne({ _id: new ObjectId(kept[3]?.fileId) })
  await few.sweep(heldOf, -10_000)
  t.strictSame(await Promise.all(kept.map(async (pdf) => (await few.read(pdf))?.toString() ?? null)), ['0', null, null, null, null, '5', null])
  t.ok(asked.every((fileIds) => fileIds.length <= 3), 'two, and those between them that are half written')
})

t.test('what a change lets go of is told, so that it can be removed', async (t) => {
  const vendorId = vendor()
  const [first, second] = [await sizeChartPdfs.write(vendorId, pieces('1'), null), await sizeChartPdfs.write(vendorId, pieces('2'), null)]
  await sizeCharts.upsertAll(vendorId, [{ externalId: 'C', name: 'C', origin: { pdf: first } }])
  t.strictSame((await sizeCharts.upsertAll(vendorId, [{ externalId: 'C', name: 'C', origin: { pdf: second } }])).released, [first.fileId])
  t.strictSame((await sizeCharts.deleteAll(vendorId, ['C', 'unknown'])), { deleted: 1, released: [second.fileId] })
})
