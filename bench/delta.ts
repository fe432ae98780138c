/**
 * Deltas of a stored catalog, against what the driver alone takes for the least update of as many of the same documents: one `$set` each, in unordered
 * bulks of 1,000, which is what a tool like mongoimport in merge mode does at best, for what is as it was, too; and the same in transactions. In turn, several rounds, in one
 * run: ratios are of one round, and their median is told with the least and the greatest.
 */
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { sampleProduct, type SampleProduct } from '../src/cli/sample-product.js'
import type { Database } from '../src/store/database/connection.js'
import { createRepositories } from '../src/store/repositories.js'
import type { ProductDocument } from '../src/store/catalog/product-document.js'
import { toStoredStock } from '../src/store/catalog/stored-stock.js'
import { storeLocation } from '../test/support/store-location.js'
import { secondsOf, startBenchService, type BenchService } from './bench-service.js'
import type { ServiceLoad } from './service-process.js'
import { median, note, print } from './figure.js'

const products = Number(process.env['BENCH_PRODUCTS'] ?? 100_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const only = process.env['BENCH_DELTAS']
const [fewLocations, manyLocations] = [20, 2_000]
const bulkSize = 1_000
const bulksAtOnce = 3

interface Delta {
  name: string
  /** That the vendor has by then. */
  locations?: number
  /** Every n-th product is in it. */
  every: number
  /** Of those, every n-th changes. */
  changesEvery?: number
  /** Of the first variant, another one in each round. */
  change: (round: number) => Record<string, unknown>
  /** What the driver sets. */
  path: string
  value: (round: number) => unknown
}

const quantity = (round: number): number => 10_000 + round
const price = (round: number): Array<{ price: number, currency: string }> => [{ price: 1_000 + round, currency: 'EUR' }]
/** At the first of the vendor's locations. */
const unitsByLocation = (count: number, round: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`L${index}`, index === 0 ? quantity(round) : index]))
/** What a variant has at so many locations, as it is stored. */
const storedStock = (count: number, round: number): unknown =>
  toStoredStock(Array.from({ length: count }, (_, index) => ({ locationId: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`, quantity: quantity(round) })))

const deltas: Delta[] = [
  { name: 'one quantity', every: 10, change: (round) => ({ inventory: quantity(round) }), path: 'variants.0.inventory', value: quantity },
  { name: 'one price', every: 10, change: (round) => ({ prices: price(round) }), path: 'variants.0.prices', value: price },
  {
    name: `quantities at 3 of ${fewLocations} locations`,
    locations: fewLocations,
    every: 10,
    change: (round) => ({ inventoryByLocation: unitsByLocation(3, round) }),
    path: 'variants.0.locationQuantities',
    value: (round) => storedStock(3, round)
  },
  { name: 'one quantity, of which 90 % is as it was', every: 10, changesEvery: 10, change: (round) => ({ inventory: quantity(round) }), path: 'variants.0.inventory', value: quantity },
  { name: 'one quantity of all products', every: 1, change: (round) => ({ inventory: quantity(round) }), path: 'variants.0.inventory', value: quantity },
  {
    name: `quantities at all of ${manyLocations} locations`,
    locations: manyLocations,
    every: Math.ceil(products / 1_000),
    change: (round) => ({ inventoryByLocation: unitsByLocation(manyLocations, round) }),
    path: 'variants.0.locationQuantities',
    value: (round) => storedStock(manyLocations, round)
  }
]

export async function benchDelta (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    const full = join(bench.folder, 'products.jsonl.gz')
    await writeSampleFile(full, sampleCatalog({ products, seed: 1 }))
    await bench.upload(full)
    note(`delta: ${products} products into ${bench.databaseServer}, ${rounds} rounds`)
    await bench.runJob(full, 'REPLACE')
    const alone = await copyOfProducts(bench.database)
    for (const [number, delta] of deltas.entries()) {
      if (only === undefined || only.split(',').includes(String(number))) await compare(bench, alone, delta)
    }
  } finally {
    await bench.close()
  }
}

async function compare (bench: BenchService, alone: Collection<ProductDocument>, delta: Delta): Promise<void> {
  await createLocations(bench, delta.locations ?? 0)
  const ids = (await alone.find({}, { projection: { _id: 1 } }).limit(Math.ceil(products / delta.every)).toArray()).map(({ _id }) => _id)
  const loads: ServiceLoad[] = []
  const linesPerSecond: number[] = []
  const aloneRatios: number[] = []
  const transactionRatios: number[] = []
  // In the first, everything is warmed up.
  for (let round = 0; round <= rounds; round++) {
    const path = join(bench.folder, `delta-${Date.now()}.jsonl.gz`)
    const { lines } = await writeSampleFile(path, linesOf(delta, round))
    await bench.upload(path)
    const tellLoad = await bench.watch()
    const job = await bench.runJob(path, 'UPDATE')
    loads.push(await tellLoad())
    const perSecond = lines / secondsOf(job)
    const set = async (again: number, inTransactions: boolean): Promise<number> =>
      await setAlone(bench.database, alone, ids, delta.path, (index) => delta.value(isAsItWas(delta, index) ? 0 : 3 * round + again), inTransactions)
    const ratios = [perSecond / await set(1, false), perSecond / await set(2, true)] as const
    if (round === 0) continue
    linesPerSecond.push(perSecond)
    aloneRatios.push(ratios[0])
    transactionRatios.push(ratios[1])
  }
  const common = { bench: 'delta', database: bench.databaseServer, lines: Math.ceil(products / delta.every) }
  const spread = (values: number[]): { least: number, greatest: number } => ({ least: round3(Math.min(...values)), greatest: round3(Math.max(...values)) })
  print({ ...common, figure: delta.name, value: median(linesPerSecond), unit: 'lines/s', ...spread(linesPerSecond) })
  const against = `the driver alone, one $set each, bulks of ${bulkSize}, ${bulksAtOnce} at a time`
  print({ ...common, figure: `${delta.name}: ratio`, value: median(aloneRatios), unit: 'ratio', against, ...spread(aloneRatios) })
  print({ ...common, figure: `${delta.name}: ratio to transactions`, value: median(transactionRatios), unit: 'ratio', against: `${against}, each in one transaction`, ...spread(transactionRatios) })
  print({ ...common, figure: `${delta.name}: event loop of the API, 99 % below`, value: Math.max(...loads.map(({ loopP99Ms }) => loopP99Ms)), unit: 'ms' })
  print({ ...common, figure: `${delta.name}: peak memory of the service`, value: Math.max(...loads.map(({ peakBytes }) => peakBytes)) / 1e6, unit: 'MB' })
}

/** Those that are missing of the first so many. */
async function createLocations ({ database }: BenchService, count: number): Promise<void> {
  const { storeLocations } = createRepositories(database)
  for (let index = await database.collections.storeLocations.countDocuments(); index < count; index++) await storeLocations.create('bench', storeLocation(`L${index}`))
}

/** Of the line or document of this number. */
const isAsItWas = ({ changesEvery = 1 }: Delta, number: number): boolean => number % changesEvery !== 0

function * linesOf (delta: Delta, round: number): Generator<string> {
  for (let index = 0; index < products; index += delta.every) {
    const { externalId, variants: [first] }: SampleProduct = sampleProduct(1, index)
    yield JSON.stringify({ externalId, variants: [{ externalId: first?.externalId ?? first?.sku, ...delta.change(isAsItWas(delta, index / delta.every) ? 0 : round) }] })
  }
}

/** What is stored by now, with the same indexes. */
async function copyOfProducts ({ db, collections }: Database): Promise<Collection<ProductDocument>> {
  const copy = db.collection<ProductDocument>('productsAlone')
  const indexes = await collections.products.indexes()
  await copy.createIndexes(indexes.filter(({ name }) => name !== '_id_').map(({ key, name = '' }) => ({ key, name })))
  let documents: ProductDocument[] = []
  for await (const document of collections.products.find()) {
    documents.push(document)
    if (documents.length < bulkSize) continue
    await copy.insertMany(documents, { ordered: false })
    documents = []
  }
  if (documents.length > 0) await copy.insertMany(documents, { ordered: false })
  return copy
}

/** Documents a second, whether they change by it or are as they were. */
async function setAlone (
  { db }: Database, alone: Collection<ProductDocument>, ids: string[], path: string, valueOf: (index: number) => unknown, inTransactions: boolean
): Promise<number> {
  const limit = pLimit(bulksAtOnce)
  const started = performance.now()
  const bulks: Array<Promise<void>> = []
  for (let from = 0; from < ids.length; from += bulkSize) {
    const operations = ids.slice(from, from + bulkSize)
      .map((_id, index): AnyBulkWriteOperation<ProductDocument> => ({ updateOne: { filter: { _id }, update: { $set: { [path]: valueOf(from + index) } } } }))
    bulks.push(limit(async () => {
      if (!inTransactions) {
        await alone.bulkWrite(operations, { ordered: false })
        return
      }
      await db.client.withSession(async (session) => {
        session.startTransaction({ writeConcern: { w: 'majority', journal: true } })
        await alone.bulkWrite(operations, { ordered: false, session })
        await session.commitTransaction()
      })
    }))
  }
  await Promise.all(bulks)
  return ids.length / (performance.now() - started) * 1_000
}

const round3 = (value: number): number => Number(value.toPrecision(3))
