/**
 * searchProducts over judged texts (search-catalog.ts), 200 of them, over 20,000 products: how much of what was meant is found, how far up, and what it costs as a ratio
 * to a look-up by id in the same run. The same over 500 products, because the time must not grow with the catalog.
 *
 *   recall   of what was meant, the share that a page of a hundred has; of more than a hundred, of a hundred
 *   nDCG@10  of a page of twenty: what was meant before the same thing of another material before anything else; 1 is the best there can be
 */
import { productId } from '../src/domain/product.js'
import { queryWordsOf } from '../src/domain/search/query-words.js'
import type { Database } from '../src/store/database/connection.js'
import { toDocument, type ProductDocument } from '../src/store/catalog/product-document.js'
import { noFilters } from '../src/store/catalog/product-filters.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { withBenchDatabase } from './bench-database.js'
import { median, note, print } from './figure.js'
import { judgedProduct, judgedQueries, type JudgedProduct, type JudgedQuery, type QueryKind } from './search-catalog.js'

const seed = 1
const bulkSize = 1_000
/** Products of a page: of the one that recall is taken of, which is the longest there is, and of that which nDCG and time are. */
const [longPage, page] = [100, 20]
const atTop = 10
const rounds = 5

export async function benchSearch (): Promise<void> {
  await withBenchDatabase(async (database) => {
    const ratios: number[] = []
    for (const products of [500, 20_000]) {
      note(`search: ${products} products`)
      ratios.push(await judge(database, `shop-${products}`, products))
    }
    print({ bench: 'search', figure: '20,000 products', value: (ratios[1] ?? NaN) / (ratios[0] ?? NaN), unit: 'ratio', against: '500 products: p50, each over its look-ups' })
  })
}

/** Gives the median, as a ratio. */
async function judge (database: Database, vendorId: string, count: number): Promise<number> {
  const { collections } = database
  const products = Array.from({ length: count }, (_, index) => judgedProduct(seed, index))
  for (let from = 0; from < count; from += bulkSize) {
    await collections.products.insertMany(products.slice(from, from + bulkSize).map((product, at) => documentOf(vendorId, product, from + at)), { ordered: false })
  }
  const first = createRepositories(database)
  await first.searchVocabularies.find(vendorId)
  const countedMs = await timed(async () => { await first.searchVocabularies.countDue(new AbortController().signal) })
  print({ bench: 'search', figure: `vocabulary of ${count} products`, value: countedMs, unit: 'ms' })

  // Which have no vocabulary in memory yet.
  const repositories = createRepositories(database)
  const byId = new Map(products.map((product) => [product.externalId, product]))
  const search = async (text: string, first: number): Promise<JudgedProduct[]> => {
    const words = queryWordsOf(text)
    const query = { words, isBegun: words.length === 1, fitmentTargetId: null, storeLocationId: null, filters: noFilters }
    const { nodes } = await repositories.productSearch.search(vendorId, query, { first, after: null })
    return nodes.flatMap(({ externalId }) => byId.get(externalId) ?? [])
  }
  const scores = new Map<QueryKind, Array<{ recall: number, ndcg: number }>>()
  for (const query of judgedQueries(seed)) scores.set(query.kind, [...scores.get(query.kind) ?? [], score(query, products, await search(query.text, longPage), await search(query.text, page))])
  for (const [kind, each] of [...scores, ['all', [...scores.values()].flat()] as const]) {
    print({ bench: 'search', figure: `${kind}, ${count} products`, value: mean(each.map(({ recall }) => recall)), unit: 'recall', ndcg: mean(each.map(({ ndcg }) => ndcg)).toFixed(3) })
  }
  return await time(collections, repositories, vendorId, products)
}

async function time (collections: Database['collections'], repositories: Repositories, vendorId: string, products: JudgedProduct[]): Promise<number> {
  const [times, looks]: [number[], number[]] = [[], []]
  /** Of each text: what it takes is told from what the machine was doing. */
  const byText = new Map<string, number[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { text }] of judgedQueries(seed).entries()) {
      const words = queryWordsOf(text)
      const query = { words, isBegun: words.length === 1, fitmentTargetId: null, storeLocationId: null, filters: noFilters }
      const _id = productId(vendorId, products[(index * 7_919) % products.length]?.externalId ?? '')
      const look = await timed(async () => { await collections.products.findOne({ _id }) })
      const took = await timed(async () => { await repositories.productSearch.search(vendorId, query, { first: page, after: null }) })
      // The first round warms up the compiler.
      if (round === 0) continue
      looks.push(look)
      times.push(took)
      byText.set(text, [...byText.get(text) ?? [], took])
    }
  }
  const at = (all: number[], share: number): number => [...all].sort((a, b) => a - b)[Math.floor(all.length * share)] ?? NaN
  const texts = [...byText.values()].map(median)
  for (const [name, all, share, ofLooks] of [
    ['p50', times, 0.5, 0.5], ['p99', times, 0.99, 0.5], ['p99 of the texts, each by its median', texts, 0.99, 0.5], ['p99 against that of look-ups', times, 0.99, 0.99]
  ] as const) {
    const took = at(all, share)
    print({ bench: 'search', figure: `${name}, ${products.length} products`, value: took / at(looks, ofLooks), unit: 'ratio', against: `a look-up by id, ${ofLooks === 0.5 ? 'the median' : 'p99'}`, ms: Number(took.toFixed(2)) })
  }
  return median(times) / median(looks)
}

function score ({ gradeOf }: JudgedQuery, products: JudgedProduct[], found: JudgedProduct[], top: JudgedProduct[]): { recall: number, ndcg: number } {
  const grades = products.map(gradeOf).sort((a, b) => b - a)
  const meant = grades.filter((grade) => grade === 2).length
  const hits = found.filter((product) => gradeOf(product) === 2).length
  return { recall: meant === 0 ? 1 : hits / Math.min(meant, longPage), ndcg: gainOf(top.map(gradeOf)) / (gainOf(grades) || 1) }
}

const gainOf = (grades: number[]): number => grades.slice(0, atTop).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

async function timed (work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** In the database, of a vendor. */
export function documentOf (vendorId: string, { externalId, name, brandName, tags }: JudgedProduct, index: number): ProductDocument {
  const at = new Date('2024-01-01')
  const _id = productId(vendorId, externalId)
  const variant = {
    id: `${_id}V`, externalId: 'V', name: 'One size', sku: externalId, upc: null, imageExternalId: null, inventory: index % 5, locationQuantities: [], inventoryPolicy: 'DENY' as const,
    prices: [{ price: 10 + index % 90, compareAtPrice: null, currency: 'USD' }], fitmentTargetIds: [], sizeChartId: null, metafields: []
  }
  return toDocument({
    _id, vendorId, externalId, revision: 1, writeId: 'bench', createdAt: at, updatedAt: at, createdBy: null, writtenBy: null, upsertedDuring: null, archivedByJobId: null, patchHash: null, size: 900
  }, {
    name,
    brandName,
    externalUrl: `https://shop.example.com/${externalId}`,
    description: `<p>${name} by ${brandName}. ${'Made to be used every day, and repaired for free for as long as you own it. '.repeat(5)}</p>`,
    publishedAt: at,
    archived: false,
    images: [{ externalId: 'I', url: `https://cdn.example.com/${externalId}.jpg`, position: 1 }],
    imageAliases: [],
    variants: [variant],
    categories: ['Shop'],
    tags,
    fitmentTargetIds: [],
    sizeChartId: null,
    metafields: []
  })
}
