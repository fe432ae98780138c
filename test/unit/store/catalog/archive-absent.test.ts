/** The end of a REPLACE (decisions.md, "REPLACE"), over the real database. */
import { randomUUID } from 'node:crypto'
import type { Filter, FindOptions } from 'mongodb'
import t from 'tap'
import { createUpsertProducts } from '../../../../pipelines/product-upsert.js'
import { archiveAbsent, type ArchiveAbsentOptions } from '../../../../src/store/catalog/archive-absent.js'
import { productId } from '../../../../src/domain/product.js'
import { LiveProducts } from '../../../../src/domain/live-products.js'
import { readLiveProducts } from '../../../../src/store/catalog/live-products.js'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { rewriteProducts } from '../../../../src/store/catalog/rewrite-products.js'
import { testDatabase } from '../../../support/database.js'
import { accept } from '../../../support/import-workers.js'
import { line, lines } from '../../../support/product-lines.js'
import { withMethod } from '../../../support/with-method.js'
import { testCatalog, withBeforeBulk, type TestCatalog } from '../test-catalog.js'
import { silent } from '../../../support/log.js'

const parts = await testDatabase(t)
const { collections } = parts.database

/** A job of the vendor that has just begun. */
async function begin ({ vendorId }: TestCatalog): Promise<string> {
  const jobId = await accept(parts.repositories, vendorId, { mode: 'REPLACE' })
  await parts.repositories.lanes.claim(vendorId, 'worker')
  return jobId
}

/** Of a REPLACE that began with what is live now, unless told otherwise, and has named these since. */
async function archive (catalog: TestCatalog, { named = [], ...options }: Partial<ArchiveAbsentOptions> & { named?: string[] }): Promise<number> {
  const { vendorId } = catalog
  const atStart = options.live ?? await liveNow(catalog)
  for (const externalId of named) atStart.change(productId(vendorId, externalId))
  return await archiveAbsent({
    collections, vendorId, jobId: 'job', live: atStart, guard: null, attempt: 1, dryRun: false,
    signal: new AbortController().signal, log: silent, ...options
  })
}

async function liveNow ({ vendorId }: TestCatalog): Promise<LiveProducts> {
  const found = new LiveProducts()
  await readLiveProducts(collections, { vendorId, mode: 'REPLACE', signal: new AbortController().signal }, found)
  return found
}

const live = async ({ vendorId }: TestCatalog): Promise<string[]> =>
  (await collections.products.find({ vendorId, archived: false }).toArray()).map(({ externalId }) => externalId).sort()

t.test('live products that are absent are archived, those named stay', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('b'), line('c')])
  t.equal(await archive(catalog, { named: ['b'] }), 2)
  t.strictSame(await live(catalog), ['b'])
  t.match(await catalog.product('a'), { archived: true, archivedByJobId: 'job', revision: 2, name: 'Product a' })
})

t.test('a product that has become live since the job began is left alone', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a')])
  const atStart = await liveNow(catalog)
  await catalog.import([line('b')])
  t.equal(await archive(catalog, { live: atStart }), 1)
  t.strictSame(await live(catalog), ['b'])
})

t.test('where every product was named, none is looked for', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('b')])
  const unread = withMethod(collections.products, 'find', () => { throw new Error('nobody has to look') })
  t.equal(await archive(catalog, { collections: { products: unread }, named: ['a', 'b', 'new'] }), 0)
  await t.rejects(archive(catalog, { collections: { products: unread }, named: ['a', 'new'] }), { message: 'nobody has to look' })
})

t.test('what was archived before is not counted', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('old', { archived: true })])
  t.equal(await archive(catalog, {}), 1)
  t.equal((await catalog.product('old')).revision, 1)
})

t.test('other vendors\' products are left alone', async (t) => {
  const [catalog, other] = [testCatalog(parts), testCatalog(parts)]
  await other.import([line('a')])
  await catalog.import([line('a')])
  t.equal(await archive(catalog, {}), 1)
  t.strictSame(await live(other), ['a'])
})

