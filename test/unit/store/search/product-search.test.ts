/** What a search asks of the database; what it finds is in system/api-product-search and api-fitment-assistant. */
import type { CommandStartedEvent, Document } from 'mongodb'
import t from 'tap'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'
import { testDatabase } from '../../../support/database.js'
import { line, type Fields } from '../../../support/product-lines.js'
import { storeLocation } from '../../../support/store-location.js'
import { queryWordsOf } from '../../../../src/domain/search/query-words.js'
import { createProductSearch, type ProductSearchQuery, type SearchCursor } from '../../../../src/store/search/product-search.js'
import { createProducts } from '../../../../src/store/catalog/products.js'
import { everything, noFilters } from '../../../../src/store/catalog/product-filters.js'
import { createSearchVocabularies } from '../../../../src/store/search/search-vocabularies.js'
import { testCatalog } from '../test-catalog.js'

const { url } = await testDatabase(t)
const parts = await siblingDatabase(t, monitored({ url }))
const watched = parts.database
const query = (text: string, more: Partial<ProductSearchQuery> = {}): ProductSearchQuery =>
  ({ words: queryWordsOf(text), isBegun: false, fitmentTargetId: null, storeLocationId: null, filters: noFilters, ...more })
const page = { first: 5, after: null }
const published = { publishedAt: '2020-01-01' }

async function commandsDuring (work: () => Promise<unknown>): Promise<Document[]> {
  const commands: Document[] = []
  const listen = ({ command }: CommandStartedEvent): void => { if (command['find'] === 'products' || command['aggregate'] === 'products') commands.push(command) }
  watched.db.client.on('commandStarted', listen)
  await work()
  watched.db.client.off('commandStarted', listen)
  return commands
}

const readsDescriptions = ({ pipeline }: Document): boolean => (pipeline as Document[] | undefined)?.some((stage) => (stage['$project'] as Document | undefined)?.['description'] !== undefined) ?? false

t.test('of the products that are looked at, what words are made of is read, and none of the targets, stores and variants that they have', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('P', { ...published, name: 'Lamp' })])
  const search = createProductSearch(watched.collections, parts.repositories.searchVocabularies)
  await search.search(catalog.vendorId, query('lamp'), page)
  const commands = await commandsDuring(async () => await search.search(catalog.vendorId, query('lamp'), { first: 0, after: null }))
  const fields = ['externalId', 'name', 'brandName', 'categories', 'tags', 'publishedAt', 'soldOut']
  t.strictSame(commands.map(({ projection }) => Object.keys(projection as Document)), [fields])
})

/** By what `find`s ask for, in all: embedded servers look at as many, whatever the limit. */
async function matchedDuring (work: () => Promise<unknown>): Promise<number> {
  let matched = 0
  for (const { filter } of (await commandsDuring(work)).filter(({ filter }) => filter !== undefined && (filter as Document)['_id'] === undefined)) {
    matched += await parts.database.collections.products.countDocuments(filter as Document)
  }
  return matched
}

t.test('of words that many products have, a search matches a bounded number of products, however many there are', async (t) => {
  const catalog = testCatalog(parts)
  const name = (n: number): string => n % 2 === 0 ? 'Gold Ring' : 'Gold Chain'
  await catalog.import(Array.from({ length: 900 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { ...published, name: name(n) })))
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const ringOrGold = (text: string) => async (): Promise<unknown> => await search.search(catalog.vendorId, query(text), page)
  await ringOrGold('gold')()
  for (const [text, most] of [['gold ring', 112], ['gold', 112], ['ring chain', 224]] as const) {
    const matched = await matchedDuring(ringOrGold(text))
    t.ok(matched > 0 && matched <= most, `${text}: ${matched}`)
  }
})

t.test('of a catalog that is counted in part, what few of the counted products have is matched within bounds too, and the same is found', async (t) => {
  const catalog = testCatalog(parts)
  // A fifth has a ring; of the 100 that are counted 20.
  await catalog.import(Array.from({ length: 2_000 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { ...published, name: n % 5 === 0 ? 'Gold Ring' : n === 1_999 ? 'Gold Brooch' : 'Gold Chain' })))
  const inPart = createProductSearch(watched.collections, createSearchVocabularies(watched.collections, { atOnce: 100, most: 100 }))
  const counted = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const foundBy = async ({ search }: typeof inPart, text: string): Promise<string[]> => (await search(catalog.vendorId, query(text), { first: 100, after: null })).nodes.map(({ externalId }) => externalId)
  const rings = await foundBy(inPart, 'gold ring')
  for (const text of ['gold ring', 'ring', 'ring chain']) {
    // The first finds out how far a page reaches.
    await inPart.search(catalog.vendorId, query(text), page)
    const matched = await matchedDuring(async () => await inPart.search(catalog.vendorId, query(text), page))
    t.ok(matched > 0 && matched <= 280, `${text}: ${matched}`)
  }
  t.strictSame(await foundBy(inPart, 'brooch'), ['P1999'], 'behind what is counted')
  await parts.database.collections.searchVocabularies.deleteOne({ _id: catalog.vendorId })
  t.strictSame(await foundBy(counted, 'gold ring'), rings)
})

