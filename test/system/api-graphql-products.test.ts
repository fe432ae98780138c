/** Reading and writing products over GraphQL. `upsertProducts` itself is a stand-in here: what it is handed is the point. */
import t from 'tap'
import type { UpsertedProduct } from '../../src/domain/upsert-products.js'
import { newSizeChart } from '../../src/domain/size-chart.js'
import { newTarget } from '../../src/domain/fitment-target.js'
import { productId, variantId, type Product, type Variant } from '../../src/domain/product.js'
import { toDocument, type ProductDocument } from '../../src/store/catalog/product-document.js'
import { testApi } from '../unit/api/test-api.js'
import { testDatabase } from '../support/database.js'
import { storeLocation } from '../support/store-location.js'

const { database, repositories } = await testDatabase(t)
let handed: Array<Record<string, unknown>> = []
const calls = { fitmentTargets: 0, sizeCharts: 0, storeLocations: 0, count: 0 }
const { links, products } = repositories
const api = await testApi(t, {
  repositories: (keys) => ({
    ...repositories,
    vendors: keys.vendors,
    integrationApiKeys: keys.integrationApiKeys,
    products: { ...products, count: async (...args) => { calls.count++; return await products.count(...args) } },
    links: {
      ...links,
      fitmentTargets: async (...args) => { calls.fitmentTargets++; return await links.fitmentTargets(...args) },
      sizeCharts: async (...args) => { calls.sizeCharts++; return await links.sizeCharts(...args) },
      storeLocations: async (...args) => { calls.storeLocations++; return await links.storeLocations(...args) }
    }
  }),
  dependencies: {
    upsertProducts: async (vendorId, lines) => {
      handed = lines
      return lines.map((line): UpsertedProduct => line['name'] === undefined
        ? { faults: [{ code: 'required', path: 'name' }, { code: 'unknown-currency', path: 'variants[2].prices[0].currency' }] }
        : { product: product(vendorId, String(line['externalId'])) })
    }
  }
})
const key = await api.keyOf('shop')

function variant (product: string, externalId: string, more: Partial<Variant> = {}): Variant {
  return {
    id: variantId(product, externalId),
    externalId,
    name: 'M',
    sku: null,
    upc: null,
    imageExternalId: null,
    inventory: null,
    locationQuantities: [],
    inventoryPolicy: null,
    prices: [],
    fitmentTargetIds: [],
    sizeChartId: null,
    metafields: [],
    ...more
  }
}

function product (vendorId: string, externalId: string, more: Partial<Product> = {}): Product {
  const at = new Date('2026-01-02T03:04:05.678Z')
  return {
    _id: productId(vendorId, externalId),
    vendorId,
    externalId,
    name: externalId,
    brandName: 'Brand',
    externalUrl: 'https://shop.test/p',
    description: null,
    publishedAt: null,
    archived: false,
    images: [],
    imageAliases: [],
    variants: [],
    categories: [],
    tags: [],
    fitmentTargetIds: [],
    sizeChartId: null,
    metafields: [],
    revision: 1,
    writeId: 'w',
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    writtenBy: null,
    upsertedDuring: null,
    archivedByJobId: null,
    patchHash: null,
    size: 0,
    ...more
  }
}

function document (...of: Parameters<typeof product>): ProductDocument {
  const made = product(...of)
  return toDocument(made, made)
}

const upsert = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "shop", products: $products) { id externalId name visibility createdAt } }'

t.test('an invalid product is null, with an error at its index', async (t) => {
  const { status, data, errors } = await api.graphql(key, upsert, {
    products: [{ externalId: 'a', name: 'A' }, { externalId: 'b' }, { externalId: 'c', name: 'C' }]
  })
  t.equal(status, 200)
  t.match(data.upsertProducts, [{ externalId: 'a', visibility: 'DRAFT', createdAt: '2026-01-02T03:04:05.678Z' }, null, { externalId: 'c' }])
  t.equal(errors?.length, 1)
  t.strictSame(errors?.[0]?.path, ['upsertProducts', 1])
  t.equal(errors?.[0]?.extensions.code, 'BAD_USER_INPUT')
  t.equal(errors?.[0]?.message, 'Missing required field: name; variants[2].prices[0].currency must be an ISO 4217 currency code')
})

t.test('a product is handed on as the line of a file would say it', async (t) => {
  const metafields = [{ key: 'a', value: '1' }, { key: '__proto__', value: 'x' }, { key: 'a', value: '2' }]
  await api.graphql(key, upsert, {
    products: [{
      externalId: 'a', name: 'A', publishedAt: '2026-01-01T00:00:00+02:00', description: null, metafields, variants: [{ sku: 's', quantity: 3, metafields }]
    }]
  })
  t.strictSame(handed, [{
    externalId: 'a',
    name: 'A',
    publishedAt: '2026-01-01T00:00:00+02:00',
    description: null,
    'meta:a': '2',
    'meta:__proto__': 'x',
    variants: [{ sku: 's', quantity: 3, 'meta:a': '2', 'meta:__proto__': 'x' }]
  }])
})