t.test('more than a page of products', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(1_203))
  t.equal(await archive(catalog, { named: ['P7', 'P1100'] }), 1_201)
  t.strictSame(await live(catalog), ['P1100', 'P7'])
})

t.test('a product that upsertProducts writes during the job is left alone, and absent for the next one', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('before'), line('during')])
  const jobId = await begin(catalog)
  await catalog.upsert({ externalId: 'during', name: 'Fresh' }, { ...JSON.parse(line('new')) as object })
  t.equal(await archive(catalog, { jobId }), 1)
  t.strictSame(await live(catalog), ['during', 'new'])
  t.equal(await archive(catalog, { jobId: 'the next one' }), 2)
})

for (const [what, byMs] of [['ahead', 3_600_000], ['behind', -3_600_000]] as const) {
  t.test(`it is all one if the clock of who has written a product is ${what}`, async (t) => {
    const catalog = testCatalog(parts)
    const { vendorId } = catalog
    await catalog.import([line('before'), line('during')])
    const jobId = await begin(catalog)
    await catalog.upsert({ externalId: 'during', name: 'Fresh' })
    await collections.products.updateMany({ vendorId }, { $set: { updatedAt: new Date(Date.now() + byMs) } })
    t.equal(await archive(catalog, { jobId }), 1)
    t.strictSame(await live(catalog), ['during'])
  })
}

t.test('nor is one archived that an upsertProducts has written after it, which began before the job', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('during')])
  let jobId: string | undefined
  const raced = withBeforeBulk(collections, async () => {
    if (jobId !== undefined) return
    jobId = await begin(catalog)
    await catalog.upsert({ externalId: 'during', name: 'Fresh' })
  })
  await createUpsertProducts({ ...collections, ...raced })(catalog.vendorId, [{ externalId: 'during', tags: ['late'] }])
  t.match(await catalog.product('during'), { name: 'Fresh', tags: ['late'], upsertedDuring: jobId })
  t.equal(await archive(catalog, { jobId: jobId ?? '' }), 0)
})

t.test('what this very job has written is not someone else\'s', async (t) => {
  const catalog = testCatalog(parts)
  const { jobId } = await catalog.import([line('a')], { mode: 'REPLACE' })
  t.equal(await archive(catalog, { jobId }), 1)
})

for (const [maxArchivePercent, absent, fails] of [[50, 5, false], [50, 6, true], [0, 1, true], [0, 0, false], [100, 10, false]] as const) {
  t.test(`with maxArchivePercent ${maxArchivePercent}, a REPLACE that would archive ${absent} of 10 ${fails ? 'fails before archiving any' : 'archives them'}`, async (t) => {
    const catalog = testCatalog(parts)
    await catalog.import(lines(10))
    const options = { guard: { maxArchivePercent, liveAtStart: 10 }, named: Array.from({ length: 10 - absent }, (_, index) => `P${index}`) }
    if (fails) await t.rejects(archive(catalog, options), { kind: 'fatal', message: /nothing was archived/ })
    else t.equal(await archive(catalog, options), absent)
    t.equal((await live(catalog)).length, fails ? 10 : 10 - absent)
  })
}

t.test('the share is of the products that were live when the job began, not of those it has added', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(4))
  await catalog.import(lines(100, 'new'))
  const options = { guard: { maxArchivePercent: 50, liveAtStart: 4 }, named: ['P0', ...Array.from({ length: 100 }, (_, index) => `new${index}`)] }
  await t.rejects(archive(catalog, options), { kind: 'fatal', message: /nothing was archived/ })
})

t.test('the guard of a vendor without live products lets pass', async (t) => {
  const catalog = testCatalog(parts)
  t.equal(await archive(catalog, { guard: { maxArchivePercent: 0, liveAtStart: 0 } }), 0)
})

