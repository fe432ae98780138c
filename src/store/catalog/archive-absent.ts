/**
 * The end of a REPLACE (decisions.md, "REPLACE"): archives the vendor's products that were live when it began, that the files did not
 * name and that nobody else has written since.
 *
 * Where there may be any, one walk over the index alone finds them: it holds the external ids of the live products, and those make
 * their ids. Only what is absent is read, and archived by its revision, so that a change which is being made right now is not lost.
 * Whatever has got another revision meanwhile is looked at again, until it is archived or was written by others: a link or a store
 * location that is removed (rewrite-products) gives a product another revision, and keeps it as absent as it was.
 */
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Logger } from 'pino'
import { DigestSet } from '../../domain/digest-set.js'
import type { LiveProducts } from '../../domain/live-products.js'
import { productId } from '../../domain/product.js'
import { fatal } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { commitUpdates } from '../database/commit-updates.js'
import { findByIds } from '../database/find-by-ids.js'
import { productPages } from './product-pages.js'
import type { ProductDocument } from './product-document.js'
import type { Fence } from './commit-products.js'
import { createPatience } from '../database/while-away.js'

/** Fails before archiving anything when more than this share of `liveAtStart` would be archived. */
export interface ArchiveGuard { maxArchivePercent: number, liveAtStart: number }

export interface ArchiveAbsentOptions {
  collections: Pick<Collections, 'products'>
  vendorId: string
  jobId: string
  live: LiveProducts
  guard: ArchiveGuard | null
  /** Which run of the job this is; from the second on, some may have been archived already. */
  attempt: number
  dryRun: boolean
  /** Told how many this run has archived so far, as it goes on: the count of a run that is cancelled in the middle of it. */
  onArchived?: (count: number) => void
  fence?: Fence
  signal: AbortSignal
  log: Logger
}

const pageSize = 1_000

const absentFields = { revision: 1, archived: 1, upsertedDuring: 1, archivedByJobId: 1 } as const
type Absent = Pick<ProductDocument, '_id' | keyof typeof absentFields>

/** Resolves with how many products this job has archived, earlier attempts included. Throws a fatal AppError over the guard. */
export async function archiveAbsent (options: ArchiveAbsentOptions): Promise<number> {
  const { collections: { products }, vendorId, jobId, live, guard, attempt, dryRun, onArchived, fence, signal, log } = options
  /** After a crash, or when the walk has begun anew, its own count is too low; then the products are counted. */
  let uncertain = attempt > 1
  const patience = createPatience(signal, log, () => { uncertain = true })

  /** Calls `onPage` with what is to be archived, page by page. */
  async function walk (onPage: (page: Absent[]) => Promise<void>): Promise<void> {
    if (live.unnamed === 0) return
    let ids: string[] = []
    const flush = async (): Promise<void> => {
      signal.throwIfAborted()
      const found = await findByIds(products, ids, absentFields)
      ids = []
      await onPage(found.filter(isToArchive))
    }
    for await (const page of productPages<Pick<ProductDocument, 'externalId'>>(products, { vendorId, archived: false }, { _id: 0, externalId: 1 }, signal)) {
      for (const { externalId } of page) {
        const id = productId(vendorId, externalId)
        if (live.isAbsent(id)) ids.push(id)
        if (ids.length === pageSize) await flush()
      }
    }
    if (ids.length > 0) await flush()
  }

  /**
   * Not by times: what an earlier job has written by a clock that is ahead would seem to be written since. Others can only be upsertProducts, which
   * names the job that it has seen running. One that was under way when this one began, and has not seen it, is as good as made before.
   */
  const isToArchive = ({ archived, upsertedDuring }: Absent): boolean => !archived && upsertedDuring !== jobId

  /**
   * In pages over all of the vendor's products, since others may have brought some back, or do so meanwhile: each is counted once, and what is archived
   * is looked at again. No index holds their jobs: first loads would pay for it, and this is asked after crashes only.
   */
  const countArchived = async (): Promise<number> => await patience(async () => {
    const counted = new DigestSet()
    const fields = { archivedByJobId: 1 }
    for (const archived of [true, false, true]) {
      for await (const page of productPages<Pick<ProductDocument, '_id' | 'archivedByJobId'>>(products, { vendorId, archived }, fields, signal)) {
        for (const { _id, archivedByJobId } of page) if (archivedByJobId === jobId) counted.add(_id)
      }
    }
    return counted.size
  })

  const countAbsent = async (): Promise<number> => await patience(async () => {
    let count = 0
    await walk(async (page) => { count += page.length })
    return count
  })

  if (guard !== null) {
    const absent = await countAbsent() + (attempt > 1 ? await countArchived() : 0)
    const percent = guard.liveAtStart === 0 ? 0 : absent / guard.liveAtStart * 100
    if (percent > guard.maxArchivePercent) {
      throw fatal(`This REPLACE would archive ${absent} of ${guard.liveAtStart} live products (${percent.toFixed(1)} %), ` +
        `more than maxArchivePercent ${guard.maxArchivePercent} allows; nothing was archived`)
    }
  }
  if (dryRun) return await countAbsent()

  let archived = 0
  await patience(async () => { await walk(archive) })
  return uncertain ? await countArchived() : archived

  function count (more: number): void {
    archived += more
    onArchived?.(archived)
  }

  /** Until all of the page is settled. What this job has archived of it is counted before anything can end it. */
  async function archive (page: Absent[]): Promise<void> {
    for (let left = page; left.length > 0;) {
      signal.throwIfAborted()
      const { modifiedCount } = await commitUpdates(products, left.map(archiving), { fence })
      if (modifiedCount === left.length) return count(modifiedCount)
      // Others were faster; or the connection was lost and the driver has sent it again, which not every server takes for the same.
      const found = await findByIds(products, left.map(({ _id }) => _id), absentFields)
      count(found.filter(({ archivedByJobId }) => archivedByJobId === jobId).length)
      left = found.filter((product) => product.archivedByJobId !== jobId && isToArchive(product))
    }
  }

  function archiving ({ _id, revision }: Absent): AnyBulkWriteOperation<ProductDocument> {
    return {
      updateOne: {
        filter: { _id, revision, archived: false },
        update: {
          $set: { archived: true, archivedByJobId: jobId, updatedAt: new Date() },
          $unset: { writtenBy: true, patchHash: true },
          $inc: { revision: 1 }
        }
      }
    }
  }
}
