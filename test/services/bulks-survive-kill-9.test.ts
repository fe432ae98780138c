/**
 * kill -9 of the database while bulks of updates are being committed, of several writers at a time, again and again on the same data: what was acknowledged
 * is there afterwards, and of a bulk that was made in one transaction all or nothing, in documents and index alike. `BULK_KILLS` says how many
 * kills each server has to survive (5).
 */
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createRandom } from '../../src/cli/sample-random.js'
import { findMongodb, type MongodbProgram } from '../../src/embedded/find-mongodb.js'
import { commitUpdates } from '../../src/store/database/commit-updates.js'
import { openDatabase, type Database } from '../../src/store/database/connection.js'
import { findByIds } from '../../src/store/database/find-by-ids.js'
import { ensureIndexes } from '../../src/store/database/indexes.js'
import { serverOf, setServerOf } from '../../src/store/database/server-of.js'
import { noSnapshot, openSnapshot } from '../../src/store/database/snapshot.js'
import { bareProduct } from '../support/bare-product.js'
import { eventually } from '../support/eventually.js'
import { testFolder } from '../support/test-folder.js'
import { startMongodb } from './parts/mongodb.js'
import { mongodbProgram } from './parts/mongodb-program.js'

const kills = Number(process.env['BULK_KILLS'] ?? 5)
const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const writersCount = 3
const bulkSize = 100

// Up to 20 s for each where the machine is busy.
t.setTimeout(120_000 + kills * 2 * 20_000)

const product = (_id: string) => bareProduct(_id, { description: 'x'.repeat(500), searchKeys: [{ key: 'w:1' }] })
const idsOf = (writer: number): string[] => Array.from({ length: bulkSize }, (_, index) => `${writer}.${index}`)

const programs = [await mongodbProgram(), await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env })]
for (const program of programs) {
  t.test(`${program.kind}, killed ${kills} times, has every bulk that it has acknowledged`, async (t) => { await killAgainAndAgain(t, program) })
}

async function killAgainAndAgain (t: Test, program: MongodbProgram): Promise<void> {
  t.comment(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  const folder = testFolder(t)
  /** The last revision of which each writer has heard that it is there. */
  const acknowledged = Array.from({ length: writersCount }, () => 1)
  let [bulks, transactions, lost, torn, misfiled] = [0, 0, 0, 0, 0]

  for (let round = 0; round <= kills; round++) {
    const server = await startMongodb(folder, program)
    const database = openDatabase(server.url, { appName: 'catalog-test', selectionTimeMs: 1_000 })
    let ended: Promise<unknown> | undefined
    try {
      // A second is enough to learn that it is gone, and on a busy machine not always to find it.
      await eventually('the database answers', async () => await database.ping(30_000).then(() => true, () => false), 120_000)
      if (round === 0) await ensureIndexes(database.collections)
      if (round === 0) await database.collections.products.insertMany(acknowledged.flatMap((_, writer) => idsOf(writer).map(product)))
      const { commitsEachDocument } = await countTransactions(database, () => { transactions += 1 })
      for (let writer = 0; writer < writersCount; writer++) {
        const revisions = await revisionsOf(database, writer)
        lost += revisions.filter((revision) => revision < (acknowledged[writer] ?? 0)).length
        if (commitsEachDocument && new Set(revisions).size > 1) torn += 1
        misfiled += await countMisfiled(database, writer, revisions)
        acknowledged[writer] = Math.min(...revisions)
      }
      if (round === kills) break
      const wanted = bulks + writersCount
      await new Promise<void>((resolve) => {
        const writing = acknowledged.map(async (_, writer) => {
          await write(database, writer, () => { if (++bulks === wanted) resolve() })
        })
        ended = Promise.allSettled(writing)
      })
      await delay(random.integer(0, 200))
      process.kill(server.pid, 'SIGKILL')
      await ended
    } finally {
      await database.close()
      await server.stop()
    }
  }
  t.comment(`${program.kind}: ${kills} kills, ${bulks} bulks acknowledged, ${transactions} transactions committed`)
  t.strictSame({ lost, torn, misfiled }, { lost: 0, torn: 0, misfiled: 0 })

  /** Until the database is away. */
  async function write ({ collections: { products } }: Database, writer: number, onAcknowledged: () => void): Promise<void> {
    for (;;) {
      const revision = acknowledged[writer] ?? 0
      // Every second one in the transaction that its products were read in.
      const snapshot = revision % 2 === 0 ? noSnapshot : await openSnapshot(products)
      const found = await snapshot.read(async (strength) => await findByIds(products, idsOf(writer), { revision: 1 }, strength))
      const { matchedCount } = await commitUpdates(products, found.map(({ _id, revision }) => ({
        updateOne: { filter: { _id, revision }, update: { $set: { revision: revision + 1, searchKeys: [{ key: `w:${revision + 1}` }] } } }
      })), { snapshot })
      if (matchedCount !== bulkSize) throw new Error(`${matchedCount} of a bulk that nobody else writes`)
      acknowledged[writer] = revision + 1
      onAcknowledged()
    }
  }
}

async function countTransactions ({ collections: { products } }: Database, onCommitted: () => void): Promise<{ commitsEachDocument: boolean }> {
  const server = serverOf(products)
  setServerOf(products, {
    profile: async () => await server.profile(),
    async openTransaction () {
      const transaction = await server.openTransaction()
      if (transaction === null) return null
      return {
        ...transaction,
        async commit () {
          await transaction.commit()
          onCommitted()
        }
      }
    },
    pastTransactions: async (write) => await server.pastTransactions(write),
    inTransaction: async (work) => {
      const result = await server.inTransaction(work)
      onCommitted()
      return result
    }
  })
  return await server.profile()
}

async function revisionsOf ({ collections: { products } }: Database, writer: number): Promise<number[]> {
  const found = await products.find({ _id: { $in: idsOf(writer) } }).toArray()
  if (found.length !== bulkSize) throw new Error(`${found.length} of ${bulkSize} products`)
  return found.map(({ revision }) => revision)
}

/** How many the index does not lead to under what they hold, or leads to under what they held before. */
async function countMisfiled ({ collections: { products } }: Database, writer: number, revisions: number[]): Promise<number> {
  let count = 0
  const newest = Math.max(...revisions)
  for (let revision = Math.max(1, newest - 2); revision <= newest + 1; revision++) {
    const found = await products.find({ 'searchKeys.key': `w:${revision}`, vendorId: 'v', archived: false }).toArray()
    const own = found.filter(({ _id }) => _id.startsWith(`${writer}.`)).length
    count += Math.abs(own - revisions.filter((one) => one === revision).length)
  }
  return count
}
