/**
 * Batched reads of nested fields: one query for all rows of a request that select the field, never one per row. All rows
 * of a request belong to the caller's vendor, because their root fields read nothing else.
 */
import type { MercuriusLoaders } from 'mercurius'
import { showTarget } from '../../domain/fitment-target.js'
import type { Lane } from '../../domain/lane.js'
import { wordIssue } from '../../domain/issue.js'
import { createBoundedMap } from '../../domain/bounded-map.js'
import { isOver, type ImportJob } from '../../domain/import-job.js'
import { isAppError } from '../../errors.js'
import type { Severity } from '../../store/jobs/issue-ids.js'
import type { Repositories } from '../../store/repositories.js'
import type { AnswerBudget } from './limits/answer-budget.js'
import type { ProductImportIssue, ProductImportIssueCount } from './generated.js'
import { toStoreLocation, type VariantNode } from './nodes.js'
import { pageSize } from './limits/page-size.js'
import type { RowBudget } from './limits/row-budget.js'

/** Of some tens of codes each. */
const maxKeptCounts = 1_000
/** One job may have as many issues as make a tenth of what a request may compute. */
const budgetedFigures = 10
const severityNames = { error: 'ERROR', warning: 'WARNING' } as const
const issuePage = { min: 0, max: 10_000, default: 1_000 }

interface OfVendor { vendorId: string }
/** A product, or a variant, which has its product's as well. */
interface Targeted { fitmentTargetIds: readonly string[], productTargetIds?: readonly string[] }
interface Query<T> { obj: T }

