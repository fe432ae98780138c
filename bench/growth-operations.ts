/**
 * What `bench growth` asks: the queries, small mutations and REST calls. Left out is what works on a PDF, which takes what that takes, and a report as a whole, whose answer is as long as what is stored.
 */
import { randomUUID } from 'node:crypto'
import { generateEd25519KeyPair } from '../src/sftp/key-pair.js'
import type { Repositories } from '../src/store/repositories.js'

/** Of the vendor `bench`. */
export const jobs = { oneError: randomUUID(), manyErrors: randomUUID() }
const sftpKey = generateEd25519KeyPair('bench').public.trim()

export interface Asked {
  url: string
  repositories: Repositories
  /** Ids of what was made for this. */
  targetId: string
  chartId: string
  locationId: string
  conversationId: string
  /** A cursor in the middle of the products. */
  middle: string
  /** Of the round. */
  round: number
  graphql (query: string): Promise<Record<string, unknown>>
  /** With an access token: keys, and who has access, are not for who has a key. */
  asUser (query: string): Promise<Record<string, unknown>>
  rest (path: string): Promise<void>
  /** A job of ten lines, from request to end. */
  importTen (by: 'GraphQL' | 'REST'): Promise<number>
}

export type Operation = (asked: Asked) => Promise<unknown>

const job = (id: string, more: string) => async ({ graphql }: Asked) => await graphql(`{ productImportJob(jobId: "${id}") { status stats { errors } ${more} } }`)
const ask = (query: string): Operation => async ({ graphql }) => await graphql(query)
const ten = (of: (index: number) => string): string => `[${Array.from({ length: 10 }, (_, index) => of(index)).join()}]`
const vendor = 'vendorId: "bench"'
const found = '{ nodes { externalId name } hasNextPage endCursor }'
const search = (input: string, answer = found, of = vendor): Operation => ask(`{ searchProducts(input: { ${of}, ${input} }) ${answer} }`)