t.test('what the schema forbids never reaches the import', async (t) => {
  handed = []
  for (const wrong of [{ name: 'no id' }, { externalId: 'a', publishedAt: 'tomorrow' }, { externalId: 'a', publishedAt: '2026-02-30T00:00:00Z' }, { externalId: 'a', archived: 'yes' }]) {
    t.equal((await api.graphql(key, upsert, { products: [wrong] })).status, 400)
  }
  t.strictSame(handed, [])
})

t.test('5,001 products are refused as a whole', async (t) => {
  handed = []
  const { data, errors } = await api.graphql(key, upsert, { products: Array.from({ length: 5_001 }, (_, n) => ({ externalId: `p${n}` })) })
  t.equal(data, null)
  t.match(errors, [{ path: ['upsertProducts'], extensions: { code: 'BAD_USER_INPUT' } }])
  t.strictSame(handed, [])
})

t.test('products of another vendor cannot be written', async (t) => {
  const { errors } = await api.graphql(await api.keyOf('other'), upsert, { products: [{ externalId: 'a' }] })
  t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }])
})

t.test('links are read once for all rows', async (t) => {
  const { collections } = database
  const vendorId = 'shop'
  const { _id: facetId } = await repositories.fitmentFacets.create(vendorId, { name: 'Year', slug: 'year', position: 0 })
  await collections.fitmentTargets.insertMany(['t1', 't2'].map((_id, order) => (
    { ...newTarget(vendorId, order, { externalId: `x${_id}`, facetValues: [{ facetId, value: '2019' }] }), _id })))
  await collections.sizeCharts.insertOne({
    ...newSizeChart(vendorId, { externalId: 'chart', name: 'Chart', origin: { body: '|S|' } }, new Date()), _id: 'c1'
  })
  await collections.storeLocations.insertOne({ _id: 'l1', vendorId, ...storeLocation('NYC', { name: 'New York' }) })
  await collections.products.insertMany(['p1', 'p2', 'p3'].map((externalId) => document(vendorId, externalId, {
    fitmentTargetIds: ['t1'],
    sizeChartId: 'c1',
    images: [{ externalId: 'front', url: 'https://shop.test/i', position: null }],
    publishedAt: new Date(0),
    variants: ['v1', 'v2'].map((id) => variant(externalId, id, {
      fitmentTargetIds: ['t2', 't1', 'gone'], imageExternalId: 'front', locationQuantities: [{ locationId: 'l1', quantity: 4 }, { locationId: 'gone', quantity: 1 }]
    }))
  })))
  Object.assign(calls, { fitmentTargets: 0, sizeCharts: 0, storeLocations: 0 })
  const { data, errors } = await api.graphql(key, `{ products { hasNextPage nodes { externalId visibility fitmentTargets { id } sizeChart { name source }
    variants { image { url } sizeChart { id } fitmentTargets { externalId facetValues } inventoryByLocation { quantity storeLocation { storeCode } } } } } }`)
  t.equal(errors, undefined)
  t.equal(data.products.nodes.length, 3)
  t.strictSame(data.products.nodes[2], {
    externalId: 'p3',
    visibility: 'PUBLISHED',
    fitmentTargets: [{ id: 't1' }],
    sizeChart: { name: 'Chart', source: 'MARKDOWN' },
    variants: Array.from({ length: 2 }, () => ({
      image: { url: 'https://shop.test/i' },
      sizeChart: null,
      fitmentTargets: [{ externalId: 'xt2', facetValues: { year: '2019' } }, { externalId: 'xt1', facetValues: { year: '2019' } }],
      inventoryByLocation: [{ quantity: 4, storeLocation: { storeCode: 'NYC' } }]
    }))
  })
  t.ok(calls.fitmentTargets <= 2 && calls.sizeCharts <= 2 && calls.storeLocations === 1, JSON.stringify(calls))
})

