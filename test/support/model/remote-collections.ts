/**
 * The collections as a process far from the database sees them: what it asks for takes its time on the way, is done, and is answered later; any of
 * it may be lost. A bulk is done operation by operation, with those of others in between; in a transaction at once, by its commit.
 */
import { MongoBulkWriteError, MongoNetworkError, MongoServerError, MongoServerSelectionError, type ClientSession } from 'mongodb'
import type { Random } from '../../../src/cli/sample-random.js'
import type { Collections } from '../../../src/store/database/connection.js'
import { setServerOf, type OpenTransaction } from '../../../src/store/database/server-of.js'
import { mongodb, secantusdb } from '../../../src/store/database/server-profile.js'
import { foundCursor } from '../found-cursor.js'
import type { Fields, FindOptions, MemoryCollection, Stored, Update } from './memory-collection.js'
import { MemoryTransaction, WriteConflict } from './memory-transaction.js'
import type { Actor, VirtualTime } from './virtual-time.js'

export interface Away { fromMs: number, toMs: number }

/** Whether the server is one that updates are sent to in transactions, and what comes of these; `forgotten`: it says that they are done, and does nothing; `blind`: it does
 * not see what others have written since it was read. */
export type Transactions = 'none' | 'work' | 'fail' | 'forgotten' | 'blind'

export interface DatabaseServer {
  collections: Map<string, MemoryCollection>
  time: VirtualTime
  random: Random
  /** When nobody reaches it. */
  away: Away[]
  /** Of all calls, the share that is cut off. */
  lossShare: number
  transactions: Transactions
  /** Told of everything that is asked. */
  called: (actor: Actor, collection: string) => void
  /** Told of everything that is answered, in words that are only put together where somebody reads them. */
  trace: (actor: Actor, what: () => string) => void
  /** What is answered in the place of what happened. */
  answer: (collection: string, method: string, actor: Actor, result: unknown, operations: number) => unknown
}

interface Counts { insertedCount: number, matchedCount: number, modifiedCount: number }
interface Operation {
  insertOne?: { document: Stored }
  replaceOne?: { filter: Fields, replacement: Stored }
  updateOne?: { filter: Fields, update: Update }
}

const duplicateKey = 11000

/** What the actor has heard last: when the job's document was read, if it was that. A bulk that follows upon it at once has asked the fence. */
interface Heard { jobAtMs: number | null }

export function remoteCollections (server: DatabaseServer, actor: Actor): Collections {
  const heard: Heard = { jobAtMs: null }
  const remotes = Array.from(server.collections, ([name, collection]) => [name, remote(server, actor, name, collection, heard)] as const)
  for (const [, { collection, commit }] of remotes) {
    const open = (): OpenTransaction => {
      const transaction = new MemoryTransaction()
      return { session: transaction as unknown as ClientSession, commit: async () => { await commit(transaction) }, end: async () => {} }
    }
    setServerOf(collection, {
      profile: async () => server.transactions === 'none' ? mongodb : secantusdb,
      pastTransactions: async (write) => await write(),
      openTransaction: async () => server.random.chance(0.2) ? null : open(),
      inTransaction: async (work) => {
        const transaction = open()
        const result = await work(transaction.session)
        await transaction.commit()
        return result
      }
    })
  }
  return Object.fromEntries(remotes.map(([name, { collection }]) => [name, collection])) as unknown as Collections
}

/** What the server does with the session of a transaction. */
type Commit = (transaction: MemoryTransaction) => Promise<void>