t.test('each command looks for products by one key, and no key is looked up twice: by several at once, embedded servers would go through what other vendors have', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { ...published, name: 'Black Backpack' }), line('B', { ...published, name: 'Backpacks' }), line('C', { ...published, name: 'Ring' }), line('D', { ...published, name: 'Rang' })])
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  await search.search(catalog.vendorId, query('ring'), page)
  for (const [text, filters, keys] of [
    ['rong', noFilters, ['rang', 'ring', 'rong']], ['back pack', noFilters, ['back', 'backpack', 'black', 'pack']], ['rong', { ...noFilters, isInStock: true }, ['rang', 'ring', 'rong']]
  ] as const) {
    const commands = await commandsDuring(async () => await search.search(catalog.vendorId, query(text, { filters }), page))
    const asked = commands.map(({ filter, pipeline }) => ((filter ?? (pipeline as Document[])[0]?.['$match']) as Document)['searchKeys.key'] as unknown).filter((key) => key !== undefined)
    t.strictSame(asked.toSorted(), keys.map((key) => `w:${key}`), text)
  }
})

t.test('descriptions are read of those products alone that may have there what their names lack', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { ...published, name: 'Shelf', description: 'Made of walnut.' }), line('B', { ...published, name: 'Shelf', description: 'Painted.' }), line('C', { ...published, name: 'Desk', description: 'Goes well with a shelf.' })])
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const described = async (text: string): Promise<string[]> => {
    const commands = await commandsDuring(async () => await search.search(catalog.vendorId, query(text), page))
    return commands.filter(readsDescriptions).flatMap(({ pipeline }) => (pipeline as [{ $match: { _id: { $in: string[] } } }])[0].$match._id.$in)
  }
  await search.search(catalog.vendorId, query('shelf'), page)
  const { _id } = await catalog.product('A')
  t.strictSame([await described('walnut shelf'), await described('oak shelf')], [[_id], []])
  t.strictSame(await described('walnut desk'), [_id], 'what stands there alone')
  t.strictSame(await described('painted shelf'), [(await catalog.product('B'))._id])
})

t.test('descriptions of the best are read where more products have a word there than are known', async (t) => {
  const catalog = testCatalog(parts)
  const walnut = Array.from({ length: 30 }, (_, n) => line(`P${String(n).padStart(2, '0')}`, { ...published, name: n < 20 ? 'Door' : 'Shelf', description: 'Made of walnut.' }))
  await catalog.import([line('A', { ...published, name: 'Shelf', description: 'Painted.' }), ...walnut])
  const { nodes } = await parts.repositories.productSearch.search(catalog.vendorId, query('walnut shelf'), { first: 30, after: null })
  t.strictSame(nodes.slice(0, 11).map(({ externalId }) => externalId), [...Array.from({ length: 10 }, (_, n) => `P${20 + n}`), 'A'])
})

t.test('descriptions of what is made for a target and of what fits everything are read at once', async (t) => {
  const catalog = testCatalog(parts)
  const target = await parts.repositories.fitmentTargets.create(catalog.vendorId, { externalId: 'T', facetValues: [] })
  await parts.repositories.fitmentTargets.create(catalog.vendorId, { externalId: 'U', facetValues: [] })
  const walnut = { ...published, name: 'Shelf', description: 'Made of walnut.' }
  await catalog.import([line('A', walnut), line('B', { ...walnut, fitmentTargetExternalIds: ['T'] }), line('C', { ...walnut, fitmentTargetExternalIds: ['U'] }), line('D', { ...published, name: 'Shelf' })])
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const walnutShelf = async (text: string) => await search.search(catalog.vendorId, query(text, { fitmentTargetId: target._id }), page)
  await walnutShelf('walnut')
  let found: string[] = []
  const commands = await commandsDuring(async () => { found = (await walnutShelf('walnut shelf')).nodes.map(({ externalId }) => externalId) })
  t.strictSame(found, ['B', 'A', 'D'])
  t.equal(commands.filter(readsDescriptions).length, 1)
  t.strictSame((await walnutShelf('walnut')).nodes.map(({ externalId }) => externalId), ['B', 'A'])
})