export function createLoaders ({ links, fitmentFacets, lanes, workers, importIssues, integrationApiKeys }: Repositories): MercuriusLoaders {
  async function fitmentTargets (queries: Array<Query<OfVendor & Targeted>>, { budget }: { budget: AnswerBudget }) {
    // Each variant has all of its product's, so there may be millions; they are counted before they are listed.
    budget.expect('fields', queries.reduce((sum, { obj }) => sum + obj.fitmentTargetIds.length + (obj.productTargetIds?.length ?? 0), 0))
    const lists = queries.map(({ obj }) => targetsOf(obj))
    const wanted = new Set(lists.flat())
    if (wanted.size === 0) return queries.map(() => [])
    const [found, facets] = await Promise.all([links.fitmentTargets(vendorOfAll(queries), [...wanted]), fitmentFacets.list(vendorOfAll(queries))])
    const shown = new Map(Array.from(found, ([id, target]) => [id, showTarget(target, facets)]))
    // A link to a target that was deleted a moment ago is no link.
    return lists.map((ids) => ids.map((id) => shown.get(id)).filter((target) => target !== undefined))
  }

  async function sizeChart (queries: Array<Query<OfVendor & { sizeChartId: string | null }>>) {
    const wanted = new Set(queries.map(({ obj }) => obj.sizeChartId).filter((id) => id !== null))
    const found = await links.sizeCharts(vendorOfAll(queries), [...wanted])
    // So is a link to a chart: its deletion is what unlinks it.
    return queries.map(({ obj }) => obj.sizeChartId === null ? null : found.get(obj.sizeChartId) ?? null)
  }

  async function inventoryByLocation (queries: Array<Query<VariantNode>>) {
    const stocked = queries.some(({ obj }) => obj.locationQuantities.length > 0)
    const locations = stocked ? await links.storeLocations(vendorOfAll(queries)) : []
    const byId = new Map(locations.map((location) => [location._id, toStoreLocation(location)]))
    return queries.map(({ obj }) => obj.locationQuantities.flatMap(({ locationId, quantity }) => {
      const storeLocation = byId.get(locationId)
      return storeLocation === undefined ? [] : [{ storeLocation, quantity }]
    }))
  }

  async function queuePosition (queries: Array<Query<ImportJob>>) {
    const waits = queries.some(({ obj }) => obj.status === 'queued')
    const lane: Pick<Lane, 'queue'> = waits ? await lanes.find(vendorOfAll(queries)) : { queue: [] }
    const places = new Map(lane.queue.map(({ jobId }, index) => [jobId, index + 1]))
    return queries.map(({ obj }) => obj.status === 'queued' ? places.get(obj._id) ?? null : null)
  }

  /** Of jobs that are over: those stay as they are. */
  const countsOfOver = createBoundedMap<string, ProductImportIssueCount[]>(maxKeptCounts)

  async function issueCounts (queries: Array<Query<ImportJob>>, { rows }: { rows: RowBudget }): Promise<ProductImportIssueCount[][]> {
    const lists: ProductImportIssueCount[][] = []
    for (const { obj: job } of queries) {
      const known = countsOfOver.get(job._id)
      // All that the job has kept is looked through.
      if (known === undefined) rows.take('figure', budgetedFigures)
      const counts = known ?? (await importIssues.countsByCode(job.vendorId, job._id, !isOver(job))).map(({ severity, code, count }) => ({ severity: severityNames[severity], code, count }))
      if (isOver(job)) countsOfOver.set(job._id, counts)
      lists.push(counts)
    }
    return lists
  }

  async function keyName (queries: Array<Query<OfVendor & { keyId: string | null, actor: string }>>) {
    const ids = queries.flatMap(({ obj: { actor, keyId } }) => actor === 'INTEGRATION_KEY' && keyId !== null ? [keyId] : [])
    const names = ids.length === 0 ? new Map<string, string>() : await integrationApiKeys.namesOf(vendorOfAll(queries), [...new Set(ids)])
    return queries.map(({ obj: { keyId } }) => keyId === null ? null : names.get(keyId) ?? null)
  }

  async function workerHeartbeatAt (queries: unknown[]) {
    const heartbeat = await workers.lastHeartbeat()
    return queries.map(() => heartbeat)
  }

  const issues = (severity: Severity) =>
    async (
      queries: Array<Query<ImportJob> & { params: { first?: number | null } }>, { rows }: { rows: RowBudget }
    ): Promise<ProductImportIssue[][]> => {
      const lists: ProductImportIssue[][] = []
      // One after the other, so that the budget bounds what is in memory, not only what is answered.
      for (const { obj, params } of queries) {
        lists.push(await listIssues(obj, severity, params.first, rows).catch(refusedElement))
      }
      return lists
    }

  async function listIssues (job: ImportJob, severity: Severity, wanted: number | null | undefined, rows: RowBudget) {
    const first = pageSize(wanted, issuePage)
    if (first === 0) return []
    const found = await importIssues.list(job.vendorId, job._id, severity, Math.min(first, rows.left('issue') + 1), job.files.length)
    rows.take('issue', found.length)
    return found.map((issue) => (
      { codes: issue.faults.map(({ code }) => code), line: issue.line, externalId: issue.externalId, file: issue.file, message: wordIssue(issue) }
    ))
  }

  return {
    Product: { fitmentTargets, sizeChart },
    Variant: { fitmentTargets, sizeChart, inventoryByLocation },
    ProductImportJob: {
      errorDetails: issues('error'), warningDetails: issues('warning'), issueCounts, queuePosition, workerHeartbeatAt
    },
    ImportStarter: { keyName }
  }
}

function targetsOf ({ fitmentTargetIds: own, productTargetIds: ofProduct = [] }: Targeted): readonly string[] {
  if (own.length === 0) return ofProduct
  return ofProduct.length === 0 ? own : [...new Set([...own, ...ofProduct])]
}

const vendorOfAll = (queries: Array<Query<OfVendor>>): string => queries[0]?.obj.vendorId ?? ''

/** Refuses this one field: an Error in place of a value is reported by graphql-js at its path. */
function refusedElement (error: unknown): ProductImportIssue[] {
  if (isAppError(error)) return error as unknown as ProductImportIssue[]
  throw error
}
