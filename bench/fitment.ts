/**
 * Fitment of one large vendor: 200,000 targets (20 makes, 200 models, 30 years, 33 or 34 trims) and as many products, each
 * linked to a few of them, but for a hundred that fit everything. Reads as ratios to a look-up by id in the same run; bulks as ratios to one plain insert of as many
 * documents of the same shape, another vendor's, into the same collection.
 *
 * `BENCH_TARGETS` makes it smaller.
 */
import type { Collection, Document } from 'mongodb'
import { createFitmentKnowledge } from '../src/assistant/fitment-knowledge.js'
import { resolveFitment } from '../src/assistant/resolve-fitment.js'
import { newTarget, targetId, type FacetValue, type NewTarget } from '../src/domain/fitment-target.js'
import type { FitmentFacetRecord } from '../src/domain/fitment-facet.js'
import { productId } from '../src/domain/product.js'
import { queryWordsOf } from '../src/domain/search/query-words.js'
import type { Database } from '../src/store/database/connection.js'
import { toDocument, type ProductDocument } from '../src/store/catalog/product-document.js'
import { everything, noFilters } from '../src/store/catalog/product-filters.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { withBenchDatabase } from './bench-database.js'
import { median, note, print } from './figure.js'

const vendorId = 'bench'
const bulkSize = 5_000
const untargetedProducts = 100
const rounds = 15

export async function benchFitment (): Promise<void> {
  await withBenchDatabase(async (database) => { await run(database, Number(process.env['BENCH_TARGETS'] ?? 200_000)) })
}

async function run (database: Database, count: number): Promise<void> {
  const repositories = createRepositories(database)
  const { fitmentTargets, fitmentFacets } = repositories
  for (const [position, slug] of ['make', 'model', 'year', 'trim'].entries()) await fitmentFacets.create(vendorId, { name: slug, slug, position })
  note(`fitment: ${count} targets and products`)
  await loadTargets(repositories, count)
  const ids = (await fitmentTargets.page(vendorId, { facets: [], values: [], after: 0, limit: 500 })).targets.map(({ _id }) => _id)
  await loadProducts(database, count)
  await compareBulks(database, repositories, count)
  await compareReads(repositories, ids, count)
  await explain(database, repositories)
}

const valuesOf = (facets: FitmentFacetRecord[], make: string, model: string, year: string, trim?: string): FacetValue[] =>
  facets.flatMap(({ _id, slug }) => {
    const value = { make, model, year, trim }[slug]
    return value === undefined ? [] : [{ facetId: _id, value }]
  }).sort((a, b) => a.facetId < b.facetId ? -1 : 1)

function target (facets: FitmentFacetRecord[], index: number): NewTarget {
  const model = index % 200
  const year = 1995 + Math.floor(index / 200) % 30
  return { externalId: `T-${index}`, facetValues: valuesOf(facets, `Make ${letters(model % 20)}`, `Model ${letters(model)}`, String(year), `Trim ${letters(Math.floor(index / 6_000))}`) }
}

/** Names that are no typo of each other. */
const letters = (number: number): string => ['bra', 'cel', 'dor', 'fin', 'gus', 'hyl', 'jom', 'kex', 'lip', 'mut'].map((syllable, digit) =>
  String(number).padStart(3, '0').includes(String(digit)) ? syllable : '').join('') + String(number)

async function loadTargets ({ fitmentTargets, fitmentFacets }: Repositories, count: number): Promise<void> {
  const facets = await fitmentFacets.list(vendorId)
  for (let from = 0; from < count; from += bulkSize) {
    await fitmentTargets.upsert(vendorId, Array.from({ length: Math.min(bulkSize, count - from) }, (_, index) => target(facets, from + index)))
  }
}

async function loadProducts ({ collections }: Database, count: number): Promise<void> {
  for (let from = 0; from < count; from += bulkSize) {
    await collections.products.insertMany(Array.from({ length: Math.min(bulkSize, count - from) }, (_, at) => {
      const index = from + at
      return product(index, [0, 1, 2].map((step) => targetId(vendorId, (index * 7 + step * 31) % count + 1)))
    }), { ordered: false })
  }
  await collections.products.insertMany(Array.from({ length: untargetedProducts }, (_, at) => product(count + at, [])))
}