t.test('a dry run counts what it would archive, and the guard holds for it, and nothing is written', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('b')])
  t.equal(await archive(catalog, { dryRun: true, named: ['b'] }), 1)
  await t.rejects(archive(catalog, { dryRun: true, guard: { maxArchivePercent: 10, liveAtStart: 2 } }), { kind: 'fatal', message: /nothing was archived/ })
  t.strictSame(await live(catalog), ['a', 'b'])
  t.equal((await catalog.product('a')).revision, 1)
})

t.test('a re-run counts what an earlier attempt archived, and archives the rest', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(6))
  const jobId = randomUUID()
  t.equal(await archive(catalog, { jobId, named: ['P0', 'P1', 'P2', 'P3'] }), 2, 'as far as the first attempt came')
  t.equal(await archive(catalog, { jobId, attempt: 2, named: ['P0'] }), 5)
  t.equal(await archive(catalog, { jobId, attempt: 3, named: ['P0'] }), 5)
})

t.test('a command that the driver repeats after a lost connection, on a server that does it again: all that it archived is counted', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(12))
  const repeating = withMethod(collections.products, 'bulkWrite', async (...args: Parameters<typeof collections.products.bulkWrite>) => {
    await collections.products.bulkWrite(args[0].slice(0, 7), args[1])
    return await collections.products.bulkWrite(...args)
  })
  t.equal(await archive(catalog, { collections: { products: repeating } }), 12)
  t.strictSame(await live(catalog), [])
})

t.test('what was archived before a cancel is counted, though a write of others was in the way of the page it came in', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(3))
  const jobId = randomUUID()
  const cancel = new AbortController()
  const raced = withBeforeBulk(collections, async () => {
    await rewriteProducts(collections, [await catalog.product('P1')], () => ({ fitmentTargetIds: [] }))
    cancel.abort()
  })
  let counted = 0
  await t.rejects(archive(catalog, { collections: raced, jobId, signal: cancel.signal, onArchived: (count) => { counted = count } }))
  t.equal(counted, 2)
  t.equal(await collections.products.countDocuments({ vendorId: catalog.vendorId, archivedByJobId: jobId }), 2)
})

t.test('what was archived before a cancel is counted page by page', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(1_203))
  const jobId = randomUUID()
  const cancel = new AbortController()
  const cancelling = withMethod(collections.products, 'bulkWrite', async (...args: Parameters<typeof collections.products.bulkWrite>) => {
    const result = await collections.products.bulkWrite(...args)
    cancel.abort()
    return result
  })
  let counted = 0
  await t.rejects(archive(catalog, { collections: { products: cancelling }, jobId, signal: cancel.signal, onArchived: (count) => { counted = count } }))
  t.equal(counted, 1_000)
  t.equal(await collections.products.countDocuments({ vendorId: catalog.vendorId, archivedByJobId: jobId }), 1_000)
})

t.test('a re-run counts what was archived and has been brought back since, and does not archive it again', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('b')])
  const jobId = await begin(catalog)
  t.equal(await archive(catalog, { jobId }), 2)
  await catalog.upsert({ externalId: 'a', archived: false })
  t.equal(await archive(catalog, { jobId, attempt: 2 }), 2)
  t.strictSame(await live(catalog), ['a'])
})

t.test('the guard of a re-run is not softened by what was archived already', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(10))
  const jobId = randomUUID()
  await archive(catalog, { jobId, named: Array.from({ length: 5 }, (_, index) => `P${index}`) })
  await t.rejects(archive(catalog, { jobId, attempt: 2, guard: { maxArchivePercent: 60, liveAtStart: 10 }, named: ['P0', 'P1', 'P2'] }), { kind: 'fatal', message: /7 of 10/ })
})

