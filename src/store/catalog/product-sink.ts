/**
 * The end of a product import's pipeline: counts what became of every line, records issues, tells a REPLACE which products the
 * files named, and has the writer write. Lines that are known to be unchanged are only counted.
 *
 * Exact over attempts: on a re-run, a line that an earlier attempt found bad stays bad (its issue stands), and a line that
 * was applied counts as it did then (domain/earlier-outcome). Issues are stored before the products of the same lines, so
 * whatever a crash leaves behind, the verdict is there if its effect is. A run that ends in the middle of a batch has counted the lines
 * of which either is stored, and no others.
 */
import { emptyStats, type ImportMode, type ImportStats } from '../../domain/import-job.js'
import { clip, type Fault } from '../../domain/issue.js'
import type { LiveProducts } from '../../domain/live-products.js'
import { PendingProducts } from '../../domain/pending-products.js'
import type { Settlement } from '../../domain/verdict.js'
import { productId, type LinePosition } from '../../domain/product.js'
import type { Batch, Envelope } from '../../engine/envelope.js'
import type { Sink } from '../../engine/run-pipeline.js'
import type { Turn } from '../../engine/turn.js'
import { changingProducts } from '../../stages/parse-unless-known.js'
import type { ResolvedPatch } from '../../stages/resolve-links.js'
import type { Collections } from '../database/connection.js'
import type { ImportIssues } from '../jobs/import-issues.js'
import { createIssueRecorder } from '../jobs/issue-recorder.js'
import type { Fence, InTurn } from './commit-products.js'
import { createProductWriter } from './product-writer.js'
import type { Patience } from '../database/while-away.js'
import { toWritableLine, type WritableLine } from './writable-line.js'

export interface ProductSinkOptions {
  collections: Pick<Collections, 'products'>
  issues: ImportIssues
  vendorId: string
  jobId: string
  mode: ImportMode
  /** Of a REPLACE; told of every product that may change. */
  live?: LiveProducts | undefined
  files: string[]
  /** Which run of the job this is; from the second on, what was judged before stands. */
  attempt: number
  dryRun: boolean
  fence?: Fence
  inTurn?: InTurn | undefined
  /** The run's. */
  turn?: Turn | undefined
  patience: Patience
  /** For batches on their way through the stages and being written; as many as come when absent. */
  room?: BatchRoom | undefined
  /** How many issues are kept; see issue-recorder. */
  maxKeptIssues?: number | undefined
}

export interface BatchRoom {
  /** Resolves when there is room for one more. Rejects with the abort's reason. */
  take: () => Promise<void>
  /** One has been written, or has failed. */
  free: () => void
}

export interface ProductSink extends Sink<ResolvedPatch> {
  stats: ImportStats
  /**
   * Of those updated, the lines that left their product as it was. null: it is not known, because something was done again, and may have found
   * what it had written itself.
   */
  unchanged (): number | null
  /** As ProductWriter's; of this run alone. */
  changesWhatIsFound (): boolean
  /** As ProductWriter's. */
  expectNew (): void
  /** The products of which lines are on their way through the stages or being written. */
  pending: PendingProducts
  /** Told once per code and job (decisions.md, "Inventory per location"). */
  countUnknownStoreCode: (code: string, envelope: Envelope<unknown>, path: string) => void
  /** Records what is told once per job. */
  finish (): Promise<void>
}

/**
 * One that is prepared, one that waits at the database, and one that it writes; two when their lines are long. There is room for fewer where other vendors
 * have batches in hand (BatchRoom).
 */
const maxInFlight = 3
const maxCharactersInFlight = 4 * 1024 * 1024

/** More distinct wrong codes than this tell a merchant nothing new. */
const maxUnknownStoreCodes = 1_000
/** Behind the warnings of the same line, of which there are fewer. */
const storeCodeOrdinal = 1_000

