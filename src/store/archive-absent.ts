/**
 * The end of a REPLACE (decisions.md, "REPLACE"): archives the vendor's live products that the files did not name and that
 * nobody else has written since the job began. Walks the vendor's live products in the order of their index, page by page;
 * each is archived by its revision, so one that is being changed right now is left alone.
 */
import type { AnyBulkWriteOperation } from 'mongodb'
import type { DigestSet } from '../domain/digest-set.js'
import type { Product } from '../domain/product.js'
import { fatal } from '../errors.js'
import type { Collections } from './connection.js'
import { createPatience } from './while-away.js'
import type { Logger } from 'pino'

export interface ArchiveAbsentOptions {
  collections: Pick<Collections, 'products'>
  vendorId: string
  jobId: string
  /** When the job was first started (processing). */
  startedAt: Date
  named: DigestSet
  /** Fails before archiving anything when more than this share of `liveAtStart` would be archived. null: no guard. */
  guard: { maxArchivePercent: number, liveAtStart: number } | null
  attempt: number
  dryRun: boolean
  signal: AbortSignal
  log: Logger
}

const pageSize = 1_000

type Live = Pick<Product, '_id' | 'externalId' | 'revision' | 'updatedAt' | 'writtenBy'>

/** Resolves with how many products this job has archived, earlier attempts included. Throws a fatal AppError over the guard. */
export async function archiveAbsent (options: ArchiveAbsentOptions): Promise<number> {
  const { collections: { products }, vendorId, jobId, startedAt, named, guard, attempt, dryRun, signal, log } = options
  /** After a crash or a lost acknowledgement the count of this walk alone is too low. */
  let uncertain = attempt > 1
  const patience = createPatience(signal, log, () => { uncertain = true })

  async function * absentPages (): AsyncGenerator<Live[]> {
    let after = ''
    for (;;) {
      const page = await patience(async () => await products
        .find({ vendorId, archived: false, externalId: { $gt: after } })
        .project<Live>({ externalId: 1, revision: 1, updatedAt: 1, writtenBy: 1 })
        .sort({ externalId: 1 }).limit(pageSize).toArray())
      yield page.filter((product) => !named.has(product._id) && !isWrittenByOthers(product))
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return
      after = last.externalId
    }
  }

  const isWrittenByOthers = ({ updatedAt, writtenBy }: Live): boolean =>
    updatedAt >= startedAt && writtenBy?.jobId !== jobId

  const countArchived = async (): Promise<number> =>
    await patience(async () => await products.countDocuments({ vendorId, archivedByJobId: jobId }))

  async function countAbsent (): Promise<number> {
    let count = 0
    for await (const page of absentPages()) count += page.length
    return count
  }

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
  for await (const page of absentPages()) {
    if (page.length === 0) continue
    const operations = page.map(({ _id, revision }): AnyBulkWriteOperation<Product> => ({
      updateOne: {
        filter: { _id, vendorId, revision, archived: false },
        update: {
          $set: { archived: true, archivedByJobId: jobId, updatedAt: new Date(), writtenBy: null, patchHash: null },
          $inc: { revision: 1 }
        }
      }
    }))
    archived += await patience(async () => (await products.bulkWrite(operations, { ordered: false })).modifiedCount)
  }
  return uncertain ? await countArchived() : archived
}
