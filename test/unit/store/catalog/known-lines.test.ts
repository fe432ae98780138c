/** Files sent again, over the real database: lines that are known count and change nothing, and the order of lines holds. */
import t from 'tap'
import { importModes } from '../../../../src/domain/import-job.js'
import { createUnchangedAmong } from '../../../../src/store/catalog/known-lines.js'
import { testDatabase } from '../../../support/database.js'
import { line, lines } from '../../../support/product-lines.js'
import { seededRandom } from '../../domain/seeded-random.js'
import { statsOf, testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { products } = parts.database.collections

t.test('a file sent again counts every line as updated, names its products, and writes nothing', async (t) => {
  const catalog = testCatalog(parts)
  const file = lines(30)
  await catalog.import(file, { mode: 'REPLACE' })
  const before = await products.find({ vendorId: catalog.vendorId }).toArray()
  const { stats, live } = await catalog.import(file, { mode: 'REPLACE', batchSize: 7 })
  t.strictSame(stats, statsOf(0, 30))
  t.equal(live?.size, 30)
  t.equal(live?.unnamed, 0)
  t.strictSame(await products.find({ vendorId: catalog.vendorId }).toArray(), before)
})

t.test('the same text says something else in the other mode', async (t) => {
  const catalog = testCatalog(parts)
  const file = [line('P', { variants: [{ externalId: 'v', name: 'Blue' }] })]
  await catalog.import(file, { mode: 'UPDATE' })
  await catalog.import([{ externalId: 'P', variants: [{ externalId: 'w', name: 'Red' }] }], { mode: 'UPDATE' })
  await catalog.import(file, { mode: 'UPDATE' })
  t.equal((await catalog.product('P')).variants.length, 2)
  await catalog.import(file, { mode: 'REPLACE' })
  t.equal((await catalog.product('P')).variants.length, 1)
})

t.test('what upsertProducts has changed since is not taken for known', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  await catalog.upsert({ externalId: 'P', name: 'Upserted' })
  t.strictSame((await catalog.import([line('P')])).stats, statsOf(0, 1))
  t.match(await catalog.product('P'), { name: 'Product P' })
})

t.test('a line that links is resolved again: its target may have come meanwhile', async (t) => {
  const catalog = testCatalog(parts)
  const file = [line('P', { sizeChartExternalId: 'chart' })]
  for (let run = 0; run < 2; run++) {
    const { warnings } = await catalog.import(file)
    t.equal(warnings.length, 1)
  }
})

t.test('what a few lines say is not asked for: to read them takes no longer', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  const unchangedAmong = createUnchangedAmong(parts.database.collections, catalog.vendorId, 'UPDATE')
  const known = ['P', line('P')] as const
  t.equal((await unchangedAmong(new Map([known]))).size, 0)
  t.strictSame(await unchangedAmong(new Map([known, ['Q', 'q'.repeat(32 * 1024)]])), new Set(['P']))
})

t.test('it is said that all are new where none of them has a product, and not where one has', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P')])
  let allNew = 0
  const unchangedAmong = createUnchangedAmong(parts.database.collections, catalog.vendorId, 'UPDATE', { onAllNew: () => { allNew++ }, worthAsking: 0 })
  await unchangedAmong(new Map([['P', line('P', { name: 'Another' })], ['Q', line('Q')]]))
  t.equal(allNew, 0)
  await unchangedAmong(new Map([['Q', line('Q')], ['R', line('R')]]))
  t.equal(allNew, 1)
})

t.test('a known line of another vendor is not known here', async (t) => {
  await testCatalog(parts).import([line('P')])
  const catalog = testCatalog(parts)
  t.strictSame((await catalog.import([line('P')])).stats, statsOf(1, 0))
})

for (const mode of importModes) {
  for (let seed = 0; seed < 6; seed++) {
    t.test(`${mode}, seed ${seed}: known and new lines in any order and batches end as if applied one by one`, async (t) => {
      const random = seededRandom(seed)
      const catalog = testCatalog(parts)
      const last = new Map<string, string>()
      for (let file = 0; file < 4; file++) {
        // Few products and few names, so that most lines were seen before, and many are of the same product as the line before.
        const sent = Array.from({ length: 60 }, () => ({ id: `P${random.below(9)}`, name: `name ${random.below(2)}` }))
        const { stats } = await catalog.import(
          sent.map(({ id, name }) => line(id, random.chance(0.1) ? { name, variants: [{ externalId: `${id}-v`, name: 'v' }] } : { name })),
          { mode, batchSize: random.pick([1, 2, 3, 5, 8, 60]) }
        )
        const created = new Set(sent.map(({ id }) => id).filter((id) => !last.has(id))).size
        t.strictSame(stats, statsOf(created, sent.length - created))
        for (const { id, name } of sent) last.set(id, name)
        const names = (await products.find({ vendorId: catalog.vendorId }).toArray()).map(({ externalId, name }) => [externalId, name])
        t.strictSame(new Map(names.sort() as Array<[string, string]>), new Map(Array.from(last).sort()))
      }
    })
  }
}
