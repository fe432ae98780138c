/** All repositories over one database: what api, jobs and the command line are handed. */
import { defaultSizeChartQuota, type SizeChartQuota } from '../domain/size-chart.js'
import { createAuditEvents, type AuditEvents } from './access/audit-events.js'
import { createAnalytics, type Analytics } from './analytics/analytics.js'
import type { Database } from './database/connection.js'
import { createFacetRemovals, type FacetRemovals } from './fitment/facet-removals.js'
import { createFileSightings, type FileSightings } from './jobs/file-sightings.js'
import { createFitmentFacets, type FitmentFacets } from './fitment/fitment-facets.js'
import { createFitmentMemory, type FitmentMemory } from './fitment/fitment-memory.js'
import { createFitmentTargets, type FitmentTargets } from './fitment/fitment-targets.js'
import { createFitmentVocabulary, type FitmentVocabulary } from './fitment/fitment-vocabulary.js'
import { createIdempotencyKeys, type IdempotencyKeys } from './access/idempotency-keys.js'
import { createImportIssues, type ImportIssues } from './jobs/import-issues.js'
import { createImportJobs, type ImportJobs } from './jobs/import-jobs.js'
import { createIntegrationApiKeys, type IntegrationApiKeys } from './access/integration-api-keys.js'
import { createLanes, type Lanes } from './jobs/lanes.js'
import { createLinkRemovals, type LinkRemovals } from './catalog/link-removals.js'
import { createLinks, type Links } from './catalog/links.js'
import { createProductSearch, type ProductSearch } from './search/product-search.js'
import { createProducts, type Products } from './catalog/products.js'
import { createSearchVocabularies, type SearchVocabularies } from './search/search-vocabularies.js'
import { createSftpKeys, type SftpKeys } from './access/sftp-keys.js'
import { createUserApiKeys, type UserApiKeys } from './access/user-api-keys.js'
import { createUsers, type Users } from './access/users.js'
import { createSizeChartPdfs, type SizeChartPdfs } from './size-charts/size-chart-pdfs.js'
import { createSizeCharts, type SizeCharts } from './size-charts/size-charts.js'
import { createStoreLocations, type StoreLocations } from './catalog/store-locations.js'
import { createVendors, type Vendors } from './access/vendors.js'
import { createWorkers, type Workers } from './jobs/workers.js'

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
