/**
 * The one way to MongoDB. Every write is acknowledged by a majority and the journal: what this service has
 * acknowledged survives kill -9 of everything.
 */
import { MongoClient, type Collection, type Db, type Document } from 'mongodb'
import type { IntegrationApiKey, SftpKey, Vendor } from '../domain/access.js'
import type { ImportJob } from '../domain/import-job.js'
import type { Product } from '../domain/product.js'
import type { FitmentFacetRecord } from '../domain/fitment-facet.js'
import type { FitmentTargetRecord } from '../domain/fitment-target.js'
import type { SizeChartRecord, StoreLocationRecord } from '../domain/links.js'
import type { FitmentMemoryDocument } from './fitment-memory.js'
import type { FitmentValueDocument } from './fitment-vocabulary.js'
import type { FacetRemovalDocument, LinkRemovalDocument } from './removal-documents.js'
import type { IssueDocument } from './import-issues.js'
import type { LaneDocument } from './lanes.js'
import type { IdempotencyKeyDocument } from './idempotency-keys.js'
import type { WorkerDocument } from './workers.js'

export interface Collections {
  vendors: Collection<Vendor>
  counters: Collection<{ _id: string, next: number }>
  integrationApiKeys: Collection<IntegrationApiKey>
  sftpKeys: Collection<SftpKey>
  products: Collection<Product>
  importJobs: Collection<ImportJob>
  importIssues: Collection<IssueDocument>
  importLanes: Collection<LaneDocument>
  idempotencyKeys: Collection<IdempotencyKeyDocument>
  workers: Collection<WorkerDocument>
  storeLocations: Collection<StoreLocationRecord>
  fitmentTargets: Collection<FitmentTargetRecord>
  fitmentFacets: Collection<FitmentFacetRecord>
  fitmentValues: Collection<FitmentValueDocument>
  fitmentMemory: Collection<FitmentMemoryDocument>
  facetRemovals: Collection<FacetRemovalDocument>
  linkRemovals: Collection<LinkRemovalDocument>
  sizeCharts: Collection<SizeChartRecord>
}

export interface Database {
  collections: Collections
  db: Db
  /** Throws when the database does not answer within `timeoutMs`. */
  ping (timeoutMs?: number): Promise<void>
  close (): Promise<void>
}

/** Opens the database that the URL names (default `catalog`). Does not wait for it: operations do, for 5 s each. */
export function openDatabase (url: string, options: { appName: string, maxPoolSize?: number }): Database {
  const client = new MongoClient(url, {
    appName: options.appName,
    maxPoolSize: options.maxPoolSize ?? 20,
    serverSelectionTimeoutMS: 5_000,
    // A primary that hangs (not one that is gone) must not hold a job for ever; no single command of ours takes long.
    socketTimeoutMS: 60_000,
    writeConcern: { w: 'majority', journal: true },
    retryWrites: true
  })
  const name = new URL(url.replace(/^mongodb(\+srv)?:/, 'http:').replace(/,[^/]*/, '')).pathname.slice(1)
  const db = client.db(name === '' ? 'catalog' : decodeURIComponent(name))
  const of = <T extends Document>(name: string): Collection<T> => db.collection<T>(name)
  return {
    db,
    collections: {
      vendors: of('vendors'),
      counters: of('counters'),
      integrationApiKeys: of('integration_api_keys'),
      sftpKeys: of('sftp_keys'),
      products: of('products'),
      importJobs: of('import_jobs'),
      importIssues: of('import_issues'),
      importLanes: of('import_lanes'),
      idempotencyKeys: of('idempotency_keys'),
      workers: of('workers'),
      storeLocations: of('store_locations'),
      fitmentTargets: of('fitment_targets'),
      fitmentFacets: of('fitment_facets'),
      fitmentValues: of('fitment_values'),
      fitmentMemory: of('fitment_memory'),
      facetRemovals: of('facet_removals'),
      linkRemovals: of('link_removals'),
      sizeCharts: of('size_charts')
    },
    ping: async (timeoutMs = 2_000) => { await db.command({ ping: 1 }, { timeoutMS: timeoutMs }) },
    close: async () => { await client.close() }
  }
}
