/** When a vendor's words are counted, by whom, and what is kept of them. */
import { once } from 'node:events'
import t from 'tap'
import { testDatabase } from '../../../support/database.js'
import { line, lines } from '../../../support/product-lines.js'
import { createSearchVocabularies, type SearchVocabulariesOptions } from '../../../../src/store/search/search-vocabularies.js'
import { asReader } from '../../../../src/store/reads/reader.js'
import { testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database
const { signal } = new AbortController()

/** At a time that stands still until it is moved. */
function vocabulariesAt (options: Omit<SearchVocabulariesOptions, 'now'> = {}) {
  const clock = { ms: Date.now() }
  return { clock, vocabularies: createSearchVocabularies(collections, { ...options, now: () => clock.ms }) }
}

const stored = async (vendorId: string) => await collections.searchVocabularies.findOne({ _id: vendorId })

t.test('a small catalog is counted when it is searched, and again when that is old', async (t) => {
  const catalog = testCatalog(parts)
  const { clock, vocabularies } = vocabulariesAt()
  await catalog.import([line('A', { name: 'Lamp' })])
  t.equal((await vocabularies.find(catalog.vendorId)).countOf('lamp'), 1)
  await catalog.import([line('B', { name: 'Lamps' }), line('C', { name: 'Lamp', archived: true })])
  t.equal((await vocabularies.find(catalog.vendorId)).countOf('lamp'), 1, 'it is trusted for a second')
  clock.ms += 1_001
  t.equal((await vocabularies.find(catalog.vendorId)).countOf('lamp'), 2, 'of live products')
})

t.test('of a larger one, a search counts the first products, and a worker the rest', async (t) => {
  const catalog = testCatalog(parts)
  const { clock, vocabularies } = vocabulariesAt({ atOnce: 3 })
  await catalog.import(lines(10))
  t.equal((await vocabularies.find(catalog.vendorId)).products, 3)
  clock.ms += 10
  await vocabularies.countDue(signal)
  t.match(await stored(catalog.vendorId), { products: 10, isComplete: true, dueAt: undefined })
  clock.ms += 1_000
  t.equal((await vocabularies.find(catalog.vendorId)).products, 10)
})

t.test('a large one that is old is asked for, and serves until it is counted', async (t) => {
  const catalog = testCatalog(parts)
  const { clock, vocabularies } = vocabulariesAt({ atOnce: 3 })
  await catalog.import(lines(10))
  await vocabularies.find(catalog.vendorId)
  clock.ms += 10
  await vocabularies.countDue(signal)
  await catalog.import(lines(2, 'Q'))
  clock.ms += 1_001
  t.equal((await vocabularies.find(catalog.vendorId)).products, 10)
  clock.ms += 1_001
  await vocabularies.countDue(signal)
  t.equal((await vocabularies.find(catalog.vendorId)).products, 12)
})

t.test('no more products are looked at than are allowed, and that is not asked for again at once', async (t) => {
  const catalog = testCatalog(parts)
  const { clock, vocabularies } = vocabulariesAt({ atOnce: 3, most: 5 })
  await catalog.import(lines(10))
  await vocabularies.find(catalog.vendorId)
  clock.ms += 10
  await vocabularies.countDue(signal)
  clock.ms += 1_000
  t.equal((await vocabularies.find(catalog.vendorId)).products, 5)
  t.match(await stored(catalog.vendorId), { isComplete: false, dueAt: undefined })
})

t.test('of a small one there is a newer one at once where products have been written, of a large one when it has been counted', async (t) => {
  for (const [atOnce, known] of [[3, 2], [1, 1]] as const) {
    const catalog = testCatalog(parts)
    const { vocabularies } = vocabulariesAt({ atOnce })
    await catalog.import(lines(1))
    if (atOnce === 1) await catalog.import(lines(1, 'Q'))
    const first = await vocabularies.find(catalog.vendorId)
    t.equal(await vocabularies.newest(catalog.vendorId), first)
    await catalog.import(lines(1, 'R'))
    await vocabularies.markChanged(catalog.vendorId)
    t.equal(vocabularies.trusted(catalog.vendorId), first)
    t.equal((await vocabularies.newest(catalog.vendorId)).products, known, String(atOnce))
  }
})

t.test('another process finds it as it was counted', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { name: 'Tisch aus Eiche' }), line('B', { name: 'Lampe mit Schirm' }), ...lines(300)])
  const counted = await vocabulariesAt().vocabularies.find(catalog.vendorId)
  const read = await vocabulariesAt().vocabularies.find(catalog.vendorId)
  t.strictSame([read.size, read.languages, read.reachesOf('product')], [counted.size, ['english', 'german'], counted.reachesOf('product')])
  t.equal(read.reachesOf('product').length, 5)
})