function product (index: number, fitmentTargetIds: string[]): ProductDocument {
  const at = new Date('2024-01-01')
  const content = {
    name: `Brake Pad ${index}`,
    brandName: 'Northwind',
    externalUrl: `https://shop.example.com/${index}`,
    description: null,
    publishedAt: at,
    archived: false,
    images: [],
    imageAliases: [],
    variants: [],
    categories: ['Brakes'],
    tags: [],
    fitmentTargetIds,
    sizeChartId: null,
    metafields: []
  }
  return toDocument({
    _id: productId(vendorId, `P-${index}`),
    vendorId,
    externalId: `P-${index}`,
    revision: 1,
    writeId: 'bench',
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    writtenBy: null,
    upsertedDuring: null,
    archivedByJobId: null,
    patchHash: null,
    size: 200
  }, content)
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function compareBulks ({ collections }: Database, { fitmentTargets, fitmentFacets }: Repositories, count: number): Promise<void> {
  const facets = await fitmentFacets.list(vendorId)
  const ratios: number[] = []
  const created: number[] = []
  const again: number[] = []
  for (let round = 0; round < 5; round++) {
    const targets = Array.from({ length: bulkSize }, (_, index) => target(facets, count + round * bulkSize + index))
    const documents = targets.map((each, index) => newTarget('plain', round * bulkSize + index + 1, each))
    const floor = await timed(async () => await collections.fitmentTargets.insertMany(documents, { ordered: false }))
    const fresh = await timed(async () => await fitmentTargets.upsert(vendorId, targets))
    again.push(await timed(async () => await fitmentTargets.upsert(vendorId, targets)) / floor)
    created.push(fresh)
    ratios.push(fresh / floor)
  }
  const against = 'insertMany of 5,000 such documents into the same collection'
  print({ bench: 'fitment', figure: 'bulk of 5,000 new targets', value: median(ratios), unit: 'ratio', against, ms: Math.round(median(created)) })
  print({ bench: 'fitment', figure: 'bulk of 5,000 unchanged targets', value: median(again), unit: 'ratio', against })
}

async function compareReads (repositories: Repositories, ids: string[], count: number): Promise<void> {
  const { fitmentTargets, fitmentFacets, productSearch } = repositories
  const facets = await fitmentFacets.list(vendorId)
  const knowledge = createFitmentKnowledge(repositories, vendorId, facets)
  const resolve = async (text: string): Promise<unknown> => await resolveFitment(knowledge, { text, given: [], remembered: [] })
  const of = (index: number): [string, string, string, string] => {
    const { facetValues } = target(facets, index % count)
    return facets.map(({ _id }) => facetValues.find(({ facetId }) => facetId === _id)?.value ?? '') as [string, string, string, string]
  }
  const query = { words: [], isBegun: false, fitmentTargetId: null, storeLocationId: null, filters: noFilters }
  const page = async (values: FacetValue[], after: number, limit: number): Promise<unknown> => await fitmentTargets.page(vendorId, { facets, values, after, limit })
  const reads: Record<string, (round: number) => Promise<unknown>> = {
    'a page of 500 targets': async (round) => await page([], round * 977, 500),
    'a filter by three facets': async (round) => {
      const [make, model, year] = of(round * 7_919)
      await page(valuesOf(facets, make, model, year), 0, 100)
    },
    'resolveFitment, all facets': async (round) => await resolve(of(round * 7_919).join(' ')),
    'resolveFitment, year and model': async (round) => {
      const [, model, year] = of(round * 7_919)
      await resolve(`my ${year} ${model}`)
    },
    'resolveFitment, model alone': async (round) => await resolve(of(round * 7_919)[1]),
    'resolveFitment, year alone': async (round) => await resolve(of(round * 7_919)[2]),
    'searchProducts by target': async (round) => await productSearch.search(vendorId, { ...query, fitmentTargetId: ids[round] ?? '' }, { first: 20, after: null }),
    'searchProducts by target and words': async (round) => await productSearch.search(vendorId, { ...query, words: queryWordsOf('brake pad'), fitmentTargetId: ids[round] ?? '' }, { first: 20, after: null }),
    'a page of 50 products': async (round) => await repositories.products.page(vendorId, everything, { first: 50, after: { archived: false, externalId: `P-${(round * 7_919) % count}` } })
  }
  for (const [figure, read] of Object.entries(reads)) {
    const ratios: number[] = []
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const looks: number[] = []
      for (let look = 0; look < 5; look++) looks.push(await timed(async () => await fitmentTargets.find(vendorId, ids[(round * 5 + look) % ids.length] ?? '')))
      const time = await timed(async () => await read(round))
      // The first round warms up the compiler.
      if (round === 0) continue
      ratios.push(time / median(looks))
      times.push(time)
    }
    print({ bench: 'fitment', figure, value: median(ratios), unit: 'ratio', against: 'a look-up by id', ms: Number(median(times).toFixed(2)) })
  }
}

/** Which index answers each read, as the server explains it. */
async function explain ({ collections }: Database, { fitmentFacets }: Repositories): Promise<void> {
  const facets = await fitmentFacets.list(vendorId)
  const record = newTarget(vendorId, 1, target(facets, 0))
  const queries: Record<string, [Collection<Document>, Document]> = {
    'targets by id range': [collections.fitmentTargets as unknown as Collection<Document>, { _id: { $gt: record._id, $lte: `${record._id.slice(0, -1)}z` } }],
    'targets by values': [collections.fitmentTargets as unknown as Collection<Document>, { keys: record.keys[1], order: { $gt: 0 } }],
    'targets by external ids': [collections.fitmentTargets as unknown as Collection<Document>, { externalKey: { $in: [record.externalKey] } }],
    'values by spelling': [collections.fitmentValues as unknown as Collection<Document>, { spellings: { $in: ['x'] } }],
    'products by target': [collections.products as unknown as Collection<Document>, { $or: [{ 'searchKeys.key': `t:${record._id}`, vendorId, archived: false }], publishedAt: { $lte: new Date() } }],
    'products that fit everything': [collections.products as unknown as Collection<Document>, { $or: [{ vendorId, archived: false, targeted: false }], publishedAt: { $lte: new Date() } }]
  }
  for (const [figure, [collection, filter]] of Object.entries(queries)) {
    const plan = JSON.stringify(await collection.find(filter).explain())
    const index = /"indexName":"([^"]+)"/.exec(plan)?.[1] ?? (plan.includes('COLLSCAN') ? 'none: a scan' : 'unknown')
    print({ bench: 'fitment', figure: `index: ${figure}`, value: Number(plan.includes('IXSCAN')), unit: 'used', index })
  }
}
