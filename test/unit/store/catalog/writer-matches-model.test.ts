/** Random files, fixed seeds: the database holds afterwards what the model (catalog-model) says, whatever the batches. */
import t from 'tap'
import { importModes, type ImportMode } from '../../../../src/domain/import-job.js'
import type { Product } from '../../../../src/domain/product.js'
import { fromDocument } from '../../../../src/store/catalog/product-document.js'
import { testDatabase } from '../../../support/database.js'
import { seededRandom, type SeededRandom } from '../../domain/seeded-random.js'
import { CatalogModel, type ModelProduct } from '../catalog-model.js'
import { statsOf, testCatalog, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
type Json = Record<string, unknown>

function fieldsOf (random: SeededRandom, probability: number, choices: Record<string, readonly unknown[]>): Json {
  return Object.fromEntries(Object.entries(choices).filter(() => random.chance(probability)).map(([field, values]) => [field, random.pick(values)]))
}

const metafields = { 'meta:a': [1, true, 'x', null, ''], 'meta:b': [{ x: [1, null] }, [], 'y', null] }
/** Each image always goes first by the same id; the third has none of its own. */
const images = [['https://cdn.example.com/1.jpg', 'i1'], ['https://cdn.example.com/2.jpg', 'i2'], ['https://cdn.example.com/3.jpg', undefined]] as const

function randomImages (random: SeededRandom): Json[] {
  const image = (url: string, externalId: string | null | undefined): Json => ({ url, ...externalId === undefined ? {} : { externalId } })
  const sent = images.filter(() => random.chance(0.6))
  const duplicates = sent.flatMap(([url], index) => ['d', 'e', null].filter(() => random.chance(0.3)).map((id) => image(url, id === null ? null : `${id}${index}`)))
  return [...random.chance(0.5) ? sent : [...sent].reverse()].map(([url, id]) => image(url, id)).concat(duplicates)
}

function randomVariant (random: SeededRandom): Json {
  return {
    ...random.chance(0.9) ? { externalId: random.pick(['u', 'v', 'w']) } : fieldsOf(random, 0.9, { sku: ['u', 'v'] }),
    ...fieldsOf(random, 0.9, { name: ['Blue', 'Red', 'Blue', 'Red', null] }),
    ...fieldsOf(random, 0.3, {
      inventory: [0, 5, -1, null], quantity: [1, 7, null], imageExternalId: ['i1', 'i2', 'd0', 'd1', 'e0', '64c55532903d4572035471de2d216b7a', null], prices: [[], [{ price: 1, currency: 'USD', compareAtPrice: null }], null], ...metafields
    })
  }
}

function randomLine (random: SeededRandom): Json {
  const complete = random.chance(0.75)
  return {
    externalId: `P${random.below(12)}`,
    ...complete ? { name: random.pick(['x', 'y']), brandName: 'B', externalUrl: 'https://shop.example.com/' } : fieldsOf(random, 0.3, { name: ['z', 'z', null], brandName: ['C'] }),
    ...fieldsOf(random, 0.25, {
      description: ['text', '', null], publishedAt: ['2024-05-01', '2024-05-01T10:00:00+02:00', null], archived: [true, false], categories: [['a'], [], null], tags: [['t'], ['t', 'u'], null, ['t'], ['s'], 'no list'], ...metafields
    }),
    ...random.chance(0.3) ? { images: randomImages(random) } : {},
    ...random.chance(0.5) ? { variants: Array.from({ length: random.below(4) }, () => randomVariant(random)) } : {}
  }
}

const asModel = (product: Product): Omit<ModelProduct, 'aliases'> => ({
  externalId: product.externalId,
  name: product.name,
  brandName: product.brandName,
  externalUrl: product.externalUrl,
  description: product.description,
  publishedAt: product.publishedAt?.toISOString() ?? null,
  archived: product.archived,
  categories: product.categories,
  tags: product.tags,
  images: product.images.map(({ externalId, url }) => ({ externalId, url })),
  variants: product.variants.map(({ externalId, name, sku, inventory, imageExternalId, prices, metafields }) =>
    ({ externalId, name, sku, inventory, imageExternalId, prices, metafields: Object.fromEntries(metafields.map(({ key, value }) => [key, value])) })),
  metafields: Object.fromEntries(product.metafields.map(({ key, value }) => [key, value]))
})

async function stored (catalog: TestCatalog): Promise<Array<[string, unknown]>> {
  const products = await parts.database.collections.products.find({ vendorId: catalog.vendorId }).toArray()
  return products.map((product): [string, unknown] => [product.externalId, asModel(fromDocument(product))]).sort(([a], [b]) => a < b ? -1 : 1)
}

for (const mode of importModes) {
  for (const [seed, batchSize] of [[1, 500], [2, 1], [3, 7], [4, 40], [5, 40]] as const) {
    t.test(`${mode}, seed ${seed}, batches of ${batchSize}`, async (t) => {
      const random = seededRandom(seed)
      const catalog = testCatalog(parts)
      const model = new CatalogModel()
      let earlier: Json[] = []
      for (let file = 0; file < 4; file++) {
        // A file in between of the other mode, and lines of before, word for word.
        const fileMode: ImportMode = file === 2 ? (mode === 'UPDATE' ? 'REPLACE' : 'UPDATE') : mode
        const lines = Array.from({ length: 60 }, () => earlier.length > 0 && random.chance(0.3) ? random.pick(earlier) : randomLine(random))
        const before = { ...model.stats }
        for (const line of lines) model.apply(line, fileMode)
        const { stats, errors } = await catalog.import(lines, { mode: fileMode, batchSize })
        t.strictSame(stats, statsOf(model.stats.created - before.created, model.stats.updated - before.updated, model.stats.skipped - before.skipped), `stats of file ${file}`)
        t.equal(errors.length, stats.errors)
        t.strictSame(await stored(catalog), [...model.products].map(([id, { aliases: _aliases, ...product }]) => [id, product]).sort(([a], [b]) => (a as string) < (b as string) ? -1 : 1), `contents after file ${file}`)
        earlier = lines
      }
      t.ok(model.stats.created > 5 && model.stats.updated > 50 && model.stats.skipped > 5, 'the walk got somewhere')
    })
  }
}
