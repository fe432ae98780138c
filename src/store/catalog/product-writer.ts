/**
 * The one place that writes products, for file imports and upsertProducts alike.
 *
 * A batch costs one look-up of the heads of its products (marks, size, digest of the last patch) and one unordered bulk.
 * A line whose patch is, by digest, the one that gave the product its content is done with the head alone; that is what
 * makes re-loading an unchanged catalog cheap. Only the others are read whole, merged in memory and, where the content
 * differs, written: new ones by insert, old ones replaced by `_id` and `revision`. Who loses such a race reads and merges
 * again, so no writer ever overwrites what it has not seen.
 *
 * While all products are new, as in a first load, the heads are not asked for either: the products are inserted, and
 * those that exist after all lose the race and are asked for then. A line that would be judged otherwise by a product
 * that exists always asks.
 *
 * Lines of one product are folded into it in order (domain/product-fold) and written once. Memory is bounded: products are read and written in groups
 * (store/database/groups-by-size), however large those of a hostile vendor are. So is its hold of the event loop: it looks at its turn (engine/turn) between two
 * lines and two products, and before each write, where a run that was aborted ends.
 *
 * Queries are by `_id` alone, which is made from the vendor's id (domain/product): no id reaches another vendor's product.
 */
import { randomBytes } from 'node:crypto'
import type { AnyBulkWriteOperation, MongoBulkWriteError } from 'mongodb'
import { DigestSet } from '../../domain/digest-set.js'
import type { ImportMode } from '../../domain/import-job.js'
import type { Fault, Warning } from '../../domain/issue.js'
import { earlierOutcome, isCreator } from '../../domain/earlier-outcome.js'
import type { MergeablePatch } from '../../domain/mergeable-patch.js'
import { productBounds, type ProductBounds } from '../../domain/product-bounds.js'
import { ProductFold } from '../../domain/product-fold.js'
import type { Outcome } from '../../domain/verdict.js'
import { markLine, variantId, type LineMark, type Product } from '../../domain/product.js'
import { createTurn, type Turn } from '../../engine/turn.js'
import { unavailable } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { findByIds } from '../database/find-by-ids.js'
import { groupsBySize } from '../database/groups-by-size.js'
import { lasting } from '../database/lasting-reads.js'
import { pauseBefore } from './lost-race-pause.js'
import { patchHashOf } from './patch-hash.js'
import { fromDocument, toDocument, type ProductDocument } from './product-document.js'
import { charactersIn } from './product-size.js'
import type { WritableLine } from './writable-line.js'

/**
 * Rejects when another worker has the job, or has ended it: then later jobs may have written since. Asked between reading products and
 * writing them, or what is wrong with their lines: what was read is from before, and a product that is written late loses by its revision.
 */
export type Fence = () => Promise<void>

/** Does a write when it is this writer's turn. */
export type InTurn = <T>(write: () => Promise<T>) => Promise<T>

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
export type Settle = (line: WritableLine, outcome: Outcome) => void

export interface ProductWriter {
  /** Resolves when all lines are settled; when it rejects, those are that it has told of. Safe to call again with the same lines. */
  write (lines: WritableLine[], settle?: Settle): Promise<void>
}

/** Each lost race means that another writer has won; this many in a row do not happen by chance. A job begins again with the first then (while-away). */
const maxRounds = 50

type Head = Pick<Product, 'patchHash' | 'createdBy' | 'writtenBy' | 'size'>
const headProjection = { patchHash: 1, createdBy: 1, writtenBy: 1, size: 1 } as const

interface Entry {
  line: WritableLine
  outcome: Outcome
  /** As the stages left them. */
  faults: readonly Fault[]
  warnings: readonly Warning[]
  /** Found bad, and lost the race with its product's other lines: stays so. */
  isJudged: boolean
}
/** The lines of one product. */
interface Group { id: string, entries: Entry[] }
interface GroupFold {
  product: Product | null
  fold: ProductFold
  /** That has changed something. */
  last: Entry | null
  creator: Entry | null
}
interface Write { id: string, writeId: string, operation: AnyBulkWriteOperation<ProductDocument> }