t.test('products that are linked to targets and those that are not are in one order', async (t) => {
  const catalog = testCatalog(parts)
  await parts.repositories.fitmentTargets.upsert(catalog.vendorId, [{ externalId: 'T', facetValues: [] }])
  await catalog.import(Array.from({ length: 300 }, (_, n) => line(`P${1_000 + n}`, n % 2 === 0 ? { fitmentTargetExternalIds: ['T'] } : {})))
  const vocabulary = await vocabulariesAt().vocabularies.find(catalog.vendorId)
  t.strictSame(vocabulary.reachesOf('product'), [56, 112, 168, 224, 280].map((products) => ({ products, externalId: `P${999 + products}` })))
})

t.test('what is read for it is no part of the answer of who searches', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(3))
  let taken = 0
  await asReader({ owner: catalog.vendorId, take: (bytes) => { taken += bytes } }, async () => await vocabulariesAt().vocabularies.find(catalog.vendorId))
  t.equal(taken, 0)
})

t.test('searches that come together count once', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(3))
  const { vocabularies } = vocabulariesAt()
  const [first, second] = await Promise.all([vocabularies.find(catalog.vendorId), vocabularies.find(catalog.vendorId)])
  t.equal(first, second)
})

t.test('who is told to stop counts no more', async (t) => {
  const catalog = testCatalog(parts)
  const { vocabularies } = vocabulariesAt({ atOnce: 3 })
  await catalog.import(lines(10))
  await vocabularies.find(catalog.vendorId)
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort')
  stopping.abort()
  await stopped
  await vocabularies.countDue(stopping.signal)
  t.equal((await stored(catalog.vendorId))?.products, 3)
})

t.test('another process finds what descriptions say', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { name: 'Lamp', description: 'lamp of walnut' }), line('B', { description: 'oak' })])
  await vocabulariesAt().vocabularies.find(catalog.vendorId)
  const read = await vocabulariesAt().vocabularies.find(catalog.vendorId)
  t.strictSame([read.describedBy('walnut', 'DRAFT').ids, read.describedBy('lamp', 'DRAFT').ids], [[(await catalog.product('A'))._id], []])
})

t.test('of archived products the words of their descriptions are noted, and of as many as of live ones', async (t) => {
  const catalog = testCatalog(parts)
  const gone = (n: number): string => line(`A${n}`, { name: 'Lamp', description: n === 5 ? 'oak' : 'walnut', archived: true })
  const { clock, vocabularies } = vocabulariesAt({ atOnce: 3 })
  await catalog.import([line('L', { name: 'Shelf' }), gone(1), gone(2)])
  const all = await vocabularies.find(catalog.vendorId)
  t.strictSame([all.products, all.countOf('lamp'), all.describedBy('walnut', 'ARCHIVED').ids.length, all.describedBy('oak', 'ARCHIVED').areAll], [1, 0, 2, true])
  await catalog.import([gone(3), gone(4), gone(5)])
  clock.ms += 1_001
  const some = await vocabularies.find(catalog.vendorId)
  t.strictSame([some.describedBy('walnut', 'ARCHIVED').ids.length, some.describedBy('oak', 'ARCHIVED'), some.describedBy('oak', 'PUBLISHED').areAll], [3, { ids: [], areAll: false }, true])
})

t.test('what the version before has counted knows no archived products', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(3))
  await vocabulariesAt().vocabularies.find(catalog.vendorId)
  await collections.searchVocabularies.updateOne({ _id: catalog.vendorId }, { $unset: { hasAllArchived: true } })
  t.strictSame((await vocabulariesAt().vocabularies.find(catalog.vendorId)).describedBy('oak', 'ARCHIVED'), { ids: [], areAll: false })
})

t.test('a million words of one letter\'s difference are 50,000 at most', async (t) => {
  const catalog = testCatalog(parts)
  // As many as a test has the time for; that more are forgotten as they come: domain/search/word-counts.
  await catalog.import(Array.from({ length: 200 }, (_, n) => line(`P${n}`, { tags: Array.from({ length: 32 }, (_, tag) => `neck${(n * 32 + tag).toString(36)}`) })))
  const vocabulary = await vocabulariesAt().vocabularies.find(catalog.vendorId)
  t.ok(vocabulary.size > 5_000 && vocabulary.size <= 50_000, String(vocabulary.size))
})