t.test('the next REPLACE counts for itself', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a'), line('b')])
  t.equal(await archive(catalog, { jobId: 'first' }), 2)
  await catalog.import([line('a')], { mode: 'REPLACE', jobId: 'second' })
  t.equal(await archive(catalog, { jobId: 'third', attempt: 2 }), 1)
})

t.test('an absent product whose links are removed just before it is archived is archived all the same', async (t) => {
  const catalog = testCatalog(parts)
  const { vendorId } = catalog
  const { _id: targetId } = await parts.repositories.fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })
  await catalog.import(lines(3).map((each) => ({ ...JSON.parse(each) as object, fitmentTargetExternalIds: ['T'] })))
  const unlink = async (): Promise<void> => {
    const products = await collections.products.find({ vendorId, archived: false }).toArray()
    await rewriteProducts(collections, products.slice(0, 2), () => ({ fitmentTargetIds: [] }))
  }
  let losses = 0
  const raced = withBeforeBulk(collections, async () => { if (losses++ < 3) await unlink() })
  t.equal(await archive(catalog, { collections: raced }), 3)
  t.strictSame(await live(catalog), [])
  t.strictSame((await catalog.product('P0')).fitmentTargetIds, [], `not ${targetId}: the removal stands`)
})

t.test('a product that a merchant writes just before it is archived is not, and only the others are counted', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(3))
  const jobId = await begin(catalog)
  const raced = withBeforeBulk(collections, async () => { await catalog.upsert({ externalId: 'P1', name: `Fresh ${Math.random()}` }) })
  t.equal(await archive(catalog, { collections: raced, jobId }), 2)
  t.strictSame(await live(catalog), ['P1'])
})

t.test('what earlier attempts have archived is counted page by page', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(lines(1_203))
  const jobId = randomUUID()
  t.equal(await archive(catalog, { jobId }), 1_203)
  const refused = (): never => { throw new Error('one command must not look at all of them') }
  const products = withMethod(withMethod(collections.products, 'countDocuments', refused), 'aggregate', refused)
  t.equal(await archive(catalog, { collections: { products }, jobId, attempt: 2 }), 1_203)
})

for (const [what, isArchivedAgain] of [['brought back', false], ['archived again by its merchant', true]] as const) {
  t.test(`a product that is ${what} while a re-run counts is counted once`, async (t) => {
    const catalog = testCatalog(parts)
    await catalog.import([line('a'), line('b')])
    const jobId = await begin(catalog)
    t.equal(await archive(catalog, { jobId }), 2)
    if (isArchivedAgain) await catalog.upsert({ externalId: 'a', archived: false })
    const find = ((filter: Filter<ProductDocument>, options?: FindOptions) => {
      const cursor = collections.products.find(filter, options)
      if (filter.archived !== false) return cursor
      const hasNext = cursor.hasNext.bind(cursor)
      cursor.hasNext = async () => {
        cursor.hasNext = hasNext
        await catalog.upsert({ externalId: 'a', archived: isArchivedAgain })
        return await hasNext()
      }
      return cursor
    }) as typeof collections.products.find
    t.equal(await archive(catalog, { collections: { products: withMethod(collections.products, 'find', find) }, live: new LiveProducts(), jobId, attempt: 2 }), 2)
  })
}

t.test('a worker that loses its job between two looks archives no more', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a')])
  const raced = withBeforeBulk(collections, async () => {
    await rewriteProducts(collections, await collections.products.find({ vendorId: catalog.vendorId }).toArray(), () => ({}))
  })
  let looks = 0
  const fence = async (): Promise<void> => { if (looks++ === 1) throw new Error('taken over') }
  await t.rejects(archive(catalog, { collections: raced, fence }), { message: 'taken over' })
  t.strictSame(await live(catalog), ['a'])
})

t.test('an abort ends the walk', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('a')])
  await t.rejects(archive(catalog, { signal: AbortSignal.abort(new Error('stop')) }), new Error('stop'))
  t.strictSame(await live(catalog), ['a'])
})
