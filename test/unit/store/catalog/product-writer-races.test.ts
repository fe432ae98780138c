/** Several writers at once, on the same products, over the real database: no update is lost. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createUpsertProducts } from '../../../../pipelines/product-upsert.js'
import { createTurn, type Turn } from '../../../../src/engine/turn.js'
import { testDatabase } from '../../../support/database.js'
import { createGate } from '../../../support/eventually.js'
import { line } from '../../../support/product-lines.js'
import { withMethod } from '../../../support/with-method.js'
import { statsOf, testCatalog, withBeforeBulk, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

const ids = Array.from({ length: 15 }, (_, index) => `P${index}`)

t.test('file imports and upsertProducts side by side: every update of every writer is there at the end', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(ids.map((id) => line(id)))
  const rounds = 6
  const writer = async (name: string): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const records = ids.map((externalId) => ({ externalId, [`meta:${name}-${round}`]: round }))
      if (name.startsWith('upsert')) await catalog.upsert(...records)
      else t.strictSame((await catalog.import(records, { batchSize: 4 })).stats, statsOf(0, ids.length))
    }
  }
  const names = ['file', 'upsert-1', 'upsert-2', 'other-file']
  await Promise.all(names.map(writer))
  const all = names.flatMap((name) => Array.from({ length: rounds }, (_, round) => `${name}-${round}`)).sort()
  for (const id of ids) {
    const { metafields, revision } = await catalog.product(id)
    t.strictSame(metafields.map(({ key }) => key).sort(), all)
    t.equal(revision, 1 + all.length, 'each update is one revision')
  }
})

t.test('writers that create the same new products at once: one creates each, nothing of the others is lost', async (t) => {
  const catalog = testCatalog(parts)
  const results = await Promise.all(['a', 'b', 'c'].map(async (name) => await catalog.import(ids.map((id) => line(id, { [`meta:${name}`]: 1 })))))
  t.equal(results.reduce((sum, { stats }) => sum + stats.productsCreated, 0), ids.length)
  t.equal(results.reduce((sum, { stats }) => sum + stats.productsUpdated, 0), 2 * ids.length)
  for (const id of ids) t.strictSame((await catalog.product(id)).metafields.map(({ key }) => key).sort(), ['a', 'b', 'c'])
})

t.test('what is written is written in the turn that it is given', async (t) => {
  const turn = createGate()
  let writes = 0
  const catalog = testCatalog(parts)
  const importing = catalog.import([line('P')], {
    collections: withBeforeBulk(collections, async () => { writes += 1 }),
    inTurn: async (write) => {
      await turn.passed
      return await write()
    }
  })
  await catalog.upsert({ externalId: 'Q', name: 'Q', brandName: 'B', externalUrl: 'https://example.com/' })
  t.equal(writes, 0)
  turn.open()
  t.strictSame((await importing).stats, statsOf(1, 0))
  t.equal(writes, 1)
})

/** What others do just before the first bulk of an import. */
function raced (others: () => Promise<unknown>): { collections: ReturnType<typeof withBeforeBulk> } {
  let pending = true
  return {
    collections: withBeforeBulk(collections, async () => {
      if (!pending) return
      pending = false
      await others()
    })
  }
}

t.test('who loses a race reads again and merges', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P'), line('Q')])
  const { stats } = await catalog.import([{ externalId: 'P', tags: ['mine'] }, { externalId: 'Q', tags: ['mine'] }], raced(async () => await catalog.upsert({ externalId: 'P', categories: ['theirs'] })))
  t.strictSame(stats, statsOf(0, 2))
  t.match(await catalog.product('P'), { tags: ['mine'], categories: ['theirs'], revision: 3 })
  t.match(await catalog.product('Q'), { tags: ['mine'], revision: 2 })
})

t.test('a product that another writer has just created is updated, and counted so', async (t) => {
  const catalog = testCatalog(parts)
  const { stats } = await catalog.import([line('P', { tags: ['mine'] }), line('Q')], raced(async () => await catalog.upsert({ ...JSON.parse(line('P')) as object, categories: ['theirs'] })))
  t.strictSame(stats, statsOf(1, 1))
  t.match(await catalog.product('P'), { tags: ['mine'], categories: ['theirs'] })
})

t.test('a line that has become needless while its race was lost writes nothing more', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  await catalog.import([{ externalId: 'P', tags: ['a'] }], raced(async () => await catalog.upsert({ externalId: 'P', tags: ['a'] })))
  t.match(await catalog.product('P'), { tags: ['a'], revision: 2 })
})