function remote (server: DatabaseServer, actor: Actor, name: string, collection: MemoryCollection, heard: Heard): { collection: object, commit: Commit } {
  const { time, random, trace } = server
  const isAway = (): boolean => server.away.some(({ fromMs, toMs }) => time.nowMs >= fromMs && time.nowMs < toMs)
  const latency = (): number => random.chance(0.08) ? random.integer(20, 200) : random.integer(1, 10)

  /** Does the steps, each at a time of its own, and gives the answer. */
  async function call<T> (method: string, steps: Array<() => void>, answer: () => T, cutOff = (error: Error): Error => error): Promise<T> {
    return await new Promise((resolve, reject) => {
      // It is a promise that nobody keeps: who is dead asks for nothing.
      if (actor.isDead) return
      const what = `${name}.${method}`
      server.called(actor, name)
      if (isAway()) {
        time.after(latency(), actor, () => { reject(new MongoServerSelectionError('No server', {} as never)) })
        return
      }
      let isCut = false
      const lostAfter = random.chance(server.lossShare) ? random.integer(0, steps.length) : Infinity
      let atMs = latency() + (name === 'importLanes' ? Math.max(0, actor.deafUntilMs - time.nowMs) : 0)
      for (const [index, step] of steps.entries()) {
        time.sent(atMs, actor, () => {
          // Of what a process was about to send when it died, nobody knows.
          if (index >= lostAfter || isAway() || (actor.isDead && random.chance(0.5))) isCut = true
          if (!isCut) step()
        })
        atMs += index === steps.length - 1 ? latency() : random.integer(0, 3)
      }
      async function answered (): Promise<T> {
        heard.jobAtMs = null
        try {
          if (isCut || lostAfter < Infinity || isAway()) throw cutOff(new MongoNetworkError('The connection was cut'))
          const result = server.answer(name, method, actor, answer(), steps.length) as T
          trace(actor, () => `${what} ${JSON.stringify(result)}`)
          return result
        } catch (error) {
          trace(actor, () => `${what}: ${(error as Error).message}`)
          throw error
        }
      }
      time.after(atMs, actor, () => { resolve(answered()) })
    })
  }

  /** One step. */
  async function once<T> (method: string, step: () => T): Promise<T> {
    let result: T
    let conflict: WriteConflict | null = null
    let doneAtMs = 0
    const tried = (): void => {
      try {
        result = step()
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error
        conflict = error
      }
      doneAtMs = time.nowMs
    }
    return await call(method, [tried], () => {
      if (conflict !== null) throw conflict
      if (name === 'importJobs' && method === 'findOne') heard.jobAtMs = doneAtMs
      return result
    })
  }

  async function bulk (operations: Operation[], method: string): Promise<Counts> {
    const counts: Counts = { insertedCount: 0, matchedCount: 0, modifiedCount: 0 }
    const result = Object.assign(counts, { getWriteConcernError: () => undefined })
    let writeErrors: Array<{ index: number, code: number }> = []
    const fencedAtMs = heard.jobAtMs ?? Infinity
    const steps = operations.map(({ insertOne, replaceOne, updateOne }, index) => () => {
      actor.fencedAtMs = fencedAtMs
      if (insertOne !== undefined) {
        if (collection.insert(insertOne.document)) counts.insertedCount += 1
        else writeErrors.push({ index, code: duplicateKey })
        return
      }
      const done = replaceOne !== undefined
        ? collection.replace(replaceOne.filter, replaceOne.replacement)
        : collection.update(updateOne?.filter ?? {}, updateOne?.update ?? {})
      counts.matchedCount += done.matchedCount
      counts.modifiedCount += done.modifiedCount
    })
    // The driver sends a bulk again whose connection was lost, and not every server takes it for the same.
    const isSentTwice = random.chance(server.lossShare)
    const forget = (): void => {
      Object.assign(counts, { insertedCount: 0, matchedCount: 0, modifiedCount: 0 })
      writeErrors = []
    }
    return await call(method, isSentTwice ? [...steps, forget, ...steps] : steps, () => {
      if (writeErrors.length > 0) throw new MongoBulkWriteError({ message: 'E11000', code: duplicateKey, writeErrors } as never, result as never)
      return counts
    }, (error) => random.chance(0.5) ? error : new MongoBulkWriteError(error as never, result as never))
  }

  /** Nobody else sees what it would do before it is committed. Conflicts are told when it is, at the latest. */
  async function bulkInTransaction (operations: Operation[], transaction: MemoryTransaction): Promise<Counts> {
    transaction.fencedAtMs = heard.jobAtMs ?? Infinity
    return await once('bulkWrite in a transaction', () => {
      if (server.transactions === 'fail' && random.chance(0.5)) throw new WriteConflict()
      const counts: Counts = { insertedCount: 0, matchedCount: 0, modifiedCount: 0 }
      for (const { replaceOne, updateOne } of operations) {
        const matched = transaction.change(collection, replaceOne?.filter ?? updateOne?.filter ?? {}, (found) => {
          if (replaceOne !== undefined) found.replace({}, replaceOne.replacement)
          else found.update({}, updateOne?.update ?? {})
        })
        counts.matchedCount += matched
        counts.modifiedCount += matched
      }
      return counts
    })
  }

  async function commit (transaction: MemoryTransaction): Promise<void> {
    await once('commit', () => {
      actor.fencedAtMs = transaction.fencedAtMs
      if (server.transactions === 'fail') throw new WriteConflict()
      if (server.transactions !== 'forgotten') transaction.commit(server.transactions === 'blind')
    })
  }

  function find (filter: Fields, options: FindOptions = {}): unknown {
    const wanted = { ...options }
    let buffer: Stored[] | null = null
    const state = (): MemoryCollection => options.session instanceof MemoryTransaction ? options.session.stateOf(collection) : collection
    const read = async (): Promise<Stored[]> => { buffer ??= await once('find', () => state().find(filter, wanted)); return buffer }
    const cursor = Object.assign(foundCursor(read), {
      project (projection: Record<string, 0 | 1>) { wanted.projection = projection; return this },
      sort (sort: Record<string, 1 | -1>) { wanted.sort = sort; return this },
      limit (limit: number) { wanted.limit = limit; return this },
      toArray: read,
      hasNext: async () => (await read()).length > 0,
      readBufferedDocuments () {
        const read = buffer ?? []
        buffer = []
        return read
      },
      async * [Symbol.asyncIterator] () { yield * await read() }
    })
    return cursor
  }

  const methods = {
    find,
    findOne: async (filter: Fields) => await once('findOne', () => collection.find(filter)[0] ?? null),
    insertOne: async (document: Stored) => {
      await once('insertOne', () => collection.insert(document)).then((isNew) => { if (!isNew) throw new MongoServerError({ message: 'E11000', code: duplicateKey }) })
    },
    insertMany: async (documents: Stored[]) => await bulk(documents.map((document) => ({ insertOne: { document } })), 'insertMany'),
    replaceOne: async (filter: Fields, document: Stored, { upsert = false } = {}) => await once('replaceOne', () => collection.replace(filter, document, upsert)),
    updateOne: async (filter: Fields, update: Update, { upsert = false } = {}) => await once('updateOne', () => collection.update(filter, update, upsert)),
    deleteOne: async (filter: Fields) => await once('deleteOne', () => collection.remove(filter)),
    countDocuments: async (filter: Fields) => await once('countDocuments', () => collection.find(filter).length),
    bulkWrite: async (operations: Operation[], { session }: { session?: unknown } = {}) =>
      session instanceof MemoryTransaction ? await bulkInTransaction(operations, session) : await bulk(operations, 'bulkWrite'),
    aggregate: (stages: Fields[]) => ({ toArray: async () => await once('aggregate', () => counted(collection, stages)) })
  }
  return { collection: methods, commit }
}

/** What `countThrough` asks for. Of what is not kept nothing else is found either: no job here has that many issues. */
function counted (collection: MemoryCollection, stages: Fields[]): Array<{ count: number }> {
  if (collection.size === 0) return []
  const filters = stages.slice(0, -1).map(({ $match }) => $match as Fields | undefined)
  if (filters.includes(undefined) || JSON.stringify(stages.at(-1)) !== '{"$group":{"_id":null,"count":{"$sum":1}}}') throw new Error('it is only counted here')
  const [first = [], ...others] = filters.map((filter) => collection.find(filter ?? {}).map(({ _id }) => _id))
  const count = first.filter((id) => others.every((ids) => ids.includes(id))).length
  return count === 0 ? [] : [{ count }]
}
