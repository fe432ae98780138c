/**
 * Changes to what databases of earlier versions hold, in order. What is merely new needs none: indexes.ts makes missing indexes
 * at every start. A step is here when something has to go, or to become something else.
 *
 * What a step has to keep to, since it may run in several processes at once, be killed at any point, and be run again:
 *  - idempotent: what is done already is left alone;
 *  - in small writes, each of which leaves the database fit for this version and for the one before it, whose processes are still
 *    running during an upgrade. What only this version understands is removed one version later.
 *
 * A step that has been released is never changed.
 */
import { MongoServerError } from 'mongodb'
import type { Collections } from './connection.js'

export interface Migration {
  /** 1, 2, … without gaps. */
  version: number
  /** For the log. */
  name: string
  run (collections: Collections): Promise<void>
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'no index over vendors\' partitions: nothing looks for vendors by them',
    run: async ({ vendors }) => { await dropIndex(vendors, 'by-partition') }
  }
]

const namespaceNotFound = 26
const indexNotFound = 27

/** One that is not there is fine, and so is a collection that is not. */
async function dropIndex (collection: Pick<Collections['vendors'], 'dropIndex'>, name: string): Promise<void> {
  try {
    await collection.dropIndex(name)
  } catch (error) {
    if (!(error instanceof MongoServerError) || (error.code !== indexNotFound && error.code !== namespaceNotFound)) throw error
  }
}
