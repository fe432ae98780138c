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

/** One that was begun; who has it ends it, whatever happens. */
export interface OpenTransaction {
  session: ClientSession
  /** All that was done with the session or nothing, to a majority and its journal. Never repeats. */
  commit (): Promise<void>
  /** What was not committed is not done. */
  end (): Promise<void>
}

export interface DatabaseServer {
  profile (): Promise<ServerProfile>
  /** Nothing is sent for it before something is done with its session. null: as many are open as may be. */
  openTransaction (): Promise<OpenTransaction | null>
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
  openTransaction: async () => null,
  inTransaction: async () => { throw new Error('There is no server to have a transaction') },
  pastTransactions: async (write) => await write()
}

export const serverOf = (collection: object): DatabaseServer => servers.get(collection) ?? unknownServer

export const setServerOf = (collection: object, server: DatabaseServer): void => { servers.set(collection, server) }

/** Those of all jobs of a thread; more would wait at the server. */
const transactionsAtOnce = 8
/** Beside those: they wait for their writer's turn. Each takes a session of the server's, of which it has a thousand. */
const openAtOnce = 16
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
  let open = 0
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

  async function begin (): Promise<OpenTransaction> {
    const session = idle.pop() ?? await newSession()
    session.startTransaction({ writeConcern: { w: 'majority', journal: true }, maxCommitTimeMS: operationTimeMs })
    return {
      session,
      commit: async () => { await session.commitTransaction() },
      async end () {
        // The driver tells nobody when even that fails.
        if (session.inTransaction()) await session.abortTransaction()
        idle.push(session)
      }
    }
  }

  return {
    profile,
    async openTransaction () {
      if (open >= openAtOnce) return null
      open += 1
      const close = (): void => { open -= 1 }
      try {
        const transaction = await begin()
        return { ...transaction, end: async () => { await transaction.end().finally(close) } }
      } catch (error) {
        close()
        throw error
      }
    },
    inTransaction: async (work) => await limit(async () => {
      const transaction = await begin()
      try {
        const result = await work(transaction.session)
        await transaction.commit()
        return result
      } finally {
        await transaction.end()
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