export const operations: Record<string, Operation> = {
  '{ __typename }': ask('{ __typename }'),
  viewer: ask('{ viewer { id vendors { id name } } }'),
  'productImportJob, one error': job(jobs.oneError, 'errorDetails { line message }'),
  'productImportJob, 1,000 of many errors': job(jobs.manyErrors, 'errorDetails { line message }'),
  'productImportJob, ten of many errors': job(jobs.manyErrors, 'errorDetails(first: 10) { line message }'),
  'productImportJob, counts of one error': job(jobs.oneError, 'issueCounts { code count }'),
  'productImportJob, counts of many errors': job(jobs.manyErrors, 'issueCounts { code count }'),
  'productImportJobs, by file and time': ask(`{ productImportJobs(${vendor}, file: "a.jsonl", from: "2025-01-01", status: completed) { nodes { jobId } totalCount } }`),
  productImportJobs: ask(`{ productImportJobs(${vendor}) { nodes { jobId status } totalCount } }`),
  'GET …/import/{jobId}, one error': async ({ rest }) => { await rest(`/api/v1/products/import/${jobs.oneError}`) },
  'GET …/import/{jobId}/errors, one error': async ({ rest }) => { await rest(`/api/v1/products/import/${jobs.oneError}/errors`) },
  product: ask(`{ product(${vendor}, externalId: "P-7") { name } }`),
  'products(first: 10)': ask(`{ products(${vendor}, first: 10) ${found} }`),
  'products(first: 200)': ask(`{ products(${vendor}, first: 200) ${found} }`),
  'products(first: 10), from the middle': async ({ graphql, middle }) => await graphql(`{ products(${vendor}, first: 10, cursor: "${middle}") ${found} }`),
  'products(first: 10, archived: false), totalCount': ask(`{ products(${vendor}, first: 10, archived: false) { nodes { externalId } totalCount } }`),
  'products(first: 10), totalCount': ask(`{ products(${vendor}, first: 10) { nodes { externalId } totalCount } }`),
  'products, in stock': ask(`{ products(${vendor}, first: 10, inStock: true) ${found} }`),
  'products, drafts': ask(`{ products(${vendor}, first: 10, visibility: DRAFT) ${found} }`),
  'searchProducts, drafts': search('visibility: DRAFT'),
  'searchProducts, drafts of a common word': search('visibility: DRAFT, text: "jacket"'),
  'searchProducts, two words': search('text: "leather jacket"'),
  'searchProducts, a beginning': search('text: "jack"'),
  'searchProducts, without a word': search('first: 20'),
  'searchProducts, fitment target': search('fitmentTargetExternalId: "T-1"'),
  'searchProducts, in stock': search('inStock: true'),
  'searchProducts, price': search('minPrice: 20, maxPrice: 40'),
  'searchProducts, facets': search('first: 20', '{ nodes { externalId } facets { brands { value count } } }'),
  'sizeCharts, first 50': ask('{ sizeCharts(first: 50) { nodes { externalId name } hasNextPage } }'),
  'sizeCharts, totalCount': ask('{ sizeCharts(first: 1) { totalCount } }'),
  sizeChart: ask('{ sizeChart(externalId: "C-1") { name } }'),
  'sizeChartAnswer, by name': ask(`{ sizeChartAnswer(${vendor}, name: "Chart 7") { kind } }`),
  storeLocations: ask(`{ storeLocations(${vendor}) { storeCode } }`),
  storeLocation: async ({ graphql, locationId }) => await graphql(`{ storeLocation(id: "${locationId}") { storeCode } }`),
  fitmentFacets: ask('{ fitmentFacets { slug } }'),
  fitmentTargets: ask('{ fitmentTargets { targets { externalId } nextCursor } }'),
  'fitmentTargets, by values': ask('{ fitmentTargets(input: { limit: 10, facetValues: { make: "make-3" } }) { targets { externalId } } }'),
  resolveFitment: ask(`mutation { resolveFitment(input: { ${vendor}, conversationId: "c", text: "make-3" }) { status } }`),
  'auditEvents, first 50': ask(`{ auditEvents(${vendor}) { nodes { action } hasNextPage } }`),
  'auditEvents, totalCount': ask(`{ auditEvents(${vendor}, first: 1) { totalCount } }`),
  'auditEvents, by an action that none has': ask(`{ auditEvents(${vendor}, action: "none") { nodes { action } hasNextPage } }`),
  sftpAddress: ask('{ sftpAddress { host } }'),
  sftpKeys: ask(`{ sftpKeys(${vendor}) { id } }`),
  vendorUsers: ask(`{ vendorUsers(${vendor}) { id } }`),
  'vendorById, figures of a month': ask(`{ vendorById(${vendor}) { name conversationAggregateStatistics(start: "2025-06-01", end: "2025-07-01") { numberOfChats automationRate } } }`),
  sessionByVendorId: ask(`{ sessionByVendorId(${vendor}, lead: "lead-7") { id } }`),
  integrationApiKeys: ask(`{ integrationApiKeys(${vendor}) { name } }`),
  userApiKeys: ask('{ userApiKeys { name } }'),
  'conversations, first 25': ask(`{ conversations(${vendor}) { edges { node { id subject } } hasNextPage } }`),
  'conversations, totalCount': ask(`{ conversations(${vendor}, first: 1) { totalCount } }`),
  conversation: async ({ graphql, conversationId }) => await graphql(`{ conversation(id: "${conversationId}") { subject events(last: 20) { edges { node { body } } } } }`),
  customerEvent: async ({ graphql, conversationId }) => await graphql(`{ customerEvent(id: "${conversationId}", ${vendor}) { type } }`),
  vendorSmartTags: ask(`{ vendorSmartTags(${vendor}) { title } }`),
  'smartTagCounts, a month': ask(`{ smartTagCounts(${vendor}, start: "2025-06-01", end: "2025-07-01") { count tag { title } } }`),
  'upsertProducts, one': async ({ graphql, round }) => await graphql(`mutation { upsertProducts(${vendor}, products: [{ externalId: "U-1", name: "N ${round}", brandName: "B", externalUrl: "https://shop.example.com/u" }]) { id } }`),
  'createSizeChart, deleteSizeChart': async ({ graphql }) => {
    const { createSizeChart } = await graphql('mutation { createSizeChart(input: { externalId: "X", name: "X", body: "b" }) { id } }') as { createSizeChart: { id: string } }
    await graphql(`mutation { deleteSizeChart(id: "${createSizeChart.id}") }`)
  },
  updateSizeChart: async ({ graphql, chartId, round }) => await graphql(`mutation { updateSizeChart(id: "${chartId}", input: { name: "N ${round}" }) { id } }`),
  'createFitmentTarget, deleteFitmentTarget': async ({ graphql }) => {
    const { createFitmentTarget } = await graphql('mutation { createFitmentTarget(input: { externalId: "X", facetValues: { make: "make-3" } }) { id } }') as { createFitmentTarget: { id: string } }
    await graphql(`mutation { deleteFitmentTarget(id: "${createFitmentTarget.id}") }`)
  },
  updateFitmentTarget: async ({ graphql, targetId, round }) => await graphql(`mutation { updateFitmentTarget(id: "${targetId}", input: { label: "L ${round}" }) { id } }`),
  'createStoreLocation, deleteStoreLocation': async ({ graphql }) => {
    const { createStoreLocation } = await graphql(`mutation { createStoreLocation(input: { ${vendor}, storeCode: "X", name: "X" }) { id } }`) as { createStoreLocation: { id: string } }
    await graphql(`mutation { deleteStoreLocation(id: "${createStoreLocation.id}") { id } }`)
  },
  updateStoreLocation: async ({ graphql, locationId, round }) => await graphql(`mutation { updateStoreLocation(input: { id: "${locationId}", name: "N ${round}" }) { id } }`),
  'createSmartTag, deleteSmartTag': async ({ graphql }) => {
    const { createSmartTag } = await graphql(`mutation { createSmartTag(${vendor}, input: { title: "X" }) { id } }`) as { createSmartTag: { id: string } }
    await graphql(`mutation { deleteSmartTag(id: "${createSmartTag.id}") }`)
  },
  updateSmartTag: async ({ graphql, round }) => {
    const { vendorSmartTags: [tag] } = await graphql(`{ vendorSmartTags(${vendor}) { id } }`) as { vendorSmartTags: Array<{ id: string }> }
    await graphql(`mutation { updateSmartTag(id: "${tag?.id}", input: { title: "T ${round}" }) { id } }`)
  },
  'bulkUpsertSizeCharts, bulkDeleteSizeCharts, ten': async ({ graphql, round }) => {
    await graphql(`mutation { bulkUpsertSizeCharts(input: { sizeCharts: ${ten((index) => `{ externalId: "B-${index}", name: "N ${round}", body: "b" }`)} }) { total } }`)
    await graphql(`mutation { bulkDeleteSizeCharts(input: { externalIds: ${ten((index) => `"B-${index}"`)} }) { deleted } }`)
  },
  'bulkUpsertFitmentTargets, ten': async ({ graphql, round }) => {
    await graphql(`mutation { bulkUpsertFitmentTargets(input: { targets: ${ten((index) => `{ externalId: "B-${index}", label: "L ${round}", facetValues: { make: "make-3" } }`)} }) { total } }`)
  },
  'createFitmentFacet, updateFitmentFacet, deleteFitmentFacet': async ({ graphql, round }) => {
    const { createFitmentFacet: { id } } = await graphql(`mutation { createFitmentFacet(input: { name: "F", slug: "f-${round}", position: 5 }) { id } }`) as { createFitmentFacet: { id: string } }
    await graphql(`mutation { updateFitmentFacet(id: "${id}", input: { name: "G" }) { id } }`)
    await graphql(`mutation { deleteFitmentFacet(id: "${id}") }`)
  },
  'createIntegrationApiKey, updateIntegrationApiKey, revokeIntegrationApiKey': async ({ asUser }) => {
    const { createIntegrationApiKey: { apiKey: { id } } } = await asUser(`mutation { createIntegrationApiKey(input: { ${vendor}, name: "K", permissions: [PRODUCT_MANAGE] }) { apiKey { id } } }`) as { createIntegrationApiKey: { apiKey: { id: string } } }
    await asUser(`mutation { updateIntegrationApiKey(input: { id: "${id}", name: "L" }) { id } }`)
    await asUser(`mutation { revokeIntegrationApiKey(id: "${id}") { id } }`)
  },
  'createUserApiKey, revokeUserApiKey': async ({ asUser }) => {
    const { createUserApiKey: { apiKey: { id } } } = await asUser('mutation { createUserApiKey(input: { name: "K" }) { apiKey { id } } }') as { createUserApiKey: { apiKey: { id: string } } }
    await asUser(`mutation { revokeUserApiKey(id: "${id}") { id } }`)
  },
  'addSftpKey, revokeSftpKey': async ({ asUser }) => {
    const { addSftpKey: { id } } = await asUser(`mutation { addSftpKey(${vendor}, publicKey: "${sftpKey}") { id } }`) as { addSftpKey: { id: string } }
    await asUser(`mutation { revokeSftpKey(${vendor}, id: "${id}") }`)
  },
  'addVendorUser, updateVendorUser, removeVendorUser': async ({ asUser }) => {
    await asUser(`mutation { addVendorUser(input: { ${vendor}, id: "ada", email: "ada@example.com", role: member, permissions: [VIEW_NPS] }) { id } }`)
    await asUser(`mutation { updateVendorUser(input: { ${vendor}, id: "ada", role: admin }) { id } }`)
    await asUser(`mutation { removeVendorUser(${vendor}, id: "ada") { id } }`)
  },
  'cancelProductImport, of one that is over': async ({ graphql }) => {
    await graphql(`mutation { cancelProductImport(jobId: "${jobs.oneError}") { status } }`).catch((error: unknown) => { if (!String(error).includes('CONFLICT')) throw error })
  },
  'an import of ten lines, request to end': async ({ importTen }) => await importTen('GraphQL'),
  'POST …/import of ten lines, request to end': async ({ importTen }) => await importTen('REST'),
  // Whose vocabulary no worker has counted yet: one does then, which the others would feel.
  'searchProducts, two words, just loaded': search('text: "leather jacket"', found, 'vendorId: "other"')
}
