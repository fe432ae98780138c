/** Products are read once, as little of them as their lines need; whatever happens meanwhile, nothing is lost and nothing is applied twice. */
import type { Filter, FindOptions } from 'mongodb'
import t from 'tap'
import { markLine, productId, type Product } from '../../../../src/domain/product.js'
import { ActiveLocations } from '../../../../src/domain/stock.js'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { createProductWriter, type ProductWriterOptions } from '../../../../src/store/catalog/product-writer.js'
import type { WritableLine } from '../../../../src/store/catalog/writable-line.js'
import type { Collections } from '../../../../src/store/database/connection.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { withMethod } from '../../../support/with-method.js'
import { patchOf, variantPatch } from '../../domain/mergeable-patch.js'
import { statsOf, testCatalog, withBeforeBulk, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

type Json = Record<string, unknown>
const withVariants = (id: string, more: Json = {}): string => line(id, { variants: ['S', 'M'].map((name) => ({ externalId: name, name, inventory: 1 })), ...more })
const quantity = (externalId: string, inventory: number, more: Json = {}): Json => ({ externalId, variants: [{ externalId: 'M', inventory, ...more }] })
const inventories = ({ variants }: Product): Array<number | null> => variants.map(({ inventory }) => inventory)

/** What is asked of products, by what it asks for. */
function asked (): { collections: Pick<Collections, 'products'>, queries: string[] } {
  const queries: string[] = []
  const products = onFind((filter, { projection }) => {
    queries.push('size' in filter ? 'small ones' : projection === undefined ? 'whole ones' : Object.keys(projection).length > 1 ? 'heads' : 'digests')
  })
  return { collections: { products }, queries }
}

function onFind (listen: (filter: Json, options: { projection?: Json }) => void): Collections['products'] {
  const find = ((filter: Filter<ProductDocument>, options: FindOptions = {}) => {
    listen(filter, options)
    return collections.products.find(filter, options)
  }) as Collections['products']['find']
  return withMethod(collections.products, 'find', find)
}

async function catalogOf (...ids: string[]): Promise<TestCatalog> {
  const catalog = testCatalog(parts)
  await catalog.import(ids.map((id) => withVariants(id)))
  return catalog
}

t.test('lines that change small products read them once', async (t) => {
  const catalog = await catalogOf('P', 'Q')
  const { collections, queries } = asked()
  const { stats } = await catalog.import([quantity('P', 7), { externalId: 'Q', tags: ['a'] }], { collections })
  t.strictSame(stats, statsOf(0, 2))
  t.strictSame(queries, ['digests', 'small ones'])
  t.strictSame(inventories(await catalog.product('P')), [1, 7])
})

t.test('a large one is read after its head', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([withVariants('P'), withVariants('Q', { description: 'x'.repeat(10_000) })])
  const { collections, queries } = asked()
  const { stats } = await catalog.import([quantity('P', 7), quantity('Q', 8)], { collections })
  t.strictSame(stats, statsOf(0, 2))
  t.strictSame(queries, ['digests', 'small ones', 'heads', 'whole ones'])
  t.strictSame(inventories(await catalog.product('Q')), [1, 8])
})

t.test('where the last batch was settled by heads, heads are what is asked for, and products again as soon as lines change them', async (t) => {
  const catalog = testCatalog(parts)
  const linked = (id: string, more: Json = {}): string => withVariants(id, { fitmentTargetExternalIds: [], ...more })
  const ids = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L']
  await catalog.import(ids.map((id) => linked(id)))
  const { collections, queries } = asked()
  const { stats } = await catalog.import(ids.map((id, index) => index < 6 ? linked(id) : linked(id, { tags: ['new'] })), { batchSize: 1, collections })
  t.strictSame(stats, statsOf(0, ids.length))
  const looks = queries.filter((query) => query !== 'digests')
  t.ok(looks.includes('heads'), looks.join())
  t.equal(looks[0], 'small ones')
  t.equal(looks.at(-1), 'small ones')
  for (const id of ids.slice(6)) t.match(await catalog.product(id), { tags: ['new'] })
})

