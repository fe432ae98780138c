/**
 * The one way to MongoDB. Every write is acknowledged by a majority and the journal: what this service has
 * acknowledged survives kill -9 of everything.
 */
import { MongoAPIError, MongoParseError, type Collection, type Db, type Document, type MongoClientOptions, type ObjectId } from 'mongodb'
import { ConfigError } from '../../environment.js'
import type { IntegrationApiKey, SftpKey, User, UserApiKey, Vendor } from '../../domain/access.js'
import type { AuditEvent } from '../../domain/audit.js'
import type { AnalyticsDocuments } from '../../domain/analytics/documents.js'
import type { RecordKind } from '../../domain/analytics/records.js'
import type { ImportJob } from '../../domain/import-job.js'
import type { ConversationExtent } from '../analytics/conversation-extent.js'
import type { DaySumsDocument } from '../analytics/day-sums-document.js'
import type { FileSightingDocument } from '../jobs/file-sighting-document.js'
import type { FitmentFacetRecord } from '../../domain/fitment-facet.js'
import type { FitmentTargetRecord } from '../../domain/fitment-target.js'
import type { SizeChartRecord, StoreLocationRecord } from '../../domain/links.js'
import type { FitmentMemoryDocument } from '../fitment/fitment-memory-document.js'
import type { FitmentValueDocument } from '../fitment/fitment-value-document.js'
import type { FacetRemovalDocument, LinkRemovalDocument } from '../catalog/removal-documents.js'
import type { IssueDocument } from '../jobs/issue-document.js'
import type { LaneDocument } from '../jobs/lane-document.js'
import type { ProductDocument } from '../catalog/product-document.js'
import type { IdempotencyKeyDocument } from '../access/idempotency-key-document.js'
import type { ChangeMarkDocument } from './change-mark-document.js'
import './closed-connections.js'
import { ConnectingClient } from './connecting-client.js'
import { databaseName } from './database-name.js'
import { mongodbUrlExample, type MongodbUrlVariable } from './mongodb-url.js'
import { limitTime, socketTimeMs } from './operation-time.js'
import { gateReads } from '../reads/gated-reads.js'
import { createReadGate, type ReadGate } from '../reads/read-gate.js'
import { createDatabaseServer, setServerOf } from './server-of.js'
import type { ServerProfile } from './server-profile.js'
import type { TransactionSessionsDocument } from './transaction-sessions-document.js'
import type { SearchVocabularyDocument } from '../search/search-vocabulary-document.js'
import type { UnkeptIssuesDocument } from '../jobs/unkept-issues.js'
import type { WorkerDocument } from '../jobs/worker-document.js'

/** What the database has been brought to, and how far the step after that has got, if it says so. */
export interface SchemaVersionDocument { _id: 'catalog', version: number, begun?: { version: number, reached: string } }

export interface Collections {
  schemaVersions: Collection<SchemaVersionDocument>
  vendors: Collection<Vendor>
  counters: Collection<{ _id: string, next: number }>
  integrationApiKeys: Collection<IntegrationApiKey>
  users: Collection<User>
  userApiKeys: Collection<UserApiKey>
  auditEvents: Collection<AuditEvent>
  sftpKeys: Collection<SftpKey>
  products: Collection<ProductDocument>
  importJobs: Collection<ImportJob>
  importIssues: Collection<IssueDocument>
  unkeptIssues: Collection<UnkeptIssuesDocument>
  importLanes: Collection<LaneDocument>
  idempotencyKeys: Collection<IdempotencyKeyDocument>
  workers: Collection<WorkerDocument>
  changeMarks: Collection<ChangeMarkDocument>
  transactionSessions: Collection<TransactionSessionsDocument>
  fileSightings: Collection<FileSightingDocument>
  storeLocations: Collection<StoreLocationRecord>
  fitmentTargets: Collection<FitmentTargetRecord>
  fitmentFacets: Collection<FitmentFacetRecord>
  fitmentValues: Collection<FitmentValueDocument>
  fitmentMemory: Collection<FitmentMemoryDocument>
  searchVocabularies: Collection<SearchVocabularyDocument>
  facetRemovals: Collection<FacetRemovalDocument>
  linkRemovals: Collection<LinkRemovalDocument>
  sizeCharts: Collection<SizeChartRecord>
  sizeChartPdfFiles: Collection<PdfFileDocument>
  conversations: Collection<AnalyticsDocuments['conversations']>
  conversationEvents: Collection<AnalyticsDocuments['conversation-events']>
  customerEvents: Collection<AnalyticsDocuments['customer-events']>
  sessions: Collection<AnalyticsDocuments['sessions']>
  orders: Collection<AnalyticsDocuments['orders']>
  smartTags: Collection<AnalyticsDocuments['smart-tags']>
  experts: Collection<AnalyticsDocuments['experts']>
  knowledgeDocuments: Collection<AnalyticsDocuments['knowledge-documents']>
  surveys: Collection<AnalyticsDocuments['surveys']>
  conversationExtents: Collection<ConversationExtent>
  daySums: Collection<DaySumsDocument>
}

export const pdfBucketName = 'size_chart_pdfs'