export function createProductSink (options: ProductSinkOptions): ProductSink {
  const { collections, issues, vendorId, jobId, mode, live, files, attempt, dryRun, fence, inTurn, turn, patience, room, maxKeptIssues } = options
  const stats = emptyStats()
  let unchanged = 0
  let isAnythingDoneAgain = attempt > 1
  const recorder = createIssueRecorder({ issues, vendorId, jobId, files, attempt, maxKept: maxKeptIssues })
  const pending = new PendingProducts()
  const unknownStoreCodes = new Map<string, { position: LinePosition, externalId: string | null, path: string, count: number }>()
  const writer = createProductWriter(collections, {
    vendorId,
    mode,
    jobId,
    dryRun,
    fence,
    inTurn,
    turn,
    beforeWrite: recorder.record,
    onLost: recorder.expectKnown
  })

  /** The batches being written, in the order of their lines, and the products in each. */
  const inFlight: Array<{ products: Set<string>, characters: number, done: Promise<void> }> = []

  /**
   * Several batches are in flight at a time, so that this process prepares one while the database writes the others. They
   * never hold the same product: then the later one waits, and its lines apply on top of the earlier one's. Resolves when there is
   * room for another one.
   */
  async function write (batch: Batch<ResolvedPatch>): Promise<void> {
    const lines = changingLines(batch, vendorId)
    const unchangedCount = batch.length - lines.length
    const changing = changingProducts(batch)
    const products = new Set<string>()
    for (const { externalId, productId } of lines) if (externalId !== '') products.add(productId)
    if (live !== undefined) {
      for (const id of products) live.change(id)
      for (const envelope of batch) if (envelope.externalId === null) nameUnread(live, envelope)
    }
    for (const { products: earlier, done } of [...inFlight]) if (intersects(earlier, products)) await done
    stats.productsProcessed += unchangedCount
    stats.productsUpdated += unchangedCount
    unchanged += unchangedCount
    const done = writeNow(lines).then(() => { pending.remove(changing) }).finally(() => { room?.free() })
    // Whoever comes next, or flush, hears of its failure.
    done.catch(() => {})
    inFlight.push({ products, characters: charactersOf(lines), done })
    while (isFull()) await endOldest()
  }

  function nameUnread (live: LiveProducts, { position, salvagedId }: Envelope<unknown>): void {
    if (salvagedId === null) live.leaveUntold(position)
    else live.name(productId(vendorId, salvagedId))
  }

  const isFull = (): boolean => inFlight.length >= maxInFlight || (inFlight.length > 1 && charactersOf(inFlight) > maxCharactersInFlight)

  async function flush (): Promise<void> {
    // One that has failed does not end the others, which still write.
    await Promise.allSettled(inFlight.map(({ done }) => done))
    while (inFlight.length > 0) await endOldest()
  }

  /** Rejects, for good, when its writing has failed. */
  async function endOldest (): Promise<void> {
    await inFlight[0]?.done
    inFlight.shift()
  }

  async function writeNow (batch: WritableLine[]): Promise<void> {
    const first = batch[0]
    const last = batch.at(-1)
    if (first === undefined || last === undefined) return
    let tries = 0
    /** By line: what is repeated settles a line as it was settled before. */
    const settled = new Map<number, Settlement>()
    const settle = ({ position }: WritableLine, outcome: Settlement): void => { settled.set(position.line, outcome) }
    await patience(async () => {
      const isAgain = attempt > 1 || tries++ > 0
      if (isAgain) {
        recorder.expectKnown()
        isAnythingDoneAgain = true
      }
      const earlier = isAgain
        ? await issues.errorsBetween(jobId, first.position.file, first.position.line, last.position.line)
        : new Map<number, Fault[]>()
      const readable: WritableLine[] = []
      const unreadable: WritableLine[] = []
      for (const line of batch) {
        const faults = earlier.get(line.position.line)
        if (faults !== undefined) unreadable.push({ ...line, patch: null, faults, warnings: [] })
        else if (line.externalId === '' || line.patch === null) unreadable.push(line)
        // A copy: a repeated write starts from what the stages found.
        else readable.push({ ...line })
      }
      await recorder.record(unreadable)
      for (const line of unreadable) settle(line, 'skipped')
      await writer.write(readable, settle)
    }).finally(() => { unchanged += countOutcomes(settled.values(), stats) })
  }

  function countUnknownStoreCode (code: string, { position, externalId }: Envelope<unknown>, path: string): void {
    // As it is told: a line may hold megabytes of one.
    const name = clip(code)
    const known = unknownStoreCodes.get(name)
    if (known !== undefined) known.count += 1
    else if (unknownStoreCodes.size < maxUnknownStoreCodes) unknownStoreCodes.set(name, { position, externalId, path, count: 1 })
  }

  async function finish (): Promise<void> {
    let ordinal = storeCodeOrdinal
    for (const [code, { position, externalId, path, count }] of unknownStoreCodes) {
      const faults = [{ code: 'unknown-store-code' as const, path, detail: code }]
      const issue = { severity: 'warning' as const, position, line: position.line, externalId, faults, count, ordinal: ordinal++ }
      await patience(async () => { await recorder.recordOnce(issue) })
    }
  }

  return { room: room?.take, write, flush, stats, unchanged: () => isAnythingDoneAgain ? null : unchanged, changesWhatIsFound: writer.changesWhatIsFound, expectNew: writer.expectNew, pending, countUnknownStoreCode, finish }
}

// What is done for each line is a function of its own: one that is made for a job, or a batch, is compiled for each anew (docs/performance.md, "What is compiled once").

function changingLines (batch: Batch<ResolvedPatch>, vendorId: string): WritableLine[] {
  const lines: WritableLine[] = []
  for (const envelope of batch) if (!envelope.unchanged) lines.push(toWritableLine(envelope, vendorId))
  return lines
}

function charactersOf (items: ReadonlyArray<{ characters: number }>): number {
  let sum = 0
  for (const { characters } of items) sum += characters
  return sum
}

/** Gives how many lines have left their product as it was. */
function countOutcomes (outcomes: Iterable<Settlement>, stats: ImportStats): number {
  let unchanged = 0
  for (const outcome of outcomes) {
    stats.productsProcessed += 1
    if (outcome === 'created') stats.productsCreated += 1
    else if (outcome !== 'skipped') stats.productsUpdated += 1
    if (outcome === 'unchanged') unchanged += 1
  }
  stats.productsSkipped = stats.productsProcessed - stats.productsCreated - stats.productsUpdated
  stats.errors = stats.productsSkipped
  return unchanged
}

function intersects (a: Set<string>, b: Set<string>): boolean {
  for (const item of b) if (a.has(item)) return true
  return false
}