t.test('an unknown variant without a name is refused, and the line with it; with a name it is added', async (t) => {
  const catalog = await catalogOf('P', 'Q')
  const { errors, stats } = await catalog.import([
    { externalId: 'P', variants: [{ externalId: 'M', inventory: 9 }, { externalId: 'XL', inventory: 2 }] },
    { externalId: 'Q', variants: [{ externalId: 'M', inventory: 9 }, { externalId: 'XL', name: 'XL', inventory: 2 }] }
  ])
  t.strictSame(errors, ['1: Missing required field: variants[1].name'])
  t.strictSame(stats, statsOf(0, 1, 1))
  t.strictSame(inventories(await catalog.product('P')), [1, 1])
  t.strictSame(inventories(await catalog.product('Q')), [1, 9, 2])
})

for (const [what, lines] of [
  ['a narrow line, then a wide one', [quantity('P', 7), { externalId: 'P', name: 'Another', tags: ['t'] }]],
  ['a wide line, then a narrow one', [{ externalId: 'P', name: 'Another', tags: ['t'] }, quantity('P', 7)]]
] as const) {
  t.test(`${what}, of one product in one batch: both apply, in one write`, async (t) => {
    const catalog = await catalogOf('P')
    const { stats } = await catalog.import([...lines])
    t.strictSame(stats, statsOf(0, 2))
    const product = await catalog.product('P')
    t.match(product, { name: 'Another', tags: ['t'], revision: 2 })
    t.strictSame(inventories(product), [1, 7])
  })
}

t.test('two narrow lines of one product apply in their order', async (t) => {
  const catalog = await catalogOf('P')
  await catalog.import([quantity('P', 7), quantity('P', 8)])
  const product = await catalog.product('P')
  t.strictSame(inventories(product), [1, 8])
  t.match(product, { revision: 2 })
})

t.test('what a narrow line gives applies on top of what others have changed between its read and its write', async (t) => {
  const catalog = await catalogOf('P', 'Q')
  let pending = true
  const raced = withBeforeBulk(collections, async () => {
    if (!pending) return
    pending = false
    // Other variants, in another order: the places of before are no longer theirs.
    await catalog.import([{ externalId: 'P', name: 'n', brandName: 'b', externalUrl: 'https://shop.example.com/', variants: [{ externalId: 'M', name: 'M', inventory: 3 }, { externalId: 'S', name: 'S', inventory: 4 }] }, withVariants('Q')], { mode: 'REPLACE' })
  })
  const { stats } = await catalog.import([quantity('P', 7), quantity('Q', 7)], { collections: raced })
  t.strictSame(stats, statsOf(0, 2))
  const { variants } = await catalog.product('P')
  t.strictSame(variants.map(({ externalId, inventory }) => [externalId, inventory]), [['M', 7], ['S', 4]])
})

t.test('a product that is archived between its read and its write stays so, with the quantity', async (t) => {
  const catalog = await catalogOf('P')
  let pending = true
  const raced = withBeforeBulk(collections, async () => {
    if (!pending) return
    pending = false
    await catalog.upsert({ externalId: 'P', archived: true })
  })
  t.strictSame((await catalog.import([quantity('P', 7)], { collections: raced })).stats, statsOf(0, 1))
  const product = await catalog.product('P')
  t.match(product, { archived: true, revision: 3 })
  t.strictSame(inventories(product), [1, 7])
})

t.test('a narrow line after which nothing can be bought says so, and takes it back', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P', { variants: [{ externalId: 'M', name: 'M', inventory: 1 }] })])
  const soldOut = async (): Promise<unknown> => (await collections.products.findOne({ _id: productId(catalog.vendorId, 'P') }))?.soldOut
  await catalog.import([quantity('P', 0)])
  t.equal(await soldOut(), true)
  await catalog.import([quantity('P', 2)])
  t.equal(await soldOut(), undefined)
})

t.test('a size that narrow lines have kept is what the whole would be measured as', async (t) => {
  const catalog = await catalogOf('P')
  await catalog.import([{ externalId: 'P', tags: ['measured'] }])
  const { size } = await catalog.product('P')
  const dear = [{ price: 10, currency: 'EUR' }, { price: 12, currency: 'USD', compareAtPrice: 14 }]
  await catalog.import([quantity('P', 5, { prices: dear, sku: 'longer than before' })])
  t.ok((await catalog.product('P')).size > size)
  await catalog.import([quantity('P', 5, { prices: null, sku: null })])
  t.equal((await catalog.product('P')).size, size)
})