t.test('races lost again and again still end well', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  let left = 10
  const always = withBeforeBulk(collections, async () => { if (left-- > 0) await catalog.upsert({ externalId: 'P', [`meta:${left}`]: 1 }) })
  await catalog.import([{ externalId: 'P', tags: ['mine'] }], { collections: always })
  const { tags, metafields } = await catalog.product('P')
  t.strictSame([tags, metafields.length], [['mine'], 10])
})

/** Another writer is always faster with the vendor's product; `isWinning` may end that. */
const beaten = ({ vendorId }: TestCatalog, isWinning = () => true) => withBeforeBulk(collections, async () => {
  if (isWinning()) await collections.products.updateOne({ vendorId }, { $inc: { revision: 1 }, $set: { tags: [randomUUID()] } })
})
/** Notes the pauses, and makes none. */
const restless = (pauses: number[]): Turn => ({ isOver: () => false, giveWay: async () => {}, async pause (ms) { pauses.push(ms) } })

t.test('a writer that never wins leaves the field to others between two rounds, but the first two, and is unavailable at last', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const pauses: number[] = []
  const importing = catalog.import([{ externalId: 'P', categories: ['mine'] }], { collections: beaten(catalog), turn: restless(pauses) })
  await t.rejects(importing, { kind: 'retryable', code: 'SERVICE_UNAVAILABLE' })
  t.equal(pauses.length, 48)
  t.ok(pauses.every((ms) => ms <= 200))
})

t.test('an upsert that never wins is answered as unavailable, within seconds', async (t) => {
  t.intercept(Math, 'random', { value: () => 0 })
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const upsert = createUpsertProducts({ ...collections, ...beaten(catalog) })
  await t.rejects(upsert(catalog.vendorId, [{ externalId: 'P', categories: ['mine'] }]), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('a run that is aborted while it leaves the field to others ends at once', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const abort = new AbortController()
  let races = 0
  const collections = beaten(catalog, () => {
    // The pause comes after the second.
    if (++races === 2) setImmediate(() => { abort.abort(new Error('enough')) })
    return true
  })
  const turn = createTurn(abort.signal)
  const patient: Turn = { ...turn, pause: async () => { await turn.pause(600_000) } }
  await t.rejects(catalog.import([{ externalId: 'P', categories: ['mine'] }], { collections, turn: patient }), { message: 'enough' })
  t.equal(races, 2)
})

t.test('the stats and the errors agree although a lost race has made a bad line good', async (t) => {
  const catalog = testCatalog(parts)
  const { stats, errors } = await catalog.import([line('P'), { externalId: 'P', variants: [{ externalId: 'V' }] }],
    raced(async () => await catalog.upsert({ ...JSON.parse(line('P', { name: 'Theirs' })) as object, variants: [{ externalId: 'V', name: 'V' }] })))
  t.equal(stats.errors, errors.length)
})

t.test('what is wrong with lines is counted once, also where their product has lost its race', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const bad = { externalId: 'P', variants: [{ externalId: 'V' }] }
  // A batch waits for the one before it that holds the same product.
  const { jobId } = await catalog.import([bad, { externalId: 'P', tags: ['mine'] }, bad],
    { maxKeptIssues: 2, batchSize: 2, ...raced(async () => await catalog.upsert({ externalId: 'P', categories: ['theirs'] })) })
  t.equal(await parts.repositories.importIssues.countKept(catalog.vendorId, jobId), 2)
})

t.test('an import whose write was overtaken by others before it was confirmed is not applied a second time', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P'), line('Q')])
  // The bulk fails for Q, so the writer asks whose write P holds; by then an upsert has overtaken it.
  let bulks = 0
  const overtaking = {
    products: withMethod(collections.products, 'bulkWrite', async (...parameters) => {
      if (++bulks > 1) return await collections.products.bulkWrite(...parameters)
      await catalog.upsert({ externalId: 'Q', categories: ['theirs'] })
      const result = await collections.products.bulkWrite(...parameters)
      await catalog.upsert({ externalId: 'P', name: 'Upserted' })
      return result
    })
  }
  const { stats } = await catalog.import([{ externalId: 'P', name: 'From the file' }, { externalId: 'Q', tags: ['mine'] }], { collections: overtaking })
  t.equal((await catalog.product('P')).name, 'Upserted')
  t.match(await catalog.product('Q'), { tags: ['mine'], categories: ['theirs'] })
  t.strictSame(stats, statsOf(0, 2))
})
