/** searchProducts as a shopper meets it: texts with slips, beginnings, plurals and compounds, filters, and counts by brand and tag. */
import t from 'tap'
import { line } from '../support/product-lines.js'
import { testApi } from '../unit/api/test-api.js'
import { testCatalog } from '../unit/store/test-catalog.js'

const api = await testApi(t)

type Answer = Awaited<ReturnType<typeof api.graphql>>
type Fields = Record<string, unknown>

let shops = 0

async function shop (products: Record<string, Fields>) {
  const vendorId = `search-${++shops}`
  const key = await api.keyOf(vendorId, [])
  const catalog = testCatalog(api, vendorId)
  await catalog.import(Object.entries(products).map(([externalId, fields]) => line(externalId, { publishedAt: '2020-01-01', ...fields })))
  const searchWith = (key: string) => async (input: object): Promise<Answer> => await api.graphql(key, `query ($input: SearchProductsInput!) { searchProducts(input: $input) {
    totalCount hasNextPage endCursor nodes { externalId } facets { brands { value count } tags { value count } } } }`, { input: { vendorId, ...input } })
  const search = searchWith(key)
  return {
    search,
    /** With the permission that a vendor's own people have. */
    manage: searchWith(await api.keyOf(vendorId, ['PRODUCT_MANAGE'])),
    catalog,
    find: async (text: string, input: object = {}): Promise<string[]> => {
      const { data, errors } = await search({ text, ...input })
      if (errors !== undefined) throw new Error(JSON.stringify(errors))
      return (data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
    }
  }
}

const jewellery = {
  earring: { name: 'Pearl Earrings', tags: ['jewellery'] },
  necklace: { name: 'Gold Necklace', tags: ['jewellery', 'gift'] },
  chain: { name: 'Silver Chain' },
  table: { name: 'Wood Bedside Table' },
  shelf: { name: 'Wood Shelf', description: 'Goes well with a lamp.' }
}

t.test('what is typed with a slip, or not to its end, is found', async (t) => {
  const { find } = await shop(jewellery)
  for (const [text, found] of [
    ['earings', 'earring'], ['necklac', 'necklace'], ['neckalce', 'necklace'], ['gold neklaces', 'necklace'], ['GOLD NECKLACE', 'necklace'], ['silber chian', 'chain'], ['pearl ear rings', 'earring'], ['sh', 'shelf']
  ] as const) t.equal((await find(text))[0], found, text)
})

t.test('a beginning is looked for while typing alone', async (t) => {
  const { find } = await shop(jewellery)
  t.strictSame(await find('neck'), ['necklace'], 'of one word by default')
  t.strictSame(await find('neck', { prefix: false }), [])
  t.strictSame(await find('gold neck'), [], 'of several when it is asked for')
  t.strictSame(await find('gold neck', { prefix: true }), ['necklace'])
})

t.test('where no lamp is, wood is no answer, nor is what goes well with one; where one is, it comes first', async (t) => {
  t.strictSame(await (await shop(jewellery)).find('wood lamp'), [])
  const { find } = await shop({ ...jewellery, brass: { name: 'Brass Lamp' } })
  t.equal((await find('wood lamp'))[0], 'brass')
  const found = await (await shop({ ...jewellery, brass: { name: 'Brass Lamp' }, wooden: { name: 'Lamp made of Wood' } })).find('wood lamp')
  t.strictSame(found.slice(0, 2), ['wooden', 'brass'])
})

t.test('plurals and compounds are those of the catalog\'s language', async (t) => {
  const { find } = await shop({
    kette: { name: 'Goldkette mit Anhänger' }, ring: { name: 'Ring aus Silber' }, buch: { name: 'Bücher für Kinder' }, gold: { name: 'Kette aus Gold' }, schrank: { name: 'Schränke' }
  })
  t.strictSame(await find('goldketten'), ['kette', 'gold'])
  t.strictSame(await find('ringe'), ['ring'])
  t.strictSame(await find('schrank'), ['schrank'])
  t.strictSame(await find('bücher'), ['buch'])
  t.strictSame((await find('kette')).sort(), ['gold', 'kette'])
})

t.test('a word in the description alone is found, after all others, but not as what several words are about', async (t) => {
  const { find } = await shop({
    desk: { name: 'Desk', description: '<p>Made of <b>walnut</b>.</p>' }, tag: { name: 'Box', tags: ['walnut'] }, brand: { name: 'Board', brandName: 'Walnut' }, name: { name: 'Walnut Bowl' }, draft: { name: 'Door', description: 'walnut', publishedAt: null },
    plain: { name: 'Desk', description: 'Painted.' }
  })
  t.strictSame(await find('walnut'), ['name', 'brand', 'tag', 'desk'])
  t.strictSame(await find('walnuts', { brand: 'Walnut' }), ['brand'])
  t.strictSame((await find('walnut desk')).slice(0, 2), ['desk', 'plain'])
  t.strictSame(await find('painted walnut'), ['name', 'brand', 'tag'])
})

t.test('exact before forgiving, name before brand before tags, in stock first among equals', async (t) => {
  const stock = (inventory: number, inventoryPolicy = 'DENY') => ({ variants: [{ externalId: 'V', name: 'V', inventory, inventoryPolicy }] })
  const { find } = await shop({
    a: { name: 'Thing', tags: ['acorn'] }, b: { name: 'Thing', brandName: 'Acorn' }, c: { name: 'Acron' }, d: { name: 'Acorn', ...stock(0) }, e: { name: 'Acorn', ...stock(3) }, f: { name: 'Acorn', ...stock(0, 'CONTINUE') }
  })
  t.strictSame(await find('acorn'), ['e', 'f', 'd', 'b', 'a', 'c'])
})

const variant = (price: number, currency: string, inventory = 1) => ({ variants: [{ externalId: 'V', name: 'V', inventory, inventoryPolicy: 'DENY', prices: [{ price, currency }] }] })
const lamps = {
  a: { name: 'Lamp', brandName: 'Alder & Oak', tags: ['sale', 'new'], publishedAt: '2021-01-01', ...variant(10, 'USD') },
  b: { name: 'Lamp', brandName: 'Alder & Oak', tags: ['new'], publishedAt: '2022-01-01', ...variant(20, 'USD', 0) },
  c: { name: 'Lamp', brandName: 'Kestrel', tags: ['sale'], publishedAt: '2023-01-01', ...variant(20, 'EUR') },
  d: { name: 'Shade', brandName: 'Kestrel' }
}

for (const [what, filter, found] of [
  ['price', { minPrice: 15 }, ['b', 'c']], ['price range', { minPrice: 5, maxPrice: 15 }, ['a']], ['price and currency', { minPrice: 15, currency: 'EUR' }, ['c']], ['currency', { currency: 'USD' }, ['a', 'b']],
  ['stock', { inStock: true }, ['a', 'c']], ['brand', { brand: 'Alder & Oak' }, ['a', 'b']], ['tag', { tag: 'sale' }, ['a', 'c']], ['publication', { publishedFrom: '2021-06-01T00:00:00Z', publishedTo: '2022-06-01T00:00:00Z' }, ['b']],
  ['all of them', { tag: 'new', brand: 'Alder & Oak', inStock: true, maxPrice: 10, currency: 'USD', publishedTo: '2999-01-01T00:00:00Z' }, ['a']], ['no filter', { inStock: false }, ['a', 'b', 'c']]
] as const) {
  t.test(`a result is filtered by ${what}, with a text and without`, async (t) => {
    const { find, search } = await shop(lamps)
    t.strictSame((await find('lamp', filter)).sort(), found)
    const without = await search(filter)
    const all = (without.data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
    t.strictSame(all.filter((id) => id !== 'd'), found)
    t.equal(without.data.searchProducts.totalCount, all.length)
  })
}

t.test('a vendor finds what shoppers do not: drafts, scheduled and archived products', async (t) => {
  const hidden = { draft: { name: 'Gold Bangle', publishedAt: null }, later: { name: 'Gold Brooch', publishedAt: '2999-01-01' }, gone: { name: 'Gold Tiara', archived: true } }
  const { find, search, manage } = await shop({ ...jewellery, ...hidden })
  const ofVendor = async (input: object): Promise<string[]> => ((await manage(input)).data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
  for (const [visibility, only] of [['DRAFT', 'draft'], ['SCHEDULED', 'later'], ['ARCHIVED', 'gone'], ['PUBLISHED', 'necklace']] as const) {
    t.strictSame(await ofVendor({ text: 'gold', visibility }), [only], visibility)
    t.equal((await manage({ text: 'gold', visibility })).data.searchProducts.totalCount, 1)
  }
  t.strictSame(await ofVendor({ text: 'bangel', visibility: 'DRAFT' }), ['draft'], 'with a slip')
  t.strictSame(await ofVendor({ text: 'tiara', visibility: 'ARCHIVED' }), ['gone'], 'by a word that no other has')
  t.strictSame(await ofVendor({ visibility: 'DRAFT' }), ['draft'], 'without a text')
  t.strictSame(await ofVendor({ visibility: 'DRAFT', tag: 'gift' }), [])
  t.strictSame(await find('gold'), ['necklace'], 'a shopper')
  t.match((await search({ text: 'gold', visibility: 'DRAFT' })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.match((await manage({ visibility: 'DRAFT', publishedFrom: '2020-01-01' })).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('a vendor finds drafts, scheduled and archived products by what stands in their descriptions alone, behind however many published ones', async (t) => {
  const oak = { name: 'Door', description: 'Made of oak.' }
  const published = Array.from({ length: 25 }, (_, n) => [`p${n}`, oak] as const)
  const { find, manage } = await shop({
    ...Object.fromEntries(published),
    x: { ...oak, publishedAt: null },
    y: { ...oak, publishedAt: '2999-01-01' },
    z: { ...oak, archived: true },
    zz: { name: 'Desk', description: 'Made of walnut.', archived: true }
  })
  const ofVendor = async (text: string, visibility: string): Promise<string[]> =>
    ((await manage({ text, visibility })).data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
  for (const [visibility, only] of [['DRAFT', 'x'], ['SCHEDULED', 'y'], ['ARCHIVED', 'z']] as const) {
    t.strictSame(await ofVendor('oak', visibility), [only], visibility)
    t.strictSame(await ofVendor('oak door', visibility), [only], `${visibility}, of two words`)
  }
  t.strictSame(await ofVendor('walnut', 'ARCHIVED'), ['zz'])
  t.strictSame(await ofVendor('walnut', 'PUBLISHED'), [])
  t.equal((await find('oak')).length, 20)
})

t.test('drafts hide no published product that has the word in its description', async (t) => {
  const oak = { name: 'Door', description: 'Made of oak.' }
  const { find } = await shop({ ...Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`d${n}`, { ...oak, publishedAt: null }] as const)), z: oak })
  t.strictSame(await find('oak'), ['z'])
})

t.test('a brand is filtered by, however long the name', async (t) => {
  const name = Array.from({ length: 40 }, (_, n) => `w${n}`).join(' ')
  const { find } = await shop({ long: { name, brandName: 'Alder & Oak' }, other: { name, brandName: 'Kestrel' } })
  t.strictSame(await find('', { brand: 'Alder & Oak' }), ['long'])
  t.strictSame(await find('alder'), ['long'])
})

t.test('a result is counted by brand and tag', async (t) => {
  const { search } = await shop(lamps)
  const brands = [{ value: 'Alder & Oak', count: 2 }, { value: 'Kestrel', count: 1 }]
  const tags = [{ value: 'new', count: 2 }, { value: 'sale', count: 2 }]
  t.strictSame((await search({ text: 'lamp', first: 1 })).data.searchProducts.facets, { brands, tags }, 'as a whole, whatever the page')
  t.strictSame((await search({})).data.searchProducts.facets, { brands: [{ value: 'Alder & Oak', count: 2 }, { value: 'Kestrel', count: 2 }], tags })
  t.strictSame((await search({ text: '???' })).data.searchProducts.facets, { brands: [], tags: [] })
})

t.test('filters that make no sense are refused', async (t) => {
  const { search } = await shop({})
  for (const wrong of [{ minPrice: -1 }, { minPrice: 2, maxPrice: 1 }, { currency: 'EURO' }, { currency: 'XXA' }, { brand: ' ' }, { tag: '' }, { tag: 'x'.repeat(1_001) }]) {
    t.equal((await search(wrong)).errors?.[0]?.extensions.code, 'BAD_USER_INPUT', JSON.stringify(wrong))
  }
})

t.test('whatever is typed is answered', async (t) => {
  const { find } = await shop(jewellery)
  for (const text of [
    'a '.repeat(500), 'ab'.repeat(500), '\u0301'.repeat(1_000), '.*+?^${}()|[]\\', '$where', '\0', '😀'.repeat(400), 'é'.repeat(999), '​', 'ﷺ'.repeat(300), 'necklace '.repeat(111),
    Array.from({ length: 90 }, (_, n) => `neckla${n}`).join(' '), 'constructor __proto__ toString hasOwnProperty', 'необычный 検索 テキスト'
  ]) t.ok(Array.isArray(await find(text)), JSON.stringify(text.slice(0, 20)))
})
