/** All repositories over one database: what api, jobs and the command line are handed. */
import { defaultSizeChartQuota, type SizeChartQuota } from '../domain/size-chart.js'
import { createAuditEvents, type AuditEvents } from './audit-events.js'
import { createAnalytics, type Analytics } from './analytics/analytics.js'
import type { Database } from './connection.js'
import { createFacetRemovals, type FacetRemovals } from './facet-removals.js'
import { createFileSightings, type FileSightings } from './file-sightings.js'
import { createFitmentFacets, type FitmentFacets } from './fitment-facets.js'
import { createFitmentMemory, type FitmentMemory } from './fitment-memory.js'
import { createFitmentTargets, type FitmentTargets } from './fitment-targets.js'
import { createFitmentVocabulary, type FitmentVocabulary } from './fitment-vocabulary.js'
import { createIdempotencyKeys, type IdempotencyKeys } from './idempotency-keys.js'
import { createImportIssues, type ImportIssues } from './import-issues.js'
import { createImportJobs, type ImportJobs } from './import-jobs.js'
import { createIntegrationApiKeys, type IntegrationApiKeys } from './integration-api-keys.js'
import { createLanes, type Lanes } from './lanes.js'
import { createLinkRemovals, type LinkRemovals } from './link-removals.js'
import { createLinks, type Links } from './links.js'
import { createProductSearch, type ProductSearch } from './product-search.js'
import { createProducts, type Products } from './products.js'
import { createSearchVocabularies, type SearchVocabularies } from './search-vocabularies.js'
import { createSftpKeys, type SftpKeys } from './sftp-keys.js'
import { createUserApiKeys, type UserApiKeys } from './user-api-keys.js'
import { createUsers, type Users } from './users.js'
import { createSizeChartPdfs, type SizeChartPdfs } from './size-chart-pdfs.js'
import { createSizeCharts, type SizeCharts } from './size-charts.js'
import { createStoreLocations, type StoreLocations } from './store-locations.js'
import { createVendors, type Vendors } from './vendors.js'
import { createWorkers, type Workers } from './workers.js'

export interface Repositories {
  vendors: Vendors
  integrationApiKeys: IntegrationApiKeys
  users: Users
  userApiKeys: UserApiKeys
  auditEvents: AuditEvents
  sftpKeys: SftpKeys
  products: Products
  links: Links
  sizeCharts: SizeCharts
  sizeChartPdfs: SizeChartPdfs
  storeLocations: StoreLocations
  fitmentFacets: FitmentFacets
  fitmentTargets: FitmentTargets
  fitmentVocabulary: FitmentVocabulary
  fitmentMemory: FitmentMemory
  linkRemovals: LinkRemovals
  facetRemovals: FacetRemovals
  productSearch: ProductSearch
  searchVocabularies: SearchVocabularies
  importJobs: ImportJobs
  importIssues: ImportIssues
  lanes: Lanes
  idempotencyKeys: IdempotencyKeys
  workers: Workers
  fileSightings: FileSightings
  analytics: Analytics
}

export function createRepositories ({ collections, db }: Database, sizeChartQuota: SizeChartQuota = defaultSizeChartQuota): Repositories {
  const linkRemovals = createLinkRemovals(collections)
  const fitmentVocabulary = createFitmentVocabulary(collections)
  const searchVocabularies = createSearchVocabularies(collections)
  const facetRemovals = createFacetRemovals(collections, fitmentVocabulary)
  return {
    vendors: createVendors(collections),
    integrationApiKeys: createIntegrationApiKeys(collections),
    users: createUsers(collections),
    userApiKeys: createUserApiKeys(collections),
    auditEvents: createAuditEvents(collections),
    sftpKeys: createSftpKeys(collections),
    products: createProducts(collections),
    links: createLinks(collections),
    sizeCharts: createSizeCharts(collections, sizeChartQuota),
    sizeChartPdfs: createSizeChartPdfs({ collections, db }, sizeChartQuota),
    storeLocations: createStoreLocations(collections, linkRemovals),
    fitmentFacets: createFitmentFacets(collections, facetRemovals),
    fitmentTargets: createFitmentTargets(collections, fitmentVocabulary, linkRemovals),
    fitmentVocabulary,
    fitmentMemory: createFitmentMemory(collections),
    linkRemovals,
    facetRemovals,
    productSearch: createProductSearch(collections, searchVocabularies),
    searchVocabularies,
    importJobs: createImportJobs(collections),
    importIssues: createImportIssues(collections),
    lanes: createLanes(collections),
    idempotencyKeys: createIdempotencyKeys(collections),
    workers: createWorkers(collections),
    fileSightings: createFileSightings(collections),
    analytics: createAnalytics(collections)
  }
}
