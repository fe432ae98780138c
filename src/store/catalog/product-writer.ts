/**
 * The one place that writes products, for file imports and upsertProducts alike.
 *
 * A batch costs one look-up of its products and one unordered bulk. They are read, merged in memory and, where the content differs, written: new ones by insert, of old ones
 * what differs, by `_id` and `revision` (product-update), or in the transaction that they were read in (store/database/snapshot). Who loses such a race reads and merges again, so no
 * writer ever overwrites what it has not seen.
 *
 * A line whose patch is, by digest, the one that gave the product its content is done with the product's head alone (marks, size, digest of the last patch). While most are
 * such, as in an unchanged catalog that is loaded again, heads are what is looked up, and the few others are read after. What is too large to be held for a whole
 * batch is read after its head in any case.
 *
 * While all products are new, as in a first load, the heads are not asked for either: the products are inserted, and
 * those that exist after all lose the race and are asked for then. Whether they are, the last batch has shown, or who has asked which lines are known (known-lines). A line that would be judged otherwise by a product
 * that exists always asks.
 *
 * Lines of one product are folded into it in order (judge-group) and written once (commit-products). Memory is bounded: products are read and written in groups
 * (store/database/groups-by-size), however large those of a hostile vendor are. So is its hold of the event loop: it looks at its turn (engine/turn) between two
 * lines and two products, and before each write, where a run that was aborted ends.
 *
 * Queries are by `_id` alone, which is made from the vendor's id (domain/product): no id reaches another vendor's product.
 */
import type { Filter } from 'mongodb'
import type { ImportMode } from '../../domain/import-job.js'
import { earlierOutcome, isCreator } from '../../domain/earlier-outcome.js'
import { productBounds, type ProductBounds } from '../../domain/product-bounds.js'
import type { Settlement } from '../../domain/verdict.js'
import { createTurn, type Turn } from '../../engine/turn.js'
import { unavailable } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { findByIds, findBytesByIds } from '../database/find-by-ids.js'
import { groupsBySize } from '../database/groups-by-size.js'
import { noSnapshot, openSnapshot, type Snapshot } from '../database/snapshot.js'
import { createCommitProducts, type Fence, type InTurn } from './commit-products.js'
import { ImaginedProducts } from './imagined-products.js'
import { createJudgeGroup } from './judge-group.js'
import { applyVerdicts, charactersOf, dependsOnProduct, groupByProduct, keepWhatIsBad, patchHashOfEntry, type Entry, type Group, type Head, type JudgedGroup, type LineVerdict } from './line-groups.js'
import { pauseBefore } from '../database/lost-race-pause.js'
import type { ProductDocument } from './product-document.js'
import { createProductWrites, type ProductWrite } from './product-write.js'
import { StoredProduct } from './stored-product.js'
import type { WritableLine } from './writable-line.js'

export interface ProductWriterOptions {
  vendorId: string
  mode: ImportMode
  /** null: not a job (upsertProducts). */
  jobId: string | null
  /**
   * Of upsertProducts: the vendor's job that is running just now. Asked between reading products and writing them, as the fence is: so nobody who has
   * not seen a job yet takes back the mark of one who has.
   */
  runningJobId?: () => Promise<string | null>
  /** Judges everything, writes nothing. */
  dryRun?: boolean
  fence?: Fence | undefined
  inTurn?: InTurn | undefined
  /** Of the run that the writer belongs to; one of its own when absent. */
  turn?: Turn | undefined
  bounds?: Readonly<ProductBounds>
  /** Called with lines whose verdict is final, before what they change is written; with the fence where their products have a part in it. */
  beforeWrite?: (judged: WritableLine[], fence?: Fence) => Promise<void>
  /** Called before lines are judged again, because others were faster with their products. */
  onLost?: () => void
}

/** Told of a line when what became of it is durable. Maybe again, with the same outcome. */
export type Settle = (line: WritableLine, outcome: Settlement) => void

export interface ProductWriter {
  /** Resolves when all lines are settled; when it rejects, those are that it has told of. Safe to call again with the same lines. */
  write (lines: WritableLine[], settle?: Settle): Promise<void>
  /** Of all that it has written, or may have: whether anything that products are found and counted by is another one now (store/search/search-vocabularies). */
  changesWhatIsFound (): boolean
  /** The products of the first lines are said to be new. It is believed until the writer has looked for itself, and costs a bulk in vain for each batch until then where it is not so. */
  expectNew (): void
}

/** Each lost race means that another writer has won; this many in a row do not happen by chance. A job begins again with the first then (while-away). */
const maxRounds = 50

/** Characters. So many of each product of a batch are as much as a group may hold. */
const smallProduct = 8 * 1024

/** What is known of a stored product. */
type Known = Head & { /** null: its head alone was read. */ product: StoredProduct | null }

const headProjection = { patchHash: 1, createdBy: 1, writtenBy: 1, size: 1 } as const
type HeadDocument = Pick<ProductDocument, '_id' | keyof typeof headProjection>

