/** Resolvers of product import: jobs, and products sent directly (interface.md, "GraphQL: product import"). */
import { actorOf } from '../../../domain/audit.js'
import { checkImportRequest, type ImportJob } from '../../../domain/import-job.js'
import { wordFault } from '../../../domain/issue.js'
import { badInput } from '../../../errors.js'
import { vendorOf } from '../../auth/access.js'
import type { UpsertedProduct } from '../../../domain/upsert-products.js'
import type { AppDependencies } from '../../dependencies.js'
import { forged, jobCursor } from '../cursors.js'
import type {
  MutationResolvers, ProductImportJobResolvers, QueryResolvers, SubscriptionproductImportJobChangesArgs, SubscriptionproductImportJobProgressArgs
} from '../generated.js'
import type { JobWatch } from './job-watch.js'
import { toActorNode, toProductNode, type ProductNode } from '../nodes.js'
import { pageSize } from '../limits/page-size.js'
import { toLine } from '../catalog/product-line.js'
import type { Caller } from '../../../domain/access.js'
import type { VendorJobsWatch } from './vendor-jobs-watch.js'

/** Up to 1,000 are promised (decisions.md, upsertProducts). */
const maxProductsPerUpsert = 5_000
const jobPage = { min: 1, max: 100, default: 20 }

type Dependencies = Pick<AppDependencies, 'repositories' | 'importQueue' | 'upsertProducts'> & { jobWatch: JobWatch, jobsWatch: VendorJobsWatch }

export function createProductImportResolvers ({ repositories, importQueue, upsertProducts, jobWatch, jobsWatch }: Dependencies) {
  const { importJobs } = repositories

  const Query = {
    productImportJob: async (caller, { jobId }) => await importJobs.find(caller.vendorId, jobId),

    async productImportJobs (caller, { vendorId: named, status, file, from, to, first: wanted, cursor }, { rows }) {
      const vendorId = vendorOf(caller, named)
      const first = pageSize(wanted, jobPage)
      rows.take('node', first)
      const after = cursor === undefined || cursor === null ? null : jobCursor.decode(cursor)
      // The page begins after a job that must be there: with an unknown one it would begin at the start again.
      if (after !== null && await importJobs.find(vendorId, after) === null) throw forged()
      const among = { status: status ?? null, file: file ?? null, from: timeOf(from), to: timeOf(to) }
      const { nodes, hasNextPage } = await importJobs.page(vendorId, among, { first, after })
      const last = nodes.at(-1)
      return {
        nodes,
        hasNextPage,
        endCursor: last === undefined ? null : jobCursor.encode(last._id),
        totalCount: async () => await importJobs.count(vendorId, among)
      }
    }
  } satisfies QueryResolvers

  const Mutation = {
    async upsertProducts (caller, { vendorId: named, products }, { rows }) {
      const vendorId = vendorOf(caller, named)
      if (products.length > maxProductsPerUpsert) {
        throw badInput(`products must be at most ${maxProductsPerUpsert}; import more than that from files`, 'products')
      }
      rows.take('upsert', products.length)
      return (await upsertProducts(vendorId, products.map(toLine))).map(toElement)
    },

    async processProductImport (caller, { input }, { span }) {
      const { files, mode, dryRun, maxArchivePercent, archiveDespiteUnreadable, idempotencyKey } = input
      const vendorId = vendorOf(caller, input.vendorId)
      const request = { files, mode, dryRun: dryRun ?? false, maxArchivePercent: maxArchivePercent ?? null, archiveDespiteUnreadable: archiveDespiteUnreadable ?? false }
      checkImportRequest(request, 'input.')
      return await importQueue.start(vendorId, request, idempotencyKey ?? null, { startedBy: actorOf(caller), span })
    },

    cancelProductImport: async (caller, { jobId }) => await importQueue.cancel(caller.vendorId, jobId)
  } satisfies MutationResolvers

  const Subscription = {
    productImportJobProgress: (
      caller: Caller, { jobId }: SubscriptionproductImportJobProgressArgs, _context: unknown, _info: unknown, signal: AbortSignal
    ) => jobWatch.follow(caller.vendorId, jobId, signal),

    productImportJobChanges: (
      caller: Caller, { vendorId }: SubscriptionproductImportJobChangesArgs, _context: unknown, _info: unknown, signal: AbortSignal
    ) => jobsWatch.follow(vendorOf(caller, vendorId), signal)
  }

  const ProductImportJob = {
    jobId: (job) => job._id,
    productsUnchanged: ({ productsUnchanged }) => productsUnchanged ?? null,
    speed: ({ speed }) => speed ?? [],
    startedBy: ({ vendorId, startedBy }) => startedBy === undefined ? null : { vendorId, ...toActorNode(startedBy) },
    progress: (job) => job.progress === null ? null : { ...job.progress, percent: percentOf(job, job.progress) }
  } satisfies ProductImportJobResolvers

  return { Query, Mutation, Subscription, ProductImportJob }
}

/**
 * graphql-js reports an Error that stands in a list at the path of that element, and answers null in its place; the
 * resolver types do not know of it.
 */
function toElement (outcome: UpsertedProduct): ProductNode {
  if ('product' in outcome) return toProductNode(outcome.product)
  return badInput(outcome.faults.map((fault) => wordFault(fault)).join('; ')) as unknown as ProductNode
}

const timeOf = (value: Date | string | null | undefined): Date | null => value === null || value === undefined ? null : new Date(value)

function percentOf ({ status }: ImportJob, { bytesRead, bytesTotal }: { bytesRead: number, bytesTotal: number | null }): number | null {
  if (status === 'completed') return 100
  if (bytesTotal === null || bytesTotal === 0) return null
  return Math.min(100, 100 * bytesRead / bytesTotal)
}