t.test('a run of a job after one that was lost applies no narrow line twice', async (t) => {
  const catalog = await catalogOf('P', 'Q')
  const lines = [quantity('P', 7), quantity('Q', 7)]
  const { jobId } = await catalog.import(lines, { jobId: 'lost', batchSize: 1, lostAfter: 1 })
  await catalog.upsert(quantity('P', 20))
  const { stats } = await catalog.import(lines, { jobId, attempt: 2 })
  t.strictSame(stats, statsOf(0, 2))
  t.strictSame(inventories(await catalog.product('P')), [1, 20], 'what was sold since is not undone')
  t.strictSame(inventories(await catalog.product('Q')), [1, 7])
})

/** A writer by itself, and a line for it. */
const writer = (vendorId: string, more: Partial<ProductWriterOptions>): ReturnType<typeof createProductWriter> => createProductWriter(collections, { vendorId, mode: 'UPDATE', jobId: 'j', ...more })
const writable = (vendorId: string, externalId: string, more: Partial<WritableLine> = {}): WritableLine => ({
  position: { file: 0, line: 1 }, externalId, productId: productId(vendorId, externalId), patch: patchOf({ variants: [variantPatch('M', { inventory: 7 })] }), digest: `d-${externalId}`, characters: 60, faults: [], warnings: [], ...more
})

t.test('a worker that has lost its job writes nothing of what it has read', async (t) => {
  const catalog = await catalogOf('P', 'Q')
  const fenced = writer(catalog.vendorId, { fence: async () => { throw new Error('another worker has taken this import over') } })
  await t.rejects(fenced.write([writable(catalog.vendorId, 'P'), writable(catalog.vendorId, 'Q')]), /taken this import over/)
  for (const id of ['P', 'Q']) t.match(await catalog.product(id), { revision: 1 })
})

t.test('the fence is asked after products were read, and before they are written', async (t) => {
  const catalog = await catalogOf('P')
  const order: string[] = []
  const { products } = withBeforeBulk({ ...collections, products: onFind(() => { order.push('read') }) }, async () => { order.push('write') })
  const own = createProductWriter({ products }, { vendorId: catalog.vendorId, mode: 'UPDATE', jobId: 'j', fence: async () => { order.push('fence') } })
  await own.write([writable(catalog.vendorId, 'P')])
  t.strictSame(order, ['read', 'fence', 'write'])
  t.match(await catalog.product('P'), { writtenBy: markLine('j', { file: 0, line: 1 }) })
})

t.test('a product that would pass its bound of bytes by a narrow line is refused, as by any', async (t) => {
  const catalog = await catalogOf('P')
  const bounds = { variants: 10, images: 10, tags: 10, metafields: 10, fitmentTargets: 10, locations: 10, storedBytes: 200 }
  const line = writable(catalog.vendorId, 'P', { patch: patchOf({ variants: [variantPatch('M', { sku: 'x'.repeat(255) })] }) })
  const told = new Set<string>()
  await writer(catalog.vendorId, { bounds }).write([line], ({ faults }, outcome) => { told.add(`${outcome} ${faults.map(({ code }) => code).join()}`) })
  t.strictSame([...told], ['skipped product-too-large'])
  t.match(await catalog.product('P'), { revision: 1 })
})

t.test('more locations in stock than a variant may have are refused, as by any line', async (t) => {
  const catalog = await catalogOf('P')
  const bounds = { variants: 10, images: 10, tags: 10, metafields: 10, fitmentTargets: 10, locations: 1, storedBytes: 1e6 }
  const active = new ActiveLocations(['a', 'b'], ['a', 'b'])
  const line = writable(catalog.vendorId, 'P', { patch: patchOf({ variants: [variantPatch('M', { stock: { active, units: new Map([['a', 1], ['b', 1]]) } })] }) })
  const told = new Set<string>()
  await writer(catalog.vendorId, { bounds }).write([line], ({ faults }, outcome) => { told.add(`${outcome} ${faults.map(({ code }) => code).join()}`) })
  t.strictSame([...told], ['skipped too-many-merged'])
  t.match(await catalog.product('P'), { revision: 1 })
})