export function createProductWriter ({ products }: Pick<Collections, 'products'>, options: ProductWriterOptions): ProductWriter {
  const { vendorId, mode, jobId, runningJobId = noJob, dryRun = false, fence, inTurn = async (write) => await write(), beforeWrite, onLost, bounds = productBounds } = options
  const turn = options.turn ?? createTurn(new AbortController().signal)
  const imagined = dryRun ? new ImaginedProducts() : null
  const judgeGroup = createJudgeGroup({ mode, jobId, bounds, turn, toWrite: createProductWrites({ vendorId, jobId }), imagined })
  const commit = createCommitProducts({ products }, { turn, fence, inTurn })
  /** The last batch's products were new, so the next one's are believed to be. Before it has looked for any, what it was told. */
  let expectsNew = false
  let hasLooked = false
  /** The last batch's heads settled most of it, so the next one's are believed to do. */
  let expectsUnchanged = false
  let isFoundOtherwise = false

  async function write (lines: WritableLine[], settle: Settle = () => {}): Promise<void> {
    let groups = groupByProduct(lines)
    const inAll = groups.length
    let isUnasked = false
    for (let round = 0; groups.length > 0; round++) {
      if (round === maxRounds) throw unavailable('Products are being changed by others faster than they can be merged')
      if (round > 1) await turn.pause(pauseBefore(round))
      if (round === 0 && expectsNew) {
        groups = await insertUnasked(groups, settle)
        isUnasked = true
        continue
      }
      const snapshot = round === 0 && groups.length > 1 && !dryRun && !expectsUnchanged ? await openSnapshot(products) : noSnapshot
      try {
        const known = await lookUp(groups, snapshot)
        const rest = settleByHead(groups, known, settle)
        if (round === (isUnasked ? 1 : 0)) {
          hasLooked = true
          expectsNew = (isUnasked ? known.size * 2 < inAll : known.size === 0) && !dryRun
          expectsUnchanged = !expectsNew && rest.length * 2 < groups.length
        }
        groups = await mergeAndWriteAll(rest, known, snapshot, settle)
      } finally {
        await snapshot.end()
      }
    }
  }

  /** Gives the groups that another writer was faster with. */
  async function mergeAndWriteAll (groups: Group[], known: Map<string, Known>, snapshot: Snapshot, settle: Settle): Promise<Group[]> {
    const lost: Group[] = []
    for (const group of groupsBySize(groups, charactersOf, known)) lost.push(...await mergeAndWrite(group, known, snapshot, settle))
    return lost
  }

  /** Gives the groups that have to ask: those whose product exists, and those whose verdict might depend on it. */
  async function insertUnasked (groups: Group[], settle: Settle): Promise<Group[]> {
    const unsure: Group[] = []
    const lost: Group[] = []
    for (const some of groupsBySize(groups, charactersOf, noneKnown)) {
      const sure: JudgedGroup[] = []
      for (const judged of await judgeAll(some, new Map())) {
        if (dependsOnProduct(judged)) unsure.push(judged.group)
        else sure.push(judged)
      }
      lost.push(...await writeJudged(sure, noSnapshot, settle))
    }
    return [...lost, ...unsure]
  }

  async function lookUp (groups: Group[], snapshot: Snapshot): Promise<Map<string, Known>> {
    const known = new Map<string, Known>()
    const ids = groups.map(idOf)
    if (!expectsUnchanged) for (const product of await read(ids, snapshot, { size: { $lte: smallProduct } })) known.set(product.record._id, knownOf(product.record, product))
    // Large ones, and such as there are none of.
    const others = known.size === 0 ? ids : idsWithout(ids, known)
    for (const head of await snapshot.read(async (strength) => await findByIds(products, others, headProjection, strength))) known.set(head._id, knownOf(head, null))
    return known
  }

  const read = async (ids: string[], snapshot: Snapshot, also: Filter<ProductDocument> = {}): Promise<StoredProduct[]> =>
    (await snapshot.read(async (strength) => await findBytesByIds(products, ids, also, strength))).map(toStored)

  /** Settles what the head alone decides. Gives those that need the whole product, or have none. */
  function settleByHead (groups: Group[], known: ReadonlyMap<string, Head>, settle: Settle): Group[] {
    const rest: Group[] = []
    for (const group of groups) {
      const head = known.get(group.id)
      const line = head === undefined ? null : onlyLineIn(group, head, mode)
      if (head === undefined || line === null) rest.push(group)
      else {
        const outcome = outcomeByHead(head, line, jobId)
        isFoundOtherwise ||= outcome === 'created'
        settle(line, outcome)
      }
    }
    return rest
  }

  /** Takes out of `known` what it has merged. */
  async function mergeAndWrite (groups: Group[], known: Map<string, Known>, snapshot: Snapshot, settle: Settle): Promise<Group[]> {
    if (turn.isOver()) await turn.giveWay()
    const existing = new Map<string, StoredProduct>()
    const unread: string[] = []
    for (const { id } of groups) {
      const product = known.get(id)?.product
      known.delete(id)
      if (product === null) unread.push(id)
      else if (product !== undefined) existing.set(id, product)
    }
    for (const product of await read(unread, snapshot)) existing.set(product.record._id, product)
    return await writeJudged(await judgeAll(groups, existing), snapshot, settle)
  }

  /**
   * Each write is made at once as it is sent, and its product taken out of `existing`: of a batch that waits for the database none is kept. It would grow old in the heap, and its
   * answer's bytes with it.
   */
  async function judgeAll (groups: Group[], existing: Map<string, StoredProduct>): Promise<JudgedGroup[]> {
    const duringJobId = await runningJobId()
    const judged: JudgedGroup[] = []
    for (const group of groups) {
      const product = existing.get(group.id) ?? null
      existing.delete(group.id)
      judged.push(await judgeGroup(group, product, duringJobId))
    }
    return judged
  }

  /** Gives the groups that another writer was faster with. */
  async function writeJudged (judged: JudgedGroup[], snapshot: Snapshot, settle: Settle): Promise<Group[]> {
    const lines = judged.flatMap(applyVerdicts)
    await beforeWrite?.(lines, judged.some(dependsOnProduct) ? fence : undefined)
    for (const each of judged) settleLines(each, settle, isBad)
    const lostIds = await commitJudged(judged, snapshot)
    if (lostIds.size > 0) onLost?.()
    const lost: Group[] = []
    for (const each of judged) {
      if (!lostIds.has(each.group.id)) {
        isFoundOtherwise ||= each.verdicts.some(isOfCreated)
        settleLines(each, settle)
        continue
      }
      keepWhatIsBad(each)
      lost.push(each.group)
    }
    return lost
  }

  /**
   * Gives the ids that another writer was faster with. What a job inserts counts as found otherwise when it is known to be made, here or, if another has changed it at once, by its mark when
   * it is met again: a catalog that was only taken for new is not.
   */
  async function commitJudged (judged: JudgedGroup[], snapshot: Snapshot): Promise<Set<string>> {
    const writes = judged.flatMap(writesOf)
    isFoundOtherwise ||= writes.some(jobId === null ? isOfMoreThanVariants : isOfMoreThanVariantsOfStored)
    if (dryRun) return new Set()
    try {
      return await commit(writes, snapshot)
    } catch (error) {
      isFoundOtherwise ||= writes.some(isOfMoreThanVariants)
      throw error
    }
  }

  return { write, changesWhatIsFound: () => isFoundOtherwise, expectNew: () => { if (!hasLooked) expectsNew = !dryRun } }
}