t.test('what is asked for too early changes nothing of what is found', async (t) => {
  const catalog = testCatalog(parts)
  // Of words that had nothing to do with each other, five products would have both.
  await catalog.import(Array.from({ length: 300 }, (_, n) => line(`P${n}`, { ...published, name: n < 25 ? 'Phone Case' : n < 65 ? 'Case' : 'Other' })))
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const phoneCase = async () => await (await search.search(catalog.vendorId, query('phone case'), page)).totalCount()
  await phoneCase()
  let found = 0
  const commands = await commandsDuring(async () => { found = await phoneCase() })
  t.strictSame(commands.map(({ filter }) => (filter as Document)['searchKeys.key'] as unknown).filter((key) => key !== undefined), ['w:phone', 'w:case'])
  t.equal(found, 25)
})

t.test('of whatever words, a text is some queries', async (t) => {
  const catalog = testCatalog(parts)
  const hostile = (n: number): string => `neck${n.toString(36).padStart(4, 'a')}`
  await catalog.import(Array.from({ length: 200 }, (_, n) => line(`P${n}`, { ...published, name: 'Neck', tags: Array.from({ length: 30 }, (_, tag) => hostile(n * 30 + tag)) })))
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  await search.search(catalog.vendorId, query('neck'), page)
  for (const text of [[1, 40, 900, 2_000, 3_000, 4_000, 5_000, 5_999].map(hostile).join(' '), 'unknown words that no product has at all ever anywhere', 'neck '.repeat(200), 'n e c k a b d f']) {
    const commands = await commandsDuring(async () => await search.search(catalog.vendorId, query(text, { isBegun: true }), page))
    t.ok(commands.length <= 2 * 8 + 2, `${commands.length}: ${text.slice(0, 40)}`)
  }
})

t.test('for a filter that hardly any product with a common word passes, a bounded number of them is looked at', async (t) => {
  const catalog = testCatalog(parts)
  const isWanted = (n: number): boolean => n === 3 || n === 299
  await catalog.import(Array.from({ length: 300 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { ...published, name: 'Lamp', tags: isWanted(n) ? ['rare'] : ['other'] })))
  const search = createProductSearch(watched.collections, parts.repositories.searchVocabularies, { atOnce: 10 }, 40)
  const rareLamp = query('lamp', { filters: { ...noFilters, tag: 'rare' } })
  let found: string[] = []
  const commands = await commandsDuring(async () => { found = (await search.search(catalog.vendorId, rareLamp, page)).nodes.map(({ externalId }) => externalId) })
  t.strictSame(found, ['P0003'], 'of those that are looked at')
  t.ok(commands.length <= 20, `${commands.length} commands, where 300 products would take 60`)
})

t.test('of what is not published yet, no published product is looked at, in a list and in a search, with words or without; once there is much of it, words narrow it down', async (t) => {
  const catalog = testCatalog(parts)
  const draft = { publishedAt: null, name: 'Blue Lamp' }
  await catalog.import([
    ...Array.from({ length: 600 }, (_, n) => line(`P${n}`, { ...published, name: 'Lamp' })), line('D1', draft), line('D2', { publishedAt: null, name: 'Chair' }), line('S', { publishedAt: '2999-01-01', name: 'Lamp' })
  ])
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  const products = createProducts(watched.collections)
  const lookedAt = async (work: () => Promise<unknown>): Promise<number> => {
    const filters = (await commandsDuring(work)).map(({ filter, pipeline }) => (filter ?? (pipeline as Document[])[0]?.['$match']) as Document).filter((filter) => filter['_id'] === undefined)
    return (await Promise.all(filters.map(async (filter) => await parts.database.collections.products.countDocuments(filter)))).reduce((sum, count) => sum + count, 0)
  }
  const bySearch = async (text: string, visibility: 'DRAFT' | 'SCHEDULED'): Promise<string> => {
    const { nodes, totalCount, facets } = await search.search(catalog.vendorId, query(text, { filters: { ...noFilters, visibility } }), page)
    await facets()
    return `${nodes.map(({ externalId }) => externalId).join(' ')}, ${await totalCount()}`
  }
  const byList = async (visibility: 'DRAFT' | 'SCHEDULED'): Promise<string> =>
    `${(await products.page(catalog.vendorId, { ...everything, archived: false, visibility }, page)).nodes.map(({ externalId }) => externalId).join(' ')}, ${await products.countSifted(catalog.vendorId, { ...everything, visibility })}`
  await bySearch('lamp', 'DRAFT')
  for (const [ask, found] of [
    [async () => await bySearch('', 'DRAFT'), 'D1 D2, 2'], [async () => await bySearch('lamp', 'DRAFT'), 'D1, 1'], [async () => await bySearch('lamp', 'SCHEDULED'), 'S, 1'],
    [async () => await byList('DRAFT'), 'D1 D2, 2'], [async () => await byList('SCHEDULED'), 'S, 1']
  ] as const) {
    const answers: string[] = []
    const looked = await lookedAt(async () => { answers.push(await ask()) })
    t.strictSame(answers, [found])
    t.ok(looked > 0 && looked < 20, `${found}: ${looked}`)
  }
  await catalog.import(Array.from({ length: 500 }, (_, n) => line(`E${n}`, { publishedAt: null, name: 'Chair' })))
  t.equal(await bySearch('lamp', 'DRAFT'), 'D1, 1')
})

