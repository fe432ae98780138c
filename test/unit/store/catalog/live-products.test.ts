/** What a REPLACE reads before its first line, over the real database. */
import t from 'tap'
import type { ImportMode } from '../../../../src/domain/import-job.js'
import { LiveProducts } from '../../../../src/domain/live-products.js'
import { productId } from '../../../../src/domain/product.js'
import { readLiveProducts } from '../../../../src/store/catalog/live-products.js'
import { lineDigestOf } from '../../../../src/store/catalog/patch-hash.js'
import { testDatabase } from '../../../support/database.js'
import { line, lines } from '../../../support/product-lines.js'
import { testCatalog, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

async function read ({ vendorId }: TestCatalog, { mode = 'REPLACE', signal = new AbortController().signal }: { mode?: ImportMode, signal?: AbortSignal } = {}): Promise<LiveProducts> {
  const live = new LiveProducts()
  await readLiveProducts(collections, { vendorId, mode, signal }, live)
  return live
}

const knows = (live: LiveProducts, { vendorId }: TestCatalog, externalId: string, text: string): boolean =>
  live.isUnchanged(productId(vendorId, externalId), lineDigestOf(text))

t.test('all live products of the vendor, over more than a page, each with its line', async (t) => {
  const [catalog, other] = [testCatalog(parts), testCatalog(parts)]
  const sent = lines(1_203)
  await catalog.import(sent, { mode: 'REPLACE' })
  await catalog.import([line('old', { archived: true })], { mode: 'REPLACE' })
  await other.import([line('theirs')], { mode: 'REPLACE' })
  const live = await read(catalog)
  t.equal(live.size, 1_203)
  t.ok(sent.every((text, index) => knows(live, catalog, `P${index}`, text)))
})

t.test('lines of the other mode, with links, with warnings or of upsertProducts are not known', async (t) => {
  const catalog = testCatalog(parts)
  const texts = { mode: line('mode'), warned: line('warned', { sizeChartExternalId: 'nowhere' }), linked: line('linked', { sizeChartExternalId: null }), upserted: line('upserted') }
  await catalog.import([texts.mode], { mode: 'UPDATE' })
  await catalog.import([texts.warned, texts.linked], { mode: 'REPLACE' })
  await catalog.upsert(JSON.parse(texts.upserted) as Record<string, unknown>)
  const live = await read(catalog)
  t.equal(live.size, 4)
  for (const [id, text] of Object.entries(texts)) t.notOk(knows(live, catalog, id, text), id)
  t.ok(knows(await read(catalog, { mode: 'UPDATE' }), catalog, 'mode', texts.mode))
})

t.test('a job that is cancelled meanwhile ends the reading', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a')])
  await t.rejects(read(catalog, { signal: AbortSignal.abort(new Error('cancelled')) }), { message: 'cancelled' })
})

t.test('a line that a REPLACE has meanwhile written over is merged again', async (t) => {
  const catalog = testCatalog(parts)
  const before = [line('a'), line('b')]
  await catalog.import(before, { mode: 'REPLACE' })
  // The job changes b and changes it back, each time in a batch of its own.
  await catalog.import([line('b', { name: 'Changed' }), line('a'), line('b')], { mode: 'REPLACE', batchSize: 1 })
  t.match(await catalog.product('b'), { name: 'Product b', revision: 3 })
})