// What is done for each line is a function of its own: one that is made for a job, or a batch, is compiled for each anew (docs/performance.md, "What is compiled once").

const noneKnown: ReadonlyMap<string, Head> = new Map()
const idOf = ({ id }: Group): string => id
const toStored = (bytes: Uint8Array): StoredProduct => new StoredProduct(bytes)
const isBad = ({ faults }: WritableLine): boolean => faults.length > 0
const isAny = (_line: WritableLine): boolean => true
const writesOf = ({ write }: JudgedGroup): ProductWrite[] => write === null ? [] : [write]
const isOfMoreThanVariants = ({ isOfVariants }: ProductWrite): boolean => !isOfVariants
const isOfMoreThanVariantsOfStored = ({ operation, isOfVariants }: ProductWrite): boolean => !isOfVariants && !('insertOne' in operation)
const isOfCreated = ({ outcome }: LineVerdict): boolean => outcome === 'created'
const knownOf = ({ patchHash = null, createdBy = null, writtenBy = null, size }: Omit<HeadDocument, '_id'>, product: StoredProduct | null): Known => ({ patchHash, createdBy, writtenBy, size, product })

function idsWithout (ids: readonly string[], known: ReadonlyMap<string, unknown>): string[] {
  const others: string[] = []
  for (const id of ids) if (!known.has(id)) others.push(id)
  return others
}

/** The line that the product's head says all of. null: there is none, or there are others. */
function onlyLineIn ({ entries: [entry, second] }: Group, head: Head, mode: ImportMode): WritableLine | null {
  if (entry === undefined || second !== undefined) return null
  const { line, final } = entry
  return final !== null || line.faults.length > 0 || line.patch === null || head.patchHash !== patchHashOfEntry(entry, mode) ? null : line
}

/** The product holds the line: because an earlier try of the job has written it, or since before. */
function outcomeByHead (head: Head, { position }: WritableLine, jobId: string | null): Settlement {
  if (jobId === null) return 'unchanged'
  return isCreator(head, position, jobId) ? 'created' : earlierOutcome(head, position, jobId) ?? 'unchanged'
}

function settleLines ({ group: { entries }, verdicts }: JudgedGroup, settle: Settle, isMeant = isAny): void {
  for (let index = 0; index < entries.length; index++) {
    const { line } = entries[index] as Entry
    const verdict = verdicts[index]
    if (verdict !== undefined && isMeant(line)) settle(line, verdict.outcome)
  }
}

const noJob = async (): Promise<null> => null