t.test('a list is narrowed down by visibility, by what can be bought, and by a store', async (t) => {
  const store = await repositories.storeLocations.create('sifted', storeLocation('S'))
  await repositories.storeLocations.create('sifted', storeLocation('closed', { isActive: false }))
  const stocked = (externalId: string, quantity: number) => ({ variants: [variant(externalId, 'V', { inventory: quantity, inventoryPolicy: 'DENY', locationQuantities: [{ locationId: store._id, quantity }] })] })
  const past = new Date('2020-01-01')
  await database.collections.products.insertMany([
    document('sifted', 'draft', stocked('draft', 3)), document('sifted', 'published', { publishedAt: past }), document('sifted', 'sold-out', { publishedAt: past, ...stocked('sold-out', 0) }),
    document('sifted', 'scheduled', { publishedAt: new Date('2999-01-01') }), document('sifted', 'archived', { publishedAt: past, archived: true })
  ])
  const sifted = await api.keyOf('sifted')
  const ask = async (args: string) => await api.graphql(sifted, `{ products(${args}) { totalCount hasNextPage nodes { externalId } } }`)
  for (const [args, expected] of [
    ['visibility: DRAFT', ['draft']], ['visibility: SCHEDULED', ['scheduled']], ['visibility: PUBLISHED', ['published', 'sold-out']], ['visibility: ARCHIVED', ['archived']],
    ['visibility: PUBLISHED, inStock: true', ['published']], ['storeCode: "S"', ['draft']], ['storeCode: "S", visibility: PUBLISHED', []], ['storeCode: "closed"', []],
    ['visibility: DRAFT, archived: false', ['draft']]
  ] as const) {
    const { data, errors } = await ask(args)
    t.equal(errors, undefined, args)
    t.strictSame(data.products, { totalCount: expected.length, hasNextPage: false, nodes: expected.map((externalId) => ({ externalId })) }, args)
  }
  t.match((await ask('visibility: DRAFT, archived: true')).errors, [{ message: /contradicts/, extensions: { code: 'BAD_USER_INPUT' } }])
  t.match((await ask('storeCode: "none"')).errors, [{ extensions: { code: 'NOT_FOUND' } }])
})

t.test('pages follow each other, live products before archived ones', async (t) => {
  const pages = await api.keyOf('pages')
  const targeted = { fitmentTargetIds: ['t1'] }
  await database.collections.products.insertMany([
    document('pages', 'b', targeted), document('pages', 'a', { archived: true }), document('pages', 'c'), document('pages', 'd', { archived: true, ...targeted }),
    document('pages', 'e', targeted), document('pages', 'f')
  ])
  const seen: string[] = []
  let cursor: string | null = null
  for (let more = true; more;) {
    const { data } = await api.graphql(pages, 'query ($cursor: String) { products(first: 1, cursor: $cursor) { totalCount hasNextPage endCursor nodes { externalId } } }', { cursor })
    seen.push(data.products.nodes[0].externalId as string)
    t.equal(data.products.totalCount, 6)
    cursor = data.products.endCursor as string
    more = data.products.hasNextPage as boolean
  }
  t.strictSame(seen, ['b', 'c', 'e', 'f', 'a', 'd'])
})

t.test('the total is counted only when it is asked for', async (t) => {
  calls.count = 0
  await api.graphql(key, '{ products { nodes { id } } }')
  t.equal(calls.count, 0)
  await api.graphql(key, '{ products(archived: true) { totalCount } }')
  t.equal(calls.count, 1)
})

const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const cursors = [
  '', 'x', 'null', forge(null), forge({}), forge({ archived: 'no', externalId: 'a' }), forge({ archived: false, externalId: { $gt: '' } }),
  forge({ archived: false, externalId: 'a', more: 1 }), `${forge({ archived: false, externalId: 'a' })}=`, 'A'.repeat(5_000), forge({ jobId: '00000000-0000-0000-0000-000000000000' })
]
for (const field of ['products', 'productImportJobs']) {
  t.test(`${field}: forged cursors and sizes out of range are refused`, async (t) => {
    for (const cursor of cursors) {
      const { errors } = await api.graphql(key, `query ($cursor: String) { ${field}(cursor: $cursor) { hasNextPage } }`, { cursor })
      t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'cursor' } }], cursor)
    }
    for (const first of [0, -1, 201, 2_147_483_647]) {
      const { errors } = await api.graphql(key, `query ($first: Int) { ${field}(first: $first) { hasNextPage } }`, { first })
      t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'first' } }], String(first))
    }
  })
}

t.test('aliases do not multiply what one request may read', async (t) => {
  const { errors } = await api.graphql(key, `{ ${Array.from({ length: 11 }, (_, n) => `a${n}: products(first: 200) { hasNextPage }`).join(' ')} }`)
  t.match(errors, [{ message: /at most 2000/, extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('aliases do not multiply what one request may write', async (t) => {
  const products = Array.from({ length: 4_000 }, (_, n) => ({ externalId: `p${n}`, name: 'n' }))
  const { data, errors } = await api.graphql(key, `mutation ($p: [UpsertProductInput!]!) {
    ${['a', 'b', 'c'].map((alias) => `${alias}: upsertProducts(vendorId: "shop", products: $p) { id }`).join(' ')} }`, { p: products })
  t.equal(data, null)
  t.match(errors, [{ path: ['c'], extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('a product of another vendor is null', async (t) => {
  const { data } = await api.graphql(await api.keyOf('other'), '{ product(externalId: "p1") { id } }')
  t.strictSame(data, { product: null })
})
