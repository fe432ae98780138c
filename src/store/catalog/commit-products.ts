/** Writes products in one bulk of each kind, and tells whose race was lost. */
import type { MongoBulkWriteError } from 'mongodb'
import type { Turn } from '../../engine/turn.js'
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { commitUpdates } from '../database/commit-updates.js'
import { findByIds } from '../database/find-by-ids.js'
import type { Snapshot } from '../database/snapshot.js'
import type { ProductWrite } from './product-write.js'

/**
 * Rejects when another worker has the job, or has ended it: then later jobs may have written since. Asked between reading products and
 * writing them, or what is wrong with their lines: what was read is from before, and a product that is written late loses by its revision.
 */
export type Fence = () => Promise<void>

export interface BulkSize { inserts: number, updates: number }

/** Does a write, of this size, when it is this writer's turn. */
export type InTurn = <T>(write: () => Promise<T>, size?: BulkSize) => Promise<T>

export interface CommitOptions { turn: Turn, fence: Fence | undefined, inTurn: InTurn }

/** Gives the ids that another writer was faster with; rejects when it is not known what was written. `snapshot`: that the products were read in. */
export type CommitProducts = (made: ProductWrite[], snapshot: Snapshot) => Promise<Set<string>>

type Operation = ProductWrite['operation']

const isInsert = (operation: Operation): boolean => 'insertOne' in operation

export function createCommitProducts ({ products }: Pick<Collections, 'products'>, { turn, fence, inTurn }: CommitOptions): CommitProducts {
  return async (made, snapshot) => {
    if (made.length === 0) return new Set()
    const inserts: Operation[] = []
    const updates: Operation[] = []
    for (const { operation } of made) (isInsert(operation) ? inserts : updates).push(operation)
    // It is not kept open for inserts that wait for their turn.
    if (updates.length === 0) await snapshot.end()
    const written = await inTurn(async () => {
      if (turn.isOver()) await turn.giveWay()
      const inserted = await insert(inserts)
      const { matchedCount } = await commitUpdates(products, updates, { fence, snapshot })
      return inserted + matchedCount
    }, { inserts: inserts.length, updates: updates.length })
    return written === made.length ? new Set() : await findLost(made)
  }

  async function insert (inserts: Operation[]): Promise<number> {
    if (inserts.length === 0) return 0
    await fence?.()
    try {
      return (await products.bulkWrite(inserts, { ordered: false })).insertedCount
    } catch (error) {
      ignoreDuplicates(error)
      return (error as MongoBulkWriteError).insertedCount
    }
  }

  /** The bulks' results count but do not name them, so the documents are asked whose write they hold. */
  async function findLost (made: ProductWrite[]): Promise<Set<string>> {
    const lost = new Map(made.map(({ id, writeId }) => [id, writeId]))
    for (const { _id, writeId } of await findByIds(products, [...lost.keys()], { writeId: 1 })) {
      if (lost.get(_id) === writeId) lost.delete(_id)
    }
    return new Set(lost.keys())
  }
}