t.test('limits are whole numbers, however many are asked for', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(Array.from({ length: 300 }, (_, n) => line(`P${n}`, { ...published, name: n % 2 === 0 ? 'Lamp' : 'Desk' })))
  const search = createProductSearch(watched.collections, createSearchVocabularies(watched.collections))
  for (const filters of [noFilters, { ...noFilters, isInStock: true }]) {
    const commands = await commandsDuring(async () => {
      for (const first of Array.from({ length: 30 }, (_, n) => n + 15)) await search.search(catalog.vendorId, query('lamp desk', { filters }), { first, after: null })
    })
    const limits = commands.flatMap(({ limit, pipeline = [] }): unknown[] => [limit, ...(pipeline as Document[]).map(({ $limit }): unknown => $limit)]).filter((limit) => limit !== undefined)
    t.ok(limits.length > 0 && limits.every(Number.isInteger), JSON.stringify([...new Set(limits)]))
  }
})

t.test('who asks for more products, has more of them looked at', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(Array.from({ length: 700 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { ...published, name: 'Lamp' })))
  const found = async (first: number): Promise<number> =>
    await (await parts.repositories.productSearch.search(catalog.vendorId, query('lamp'), { first, after: null })).totalCount()
  t.strictSame([await found(1), await found(20), await found(50), await found(100)], [112, 112, 280, 560])
})

t.test('what stands behind many drafts with the same word is found', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([...Array.from({ length: 600 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { name: 'Lamp' })), line('Z', { ...published, name: 'Lamp' })])
  const { nodes } = await parts.repositories.productSearch.search(catalog.vendorId, query('lamp'), page)
  t.strictSame(nodes.map(({ externalId }) => externalId), ['Z'])
})

t.test('what stands behind many drafts and a few published ones with the same word is found', async (t) => {
  const catalog = testCatalog(parts)
  const drafts = Array.from({ length: 600 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { name: 'Lamp', ...(n % 100 === 0 ? published : {}) }))
  await catalog.import([...drafts, ...Array.from({ length: 9 }, (_, n) => line(`Z${n}`, { ...published, name: 'Lamp' }))])
  const { totalCount } = await parts.repositories.productSearch.search(catalog.vendorId, query('lamp'), page)
  t.equal(await totalCount(), 15)
})

t.test('what stands behind many that are gone since they were counted is found', async (t) => {
  const catalog = testCatalog(parts)
  const lamps = Array.from({ length: 120 }, (_, n) => line(`P${String(n).padStart(4, '0')}`, { ...published, name: 'Lamp' }))
  await catalog.import([...lamps, ...Array.from({ length: 9 }, (_, n) => line(`Z${n}`, { ...published, name: 'Lamp' }))])
  const { productSearch } = parts.repositories
  await productSearch.search(catalog.vendorId, query('lamp'), page)
  await watched.collections.products.updateMany({ vendorId: catalog.vendorId, externalId: { $regex: /^P/ } }, { $set: { archived: true } })
  const { totalCount } = await productSearch.search(catalog.vendorId, query('lamp'), page)
  t.equal(await totalCount(), 9)
})