/** What GridFS keeps of an original, and whose it is. */
interface PdfFileDocument {
  _id: ObjectId
  /** Bytes. */
  length: number
  metadata: { vendorId: string }
}

/** The collection of a kind of analytics records. */
export function analyticsCollection (c: Collections, kind: RecordKind): Collection<AnalyticsDocuments[RecordKind]> {
  const byKind = {
    conversations: c.conversations,
    'conversation-events': c.conversationEvents,
    'customer-events': c.customerEvents,
    sessions: c.sessions,
    orders: c.orders,
    'smart-tags': c.smartTags,
    experts: c.experts,
    'knowledge-documents': c.knowledgeDocuments,
    surveys: c.surveys
  }
  return byKind[kind] as unknown as Collection<AnalyticsDocuments[RecordKind]>
}

export interface Database {
  collections: Collections
  db: Db
  /** What reads for vendors wait at. */
  readGate: Pick<ReadGate, 'run'>
  /** Throws when the database does not answer a read within `timeoutMs`; a server whose storage has given up may still answer `ping`. */
  ping (timeoutMs?: number): Promise<void>
  close (): Promise<void>
}

export interface OpenOptions {
  appName: string
  /** That the URL is from; to be given by whoever opens it first in a process. */
  urlVariable?: MongodbUrlVariable
  maxPoolSize?: number
  readGate?: Pick<ReadGate, 'run'>
  /** This and what follows is for tests. */
  socketTimeMs?: number
  selectionTimeMs?: number
  /** In place of what the server says. */
  serverProfile?: ServerProfile
}

/** The driver knows options by name and value; what it refuses of them holds no secret. Throws ConfigError. */
function openClient (url: string, variable: MongodbUrlVariable, options: MongoClientOptions): ConnectingClient {
  try {
    return new ConnectingClient(url, options)
  } catch (error) {
    if (!(error instanceof MongoAPIError || error instanceof MongoParseError)) throw error
    throw new ConfigError(`${variable} cannot be used: ${error.message}; one that works is ${mongodbUrlExample}`)
  }
}

/** Opens the database that the URL names (default `catalog`). Does not wait for it: operations do, for 5 s each. */
export function openDatabase (url: string, options: OpenOptions): Database {
  const client = openClient(url, options.urlVariable ?? 'MONGODB_URL', {
    appName: options.appName,
    maxPoolSize: options.maxPoolSize ?? 20,
    serverSelectionTimeoutMS: options.selectionTimeMs ?? 5_000,
    socketTimeoutMS: options.socketTimeMs ?? socketTimeMs,
    writeConcern: { w: 'majority', journal: true },
    retryWrites: true
  })
  const db = client.db(databaseName(url))
  const { readGate = createReadGate() } = options
  const server = createDatabaseServer(client, () => of<TransactionSessionsDocument>('transaction_sessions'), { profile: options.serverProfile })
  // Whoever takes a collection, GridFS too, takes one whose operations have a time, whose reads pass the gate, and that knows its server.
  const collection = db.collection.bind(db)
  db.collection = <T extends Document>(...named: Parameters<typeof collection>): Collection<T> => {
    const taken = gateReads(limitTime(collection<T>(...named)), readGate)
    setServerOf(taken, server)
    return taken
  }
  const of = <T extends Document>(name: string): Collection<T> => db.collection<T>(name)
  return {
    db,
    readGate,
    collections: {
      schemaVersions: of('schema_versions'),
      vendors: of('vendors'),
      counters: of('counters'),
      integrationApiKeys: of('integration_api_keys'),
      users: of('users'),
      userApiKeys: of('user_api_keys'),
      auditEvents: of('audit_events'),
      sftpKeys: of('sftp_keys'),
      products: db.collection('products', { ignoreUndefined: true }),
      importJobs: of('import_jobs'),
      importIssues: of('import_issues'),
      unkeptIssues: of('import_issues_unkept'),
      importLanes: of('import_lanes'),
      idempotencyKeys: of('idempotency_keys'),
      workers: of('workers'),
      changeMarks: of('change_marks'),
      transactionSessions: of('transaction_sessions'),
      fileSightings: of('file_sightings'),
      storeLocations: of('store_locations'),
      fitmentTargets: of('fitment_targets'),
      sizeCharts: of('size_charts'),
      sizeChartPdfFiles: of(`${pdfBucketName}.files`),
      conversations: of('conversations'),
      conversationEvents: of('conversation_events'),
      customerEvents: of('customer_events'),
      sessions: of('sessions'),
      orders: of('orders'),
      smartTags: of('smart_tags'),
      experts: of('experts'),
      knowledgeDocuments: of('knowledge_documents'),
      surveys: of('surveys'),
      conversationExtents: of('conversation_extents'),
      daySums: of('day_sums'),
      fitmentFacets: of('fitment_facets'),
      fitmentValues: of('fitment_values'),
      fitmentMemory: of('fitment_memory'),
      searchVocabularies: of('search_vocabularies'),
      facetRemovals: of('facet_removals'),
      linkRemovals: of('link_removals')
    },
    ping: async (timeoutMs = 2_000) => { await db.collection('schema_versions').findOne({}, { signal: AbortSignal.timeout(timeoutMs) }) },
    close: async () => { await client.close() }
  }
}
