/**
 * The server that a collection is on, by the collection: who is given one can ask what that server is good at, and have it do things in one
 * transaction. Of a collection that nobody has said it of, as in tests, nothing is known: it takes what every server takes.
 */
import type { ClientSession, Document, MongoClient } from 'mongodb'
import { operationTimeMs } from './operation-time.js'
import { profileOf, type ServerProfile } from './server-profile.js'

export interface DatabaseServer {
  profile (): Promise<ServerProfile>
  /**
   * Commits what `work` does with the session, all or nothing, to a majority and its journal. Rejects when anything of it fails, and nothing of it is done then,
   * unless it is the answer to the commit that was lost. Never repeats.
   */
  inTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>
}

const servers = new WeakMap<object, DatabaseServer>()

const unknownServer: DatabaseServer = {
  profile: async () => ({ idsPerQuery: 100, externalIdsPerQuery: 25, commitsEachDocument: false, stopsAtLimit: false }),
  inTransaction: async () => { throw new Error('There is no server to have a transaction') }
}

export const serverOf = (collection: object): DatabaseServer => servers.get(collection) ?? unknownServer

export const setServerOf = (collection: object, server: DatabaseServer): void => { servers.set(collection, server) }

/** `profile` in place of what the server says: for tests. */
export function createDatabaseServer (client: MongoClient, given?: ServerProfile): DatabaseServer {
  let asked: Promise<ServerProfile> | undefined
  async function ask (): Promise<ServerProfile> {
    const buildInfo: Document = await client.db('admin').command({ buildInfo: 1, maxTimeMS: operationTimeMs })
    return profileOf(buildInfo)
  }
  return {
    async profile () {
      if (given !== undefined) return given
      asked ??= ask()
      try {
        return await asked
      } catch (error) {
        // The next one asks again.
        asked = undefined
        throw error
      }
    },
    async inTransaction (work) {
      const session = client.startSession()
      try {
        session.startTransaction({ writeConcern: { w: 'majority', journal: true }, maxCommitTimeMS: operationTimeMs })
        const result = await work(session)
        await session.commitTransaction()
        return result
      } finally {
        // Aborts what was not committed.
        await session.endSession()
      }
    }
  }
}
