/** A vendor of its own in the test's database, and imports into its catalog: the stages and the sink, without files. */
import { randomUUID } from 'node:crypto'
import type { ImportMode, ImportStats } from '../../../src/domain/import-job.js'
import { wordIssue } from '../../../src/domain/issue.js'
import type { Product } from '../../../src/domain/product.js'
import { Envelope } from '../../../src/engine/envelope.js'
import { inOrder } from '../../../src/engine/stage.js'
import type { Turn } from '../../../src/engine/turn.js'
import { parse } from '../../../src/stages/parse.js'
import { parseUnlessKnown } from '../../../src/stages/parse-unless-known.js'
import type { Collections } from '../../../src/store/database/connection.js'
import { LiveProducts } from '../../../src/domain/live-products.js'
import { createUnchangedAmong, createUnchangedSince } from '../../../src/store/catalog/known-lines.js'
import { readLiveProducts } from '../../../src/store/catalog/live-products.js'
import { markChanged } from '../../../src/store/search/search-vocabularies.js'
import { createProductSink } from '../../../src/store/catalog/product-sink.js'
import type { InTurn } from '../../../src/store/catalog/commit-products.js'
import type { Patience } from '../../../src/store/database/while-away.js'
import { serverOf, setServerOf } from '../../../src/store/database/server-of.js'
import type { UpsertedProduct } from '../../../src/domain/upsert-products.js'
import { createUpsertProducts } from '../../../pipelines/product-upsert.js'
import { productStages } from '../../../pipelines/product-import.js'
import type { TestDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'

export interface ImportOptions {
  mode?: ImportMode
  jobId?: string
  attempt?: number
  dryRun?: boolean
  batchSize?: number
  patience?: Patience
  collections?: Pick<Collections, 'products'>
  inTurn?: InTurn
  turn?: Turn
  /** The worker is lost when it has written this many lines. */
  lostAfter?: number
  maxKeptIssues?: number
}

export interface Imported {
  jobId: string
  stats: ImportStats
  unchanged: number | null
  /** `line: message`, in order; all that the job has recorded, over all attempts. */
  errors: string[]
  warnings: string[]
  /** Of a REPLACE. */
  live: LiveProducts | undefined
}

export interface TestCatalog {
  vendorId: string
  /** A string is a line as it is, anything else is the JSON on it. */
  import (lines: unknown[], options?: ImportOptions): Promise<Imported>
  upsert (...records: Array<Record<string, unknown>>): Promise<UpsertedProduct[]>
  find (externalId: string): Promise<Product | null>
  /** Expects it to be there. */
  product (externalId: string): Promise<Product>
}

let vendors = 0
const impatient: Patience = async (operation) => await operation()

export function testCatalog ({ database: { collections }, repositories }: Pick<TestDatabase, 'database' | 'repositories'>, vendorId = `vendor-${++vendors}`): TestCatalog {
  const upsertProducts = createUpsertProducts(collections)

  async function runImport (lines: unknown[], options: ImportOptions = {}): Promise<Imported> {
    const { mode = 'UPDATE', jobId = randomUUID(), attempt = 1, dryRun = false, batchSize = 500, patience = impatient, lostAfter = lines.length } = options
    const products = options.collections ?? collections
    const live = mode === 'REPLACE' ? new LiveProducts() : undefined
    if (live !== undefined) await readLiveProducts(products, { vendorId, mode, signal: new AbortController().signal }, live)
    const sink = createProductSink({
      collections: products, issues: repositories.importIssues, vendorId, jobId, mode, live, files: ['a.jsonl'], attempt, dryRun, patience, inTurn: options.inTurn, turn: options.turn,
      maxKeptIssues: options.maxKeptIssues
    })
    const unchangedAmong = live === undefined ? createUnchangedAmong(products, vendorId, mode, { onAllNew: sink.expectNew, worthAsking: 0 }) : createUnchangedSince(live, vendorId, { onAllNew: sink.expectNew })
    const parseLines = attempt > 1 ? parse : parseUnlessKnown({ unchangedAmong: async (lines) => await patience(async () => await unchangedAmong(lines)), pending: sink.pending })
    const stages = inOrder(parseLines, productStages({ vendorId, mode, links: repositories.links, onUnknownStoreCode: sink.countUnknownStoreCode }))
    for (let from = 0; from < lostAfter; from += batchSize) {
      const batch = lines.slice(from, Math.min(from + batchSize, lostAfter))
        .map((line, index) => new Envelope({ file: 0, line: from + index + 1 }, typeof line === 'string' ? line : JSON.stringify(line)))
      await sink.write(await stages(batch))
    }
    await sink.flush()
    if (lostAfter === lines.length) await sink.finish()
    await markChanged(collections, vendorId)
    const worded = async (severity: 'error' | 'warning'): Promise<string[]> =>
      (await repositories.importIssues.list(vendorId, jobId, severity, 10_000)).map((issue) => `${issue.line}: ${wordIssue(issue)}`)
    return { jobId, stats: sink.stats, unchanged: sink.unchanged(), errors: await worded('error'), warnings: await worded('warning'), live }
  }

  const find = async (externalId: string): Promise<Product | null> => await repositories.products.findByExternalId(vendorId, externalId)
  return {
    vendorId,
    import: runImport,
    upsert: async (...records) => await upsertProducts(vendorId, records),
    find,
    async product (externalId) {
      const product = await find(externalId)
      if (product === null) throw new Error(`no product ${externalId}`)
      return product
    }
  }
}

/** The numbers of a job without REPLACE's. */
export const statsOf = (created: number, updated: number, skipped = 0): ImportStats => ({
  productsProcessed: created + updated + skipped, productsCreated: created, productsUpdated: updated, productsArchived: 0, productsSkipped: skipped, errors: skipped
})

/** The same collection, but something happens before each bulk: how a race is lost on purpose. */
export function withBeforeBulk ({ products }: Collections, before: () => Promise<void>): Pick<Collections, 'products'> {
  const racing = withMethod(products, 'bulkWrite', async (...parameters) => {
    await before()
    return await products.bulkWrite(...parameters)
  })
  setServerOf(racing, serverOf(products))
  return { products: racing }
}