t.test('a rare word is found behind however many products that are in stock without it', async (t) => {
  const catalog = testCatalog(parts)
  const store = await parts.repositories.storeLocations.create(catalog.vendorId, storeLocation('S1'))
  const stocked = (externalId: string, name: string): string =>
    line(externalId, { ...published, name, variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S1: 1 } }] })
  await catalog.import([...Array.from({ length: 9 }, (_, n) => stocked(`A${n}`, 'common')), stocked('Z', 'rare')])
  const search = createProductSearch(parts.database.collections, parts.repositories.searchVocabularies, { atOnce: 2 })
  const { nodes } = await search.search(catalog.vendorId, query('rare', { storeLocationId: store._id }), page)
  t.strictSame(nodes.map(({ externalId }) => externalId), ['Z'])
})

t.test('of many stores, each finds what it has in stock, with words and a target as well, and what is sold out comes last', async (t) => {
  const catalog = testCatalog(parts)
  const { storeLocations, fitmentTargets, productSearch } = parts.repositories
  await parts.database.collections.storeLocations.insertMany(Array.from({ length: 300 }, (_, n) => ({ _id: `${catalog.vendorId}-${n}`, vendorId: catalog.vendorId, ...storeLocation(`S${n}`) })))
  const target = await fitmentTargets.create(catalog.vendorId, { externalId: 'T', facetValues: [] })
  const at = (stores: number[], inventory = 1): Fields =>
    ({ ...published, name: 'Lamp', variants: [{ externalId: 'V', name: 'V', inventory, inventoryByLocation: Object.fromEntries(stores.map((n) => [`S${n}`, 10 + n])) }] })
  await catalog.import([
    line('A', at([1, 2, 30])), line('B', at([2], 0)), line('C', { ...at([3, 2]), fitmentTargetExternalIds: ['T'] }), line('D', { ...at([2]), fitmentTargetExternalIds: ['T'] }), line('E', at(Array.from({ length: 300 }, (_, n) => n)))
  ])
  const found = async (store: string, more: object = {}): Promise<string> => {
    const storeLocationId = (await storeLocations.findByCode(catalog.vendorId, store))?._id ?? ''
    const { nodes, totalCount, hasNextPage } = await productSearch.search(catalog.vendorId, { ...query(''), words: [], storeLocationId, ...more }, page)
    t.strictSame([await totalCount(), hasNextPage], [nodes.length, false])
    return nodes.map(({ externalId }) => externalId).join('')
  }
  t.strictSame([await found('S1'), await found('S2'), await found('S3'), await found('S299')], ['AE', 'ABCDE', 'CE', 'E'])
  t.strictSame([await found('S2', { words: query('lamp').words }), await found('S30', { words: query('lamps').words })], ['ACDEB', 'AE'])
  t.strictSame([await found('S3', { fitmentTargetId: target._id }), await found('S2', { fitmentTargetId: target._id, words: query('lamp').words })], ['CE', 'CDAEB'])
})

t.test('a page of a store that has little looks at so many products, and the next one goes on behind those', async (t) => {
  const catalog = testCatalog(parts)
  const store = await parts.repositories.storeLocations.create(catalog.vendorId, storeLocation('S'))
  await parts.repositories.fitmentTargets.create(catalog.vendorId, { externalId: 'T', facetValues: [] })
  await catalog.import(Array.from({ length: 26 }, (_, n) => line(`P${String(n).padStart(2, '0')}`, {
    ...published, ...(n % 2 === 0 ? { fitmentTargetExternalIds: ['T'] } : {}), variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S: [3, 4, 25].includes(n) ? 2 : 0 } }]
  })))
  const { search } = createProductSearch(parts.database.collections, parts.repositories.searchVocabularies, { atOnce: 2, inAll: 4 })
  const pages: string[] = []
  for (let after: SearchCursor | null = null; ;) {
    const { nodes, hasNextPage, end } = await search(catalog.vendorId, { ...query(''), words: [], storeLocationId: store._id }, { first: 2, after })
    pages.push(nodes.map(({ externalId }) => externalId).join(' '))
    if (!hasNextPage) break
    after = end
  }
  t.strictSame(pages.filter((each) => each !== ''), ['P03 P04', 'P25'])
  t.ok(pages.length > 3 && pages.length <= 8, `${pages.length} pages`)
})

t.test('a product that came after the vocabulary was counted is found', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { ...published, name: 'Lamp' })])
  const found = async (text: string): Promise<string[]> =>
    (await parts.repositories.productSearch.search(catalog.vendorId, query(text), page)).nodes.map(({ externalId }) => externalId)
  t.strictSame(await found('lamp'), ['A'])
  await catalog.import([line('B', { ...published, name: 'Necklace' })])
  t.strictSame(await found('necklace'), ['B'])
  t.strictSame(await found('neklace'), ['B'], 'and by a slip: an import leaves a mark')
})
