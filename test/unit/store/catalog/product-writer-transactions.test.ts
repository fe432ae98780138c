/** Whether bulks are made in transactions, in none, or each fails: lines come to the same, and so does what is counted of them. */
import t, { type Test } from 'tap'
import { createRepositories } from '../../../../src/store/repositories.js'
import { testDatabase } from '../../../support/database.js'
import { openDatabaseWith, transactionKinds, type TransactionKind } from '../../../support/transactions.js'
import { statsOf, testCatalog, withBeforeBulk, type TestCatalog } from '../test-catalog.js'

const { url } = await testDatabase(t)

function catalogOn (t: Test, kind: TransactionKind) {
  const database = openDatabaseWith(kind, url, 'catalog-test')
  t.teardown(database.close)
  return { collections: database.collections, catalog: testCatalog({ database, repositories: createRepositories(database) }, `vendor-${kind.replaceAll(' ', '-')}`) }
}

const count = 30
const ids = Array.from({ length: count }, (_, index) => `P-${index}`)
const full = ids.map((externalId) => ({
  externalId, name: `Pack ${externalId}`, brandName: 'Northwind', externalUrl: 'https://shop.example.com/p', variants: ['S', 'M'].map((name) => ({ externalId: name, name, inventory: 1 }))
}))
const deltaOf = (inventory: number): unknown[] => ids.map((externalId) => ({ externalId, variants: [{ externalId: 'M', inventory }] }))
const quantities = async (catalog: TestCatalog): Promise<unknown[]> =>
  await Promise.all(ids.map(async (id) => (await catalog.product(id)).variants.map(({ inventory }) => inventory)))

for (const kind of transactionKinds) {
  t.test(`transactions ${kind}: a delta changes what it names`, async (t) => {
    const { catalog } = catalogOn(t, kind)
    t.strictSame((await catalog.import(full)).stats, statsOf(count, 0))
    const { stats } = await catalog.import([...deltaOf(5), ...deltaOf(6).slice(0, 10), { externalId: 'P-0', name: 'Renamed', variants: [{ externalId: 'none' }] }, { externalId: 'new' }])
    t.strictSame(stats, statsOf(0, count + 10, 2))
    t.strictSame(await quantities(catalog), ids.map((_, index) => [1, index < 10 ? 6 : 5]))
    t.equal((await catalog.product('P-0')).revision, 2, 'lines of one product are folded first')
    t.strictSame((await catalog.import(deltaOf(5).slice(10))).stats, statsOf(0, count - 10))
    t.equal((await catalog.product('P-29')).revision, 2, 'what changes nothing is not written')
  })

  t.test(`transactions ${kind}: who loses a race merges again, and overwrites nothing`, async (t) => {
    const { catalog, collections } = catalogOn(t, kind)
    await catalog.import(full)
    let raced = false
    const racing = withBeforeBulk(collections, async () => {
      if (raced) return
      raced = true
      await catalog.upsert({ externalId: 'P-3', brandName: 'Southwind' }, { externalId: 'P-4', variants: [{ externalId: 'S', inventory: 9 }] })
    })
    t.strictSame((await catalog.import(deltaOf(7), { collections: { ...collections, ...racing } })).stats, statsOf(0, count))
    t.strictSame([(await catalog.product('P-3')).brandName, (await catalog.product('P-4')).variants[0]?.inventory], ['Southwind', 9])
    t.ok((await quantities(catalog)).every((pair) => (pair as number[])[1] === 7))
  })

  t.test(`transactions ${kind}: several writers of the same products lose nothing of each other`, async (t) => {
    const { catalog } = catalogOn(t, kind)
    await catalog.import(full)
    await Promise.all(['S', 'M'].map(async (variant) => {
      for (const inventory of [11, 12, 13]) await catalog.import(ids.map((externalId) => ({ externalId, variants: [{ externalId: variant, inventory }] })))
    }))
    t.strictSame(await quantities(catalog), ids.map(() => [13, 13]))
  })
}
