/**
 * The server that a collection is on, by the collection: who is given one can ask what that server is good at, and have it do things in one
 * transaction. Of a collection that nobody has said it of, as in tests, nothing is known: it takes what every server takes.
 *
 * A transaction whose client has died, or lost its connection, stays open and keeps what it has changed from everybody, until the server ends it after 60 s. So
 * the sessions that transactions are made in are written down, and whoever waits for too long ends what is open in those of others. One that was at work
 * after all is told so, and does without.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { ClientSession, Collection, Document, MongoClient } from 'mongodb'
import { operationTimeMs } from './operation-time.js'
import { profileOf, type ServerProfile } from './server-profile.js'
import type { TransactionSessionsDocument } from './transaction-sessions-document.js'

export interface DatabaseServer {
  profile (): Promise<ServerProfile>
  /**
   * Commits what `work` does with the session, all or nothing, to a majority and its journal. Rejects when anything of it fails, and nothing of it is done then,
   * unless it is the answer to the commit that was lost. Never repeats.
   */
  inTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>
  /** Does a write that a transaction may be in the way of, and ends those of others once it has waited for longer than they take. */
  pastTransactions<T>(write: () => Promise<T>): Promise<T>
}

const servers = new WeakMap<object, DatabaseServer>()

const unknownServer: DatabaseServer = {
  profile: async () => ({ idsPerQuery: 100, externalIdsPerQuery: 25, commitsEachDocument: false, stopsAtLimit: false }),
  inTransaction: async () => { throw new Error('There is no server to have a transaction') },
  pastTransactions: async (write) => await write()
}

export const serverOf = (collection: object): DatabaseServer => servers.get(collection) ?? unknownServer

export const setServerOf = (collection: object, server: DatabaseServer): void => { servers.set(collection, server) }

/** Those of all jobs of a thread; more would wait at the server. */
const transactionsAtOnce = 8
/** A bulk and its commit take some ten milliseconds; on a busy machine a second. */
const defaultPatienceMs = 2_000
/** No process is believed to be at work for longer, and what it left has long been ended. */
const keptMs = 7 * 24 * 60 * 60_000

export interface DatabaseServerOptions {
  /** In place of what the server says: for tests. */
  profile?: ServerProfile | undefined
  patienceMs?: number
}

export function createDatabaseServer (
  client: MongoClient, written: () => Collection<TransactionSessionsDocument>, { profile: given, patienceMs = defaultPatienceMs }: DatabaseServerOptions = {}
): DatabaseServer {
  const ownId = randomBytes(9).toString('base64url')
  const limit = pLimit(transactionsAtOnce)
  const idle: ClientSession[] = []
  let asked: Promise<ServerProfile> | undefined

  async function ask (): Promise<ServerProfile> {
    const buildInfo: Document = await client.db('admin').command({ buildInfo: 1, maxTimeMS: operationTimeMs })
    return profileOf(buildInfo)
  }

  async function profile (): Promise<ServerProfile> {
    if (given !== undefined) return given
    asked ??= ask()
    try {
      return await asked
    } catch (error) {
      // The next one asks again.
      asked = undefined
      throw error
    }
  }

  /** One that others know of. */
  async function newSession (): Promise<ClientSession> {
    const session = client.startSession()
    const id = session.id?.id
    if (id === undefined) throw new Error('The driver has no id for a session')
    await written().updateOne({ _id: ownId }, { $push: { sessions: id }, $setOnInsert: { startedAt: new Date() } }, { upsert: true })
    return session
  }

  async function endThoseOfOthers (): Promise<void> {
    const others = await written().find({ _id: { $ne: ownId } }).toArray()
    const sessions = others.flatMap((other) => other.sessions)
    if (sessions.length > 0) await client.db('admin').command({ killSessions: sessions.map((id) => ({ id })), maxTimeMS: operationTimeMs })
    const old = others.filter(({ startedAt }) => Date.now() - startedAt.getTime() > keptMs).map(({ _id }) => _id)
    for (const _id of old) await written().deleteOne({ _id })
  }

  return {
    profile,
    inTransaction: async (work) => await limit(async () => {
      const session = idle.pop() ?? await newSession()
      try {
        session.startTransaction({ writeConcern: { w: 'majority', journal: true }, maxCommitTimeMS: operationTimeMs })
        const result = await work(session)
        await session.commitTransaction()
        return result
      } finally {
        // What was not committed; the driver tells nobody when even that fails.
        if (session.inTransaction()) await session.abortTransaction()
        idle.push(session)
      }
    }),
    async pastTransactions (write) {
      if (!(await profile()).commitsEachDocument) return await write()
      const over = new AbortController()
      const ending = (async () => {
        for (;;) {
          await delay(patienceMs, undefined, { signal: over.signal })
          await endThoseOfOthers()
        }
      })()
      // It ends with the write, or as that does when the database is away.
      ending.catch(() => {})
      return await write().finally(() => { over.abort() })
    }
  }
}