export function createProductWriter ({ products }: Pick<Collections, 'products'>, options: ProductWriterOptions): ProductWriter {
  const { vendorId, mode, jobId, runningJobId = noJob, dryRun = false, fence, inTurn = async (write) => await write(), beforeWrite, onLost, bounds = productBounds } = options
  const turn = options.turn ?? createTurn(new AbortController().signal)
  const writerId = randomBytes(9).toString('base64url')
  let writes = 0
  /** The last batch's products were new, so the next one's are believed to be. */
  let expectsNew = false
  /** What a dry run would have made: products and variants. */
  const imagined = new DigestSet()

  async function write (lines: WritableLine[], settle: Settle = () => {}): Promise<void> {
    let groups = groupByProduct(lines)
    for (let round = 0; groups.length > 0; round++) {
      if (round === maxRounds) throw unavailable('Products are being changed by others faster than they can be merged')
      if (round > 1) await turn.pause(pauseBefore(round))
      if (round === 0 && expectsNew) {
        groups = await insertUnasked(groups, settle)
        continue
      }
      const lost: Group[] = []
      const { known, rest } = await settleByHead(groups, settle)
      if (round === 0) expectsNew = known.size === 0 && !dryRun
      for (const group of groupsBySize(rest, (group) => charactersOf(group, known))) lost.push(...await mergeAndWrite(group, known, settle))
      groups = lost
    }
  }

  /** Gives the groups that have to ask: those whose product exists, and those whose verdict might depend on it. */
  async function insertUnasked (groups: Group[], settle: Settle): Promise<Group[]> {
    const unsure: Group[] = []
    const lost: Group[] = []
    for (const some of groupsBySize(groups, (group) => charactersOf(group))) {
      const sure: Group[] = []
      const made: Write[] = []
      for (const [group, write] of await foldAll(some, new Map())) {
        if (dependsOnProduct(group)) {
          for (const { line, faults, warnings } of group.entries) Object.assign(line, { faults, warnings })
          unsure.push(group)
          continue
        }
        sure.push(group)
        if (write !== null) made.push(write)
      }
      lost.push(...await writeGroups(sure, made, settle))
    }
    expectsNew = lost.length * 2 < groups.length
    return [...lost, ...unsure]
  }

  function groupByProduct (lines: WritableLine[]): Group[] {
    const groups = new Map<string, Group>()
    for (const line of lines) {
      const entry: Entry = { line, outcome: 'skipped', faults: line.faults, warnings: line.warnings, isJudged: false }
      const id = line.productId
      const group = groups.get(id)
      if (group === undefined) groups.set(id, { id, entries: [entry] })
      else group.entries.push(entry)
    }
    return [...groups.values()]
  }

  /** Settles what the head alone decides; `rest` needs the whole product, or has none. */
  async function settleByHead (groups: Group[], settle: Settle): Promise<{ known: Map<string, Head>, rest: Group[] }> {
    const known = new Map<string, Head>()
    const ids = groups.map(({ id }) => id)
    for (const { _id, patchHash = null, createdBy = null, writtenBy = null, size } of await findByIds(products, ids, headProjection, lasting)) {
      known.set(_id, { patchHash, createdBy, writtenBy, size })
    }
    const rest = groups.filter(({ id, entries }) => {
      const head = known.get(id)
      const [entry, second] = entries
      if (head === undefined || entry === undefined || second !== undefined) return true
      const { line } = entry
      if (entry.isJudged || line.faults.length > 0 || line.patch === null || head.patchHash !== patchHashOfEntry(entry)) return true
      settle(line, jobId !== null && isCreator(head, line.position, jobId) ? 'created' : 'updated')
      return false
    })
    return { known, rest }
  }

  async function mergeAndWrite (groups: Group[], known: Map<string, Head>, settle: Settle): Promise<Group[]> {
    if (turn.isOver()) await turn.giveWay()
    const ids = groups.filter(({ id }) => known.has(id)).map(({ id }) => id)
    const existing = new Map((await findByIds(products, ids, undefined, lasting)).map((document) => [document._id, fromDocument(document)]))
    const made: Write[] = []
    for (const [, write] of await foldAll(groups, existing)) if (write !== null) made.push(write)
    return await writeGroups(groups, made, settle)
  }

  /** What is to be written for each group; null when nothing changes. */
  async function foldAll (groups: Group[], existing: Map<string, Product>): Promise<Array<[Group, Write | null]>> {
    const duringJobId = await runningJobId()
    const folded: Array<[Group, Write | null]> = []
    for (const group of groups) {
      const of = foldOf(group, existing.get(group.id) ?? null)
      for (const entry of group.entries) {
        apply(entry, of)
        if (turn.isOver()) await turn.giveWay()
      }
      folded.push([group, of.last === null ? null : toWrite(group, of, of.last, duringJobId)])
    }
    return folded
  }

  /** Gives the groups that another writer was faster with. */
  async function writeGroups (groups: Group[], made: Write[], settle: Settle): Promise<Group[]> {
    await beforeWrite?.(linesOf(groups), groups.some(dependsOnProduct) ? fence : undefined)
    for (const { entries } of groups) for (const { line, outcome } of entries) if (line.faults.length > 0) settle(line, outcome)
    const lost = dryRun ? [] : await commitGroups(made, groups)
    for (const group of groups) if (!lost.includes(group)) for (const { line, outcome } of group.entries) settle(line, outcome)
    return lost
  }

  /** Gives the groups that another writer was faster with. */
  async function commitGroups (made: Write[], groups: Group[]): Promise<Group[]> {
    if (made.length === 0) return []
    const lostIds = await commit(made)
    if (lostIds.size === 0) return []
    onLost?.()
    const lost = groups.filter(({ id }) => lostIds.has(id))
    // What was found bad is stored by now, and stays so whatever the other writer has made of the product.
    for (const { entries } of lost) for (const entry of entries) if (entry.line.faults.length > 0) entry.isJudged = true
    return lost
  }

  /** Takes a product's lines one after the other. */
  function foldOf ({ id }: Group, product: Product | null): GroupFold {
    const fold = new ProductFold(product, {
      productId: id,
      mode,
      bounds,
      characters: product?.size ?? 0,
      exists: product !== null || (dryRun && imagined.has(id)),
      imaginesVariant: dryRun ? (externalId) => imagined.has(variantId(id, externalId)) : never
    })
    return { product, fold, last: null, creator: null }
  }

  function apply (entry: Entry, of: GroupFold): void {
    const { line } = entry
    if (line.patch === null || entry.isJudged) return
    const earlier = of.product === null || jobId === null ? null : earlierOutcome(of.product, line.position, jobId)
    if (earlier !== null) {
      entry.outcome = earlier
      return
    }
    const { outcome, faults, warnings, isChange } = of.fold.apply(line.patch, entry.faults, line.characters)
    entry.outcome = outcome
    // Missing fields first: they are what a merchant looks for.
    line.faults = faults.length === 0 ? entry.faults : [...faults, ...entry.faults]
    line.warnings = warnings.length === 0 ? entry.warnings : [...entry.warnings, ...warnings]
    if (outcome === 'skipped') return
    if (dryRun) imagine(line.productId, line.patch)
    if (outcome === 'created') of.creator = entry
    if (isChange) of.last = entry
  }

  function imagine (id: string, patch: MergeablePatch): void {
    imagined.add(id)
    for (const { externalId } of patch.variants ?? []) imagined.add(variantId(id, externalId))
  }

  /** At once what is sent, so that of a batch that waits for the database no product is kept beside its document. */
  function toWrite ({ id, entries }: Group, { product, fold: { content }, creator }: GroupFold, last: Entry, duringJobId: string | null): Write {
    const { line } = last
    const now = new Date()
    const mark = ({ position }: WritableLine): LineMark | null => jobId === null ? null : markLine(jobId, position)
    const writeId = `${writerId}.${writes++}`
    const document = toDocument({
      _id: id,
      vendorId,
      externalId: line.externalId,
      revision: (product?.revision ?? 0) + 1,
      writeId,
      createdAt: product?.createdAt ?? now,
      updatedAt: now,
      createdBy: product === null ? (creator === null ? null : mark(creator.line)) : product.createdBy,
      // upsertProducts leaves the mark: a re-run of the job must still know what it has applied.
      writtenBy: mark(line) ?? product?.writtenBy ?? null,
      upsertedDuring: jobId === null ? duringJobId : product?.upsertedDuring ?? null,
      archivedByJobId: product?.archivedByJobId ?? null,
      // A line that warned must warn again next time, so it must be merged again.
      patchHash: line.warnings.length > 0 ? null : patchHashOfEntry(last),
      // A new product holds what its line says; for others the exact sum is taken, or it would only ever grow.
      size: product === null && entries.length === 1 ? line.characters : charactersIn(content)
    }, content)
    return {
      id,
      writeId,
      operation: product === null ? { insertOne: { document } } : { replaceOne: { filter: { _id: id, revision: product.revision }, replacement: document } }
    }
  }

  /** Writes in one bulk; gives the ids that another writer was faster with. */
  async function commit (made: Write[]): Promise<Set<string>> {
    const operations = made.map(({ operation }) => operation)
    const written = await inTurn(async () => {
      if (turn.isOver()) await turn.giveWay()
      await fence?.()
      try {
        const { insertedCount, matchedCount } = await products.bulkWrite(operations, { ordered: false })
        return insertedCount + matchedCount
      } catch (error) {
        ignoreDuplicates(error)
        return (error as MongoBulkWriteError).insertedCount + (error as MongoBulkWriteError).matchedCount
      }
    })
    return written === made.length ? new Set() : await findLost(made)
  }

  /** The bulk's result counts but does not name them, so the documents are asked whose write they hold. */
  async function findLost (made: Write[]): Promise<Set<string>> {
    const lost = new Map(made.map(({ id, writeId }) => [id, writeId]))
    for (const { _id, writeId } of await findByIds(products, [...lost.keys()], { writeId: 1 })) {
      if (lost.get(_id) === writeId) lost.delete(_id)
    }
    return new Set(lost.keys())
  }

  const patchHashOfEntry = ({ line: { digest, patch } }: Entry): string | null => patch === null ? null : patchHashOf(digest, patch, mode)

  return { write }
}

const never = (): boolean => false
const noJob = async (): Promise<null> => null

/** What is wrong with some line depends on its product: who meets the product later may judge it otherwise. */
const dependsOnProduct = ({ entries }: Group): boolean =>
  entries.some(({ line, faults, warnings }) => line.faults.length !== faults.length || line.warnings.length !== warnings.length)

const linesOf = (groups: Group[]): WritableLine[] => groups.flatMap(({ entries }) => entries.map(({ line }) => line))

/** Characters of a product, as far as it is known, and of what its lines add. */
function charactersOf ({ id, entries }: Group, known?: Map<string, Head>): number {
  let characters = known?.get(id)?.size ?? 0
  for (const { line } of entries) characters += line.characters
  return characters
}
