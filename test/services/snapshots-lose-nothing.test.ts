/**
 * On the embedded servers updates of what was read in the same transaction are guarded by that alone (store/database/snapshot), so much rests upon what these
 * do when others write meanwhile: of many writers of the same products, with and without, each revision is given once.
 */
import t, { type Test } from 'tap'
import { findMongodb, type MongodbProgram } from '../../src/embedded/find-mongodb.js'
import { commitUpdates } from '../../src/store/database/commit-updates.js'
import { openDatabase, type Collections } from '../../src/store/database/connection.js'
import { findByIds } from '../../src/store/database/find-by-ids.js'
import { ensureIndexes } from '../../src/store/database/indexes.js'
import { noSnapshot, openSnapshot } from '../../src/store/database/snapshot.js'
import { bareProduct } from '../support/bare-product.js'
import { eventually } from '../support/eventually.js'
import { testFolder } from '../support/test-folder.js'
import { startMongodb } from './parts/mongodb.js'
import { mongodbProgram } from './parts/mongodb-program.js'

const clients = 3
const writersEach = 3
const bulksEach = 20
const ids = Array.from({ length: 40 }, (_, index) => `P-${index}`)

t.setTimeout(300_000)

const product = (_id: string) => bareProduct(_id, { searchKeys: [{ key: 'w:1' }] })

const programs = [await mongodbProgram(), await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env })]
for (const program of programs) {
  t.test(`${program.kind}: of many writers none overwrites what it has not seen`, async (t) => {
    const open = await startedDatabase(t, program)
    const { collections: { products } } = open()
    await products.insertMany(ids.map(product))
    let matched = 0
    const databases = Array.from({ length: clients }, open)
    await Promise.all(databases.flatMap(({ collections }) => Array.from({ length: writersEach }, async (_, writer) => {
      for (let bulk = 0; bulk < bulksEach; bulk++) {
        const count = await addOneToEach(collections, (bulk + writer) % 4 !== 0)
        matched += count
      }
    })))
    const revisions = (await products.find({}).toArray()).map(({ revision }) => revision)
    const given = revisions.reduce((sum, revision) => sum + revision - 1, 0)
    t.comment(`${program.kind}: ${matched} updates of ${clients * writersEach * bulksEach * ids.length} that were tried`)
    t.equal(given, matched)
    t.ok(matched > 0)
    for (const revision of new Set(revisions)) {
      t.equal(await products.countDocuments({ 'searchKeys.key': `w:${revision}`, vendorId: 'v', archived: false }), revisions.filter((one) => one === revision).length, 'as is its index')
    }
  })
}

async function startedDatabase (t: Test, program: MongodbProgram) {
  const server = await startMongodb(testFolder(t), program)
  t.teardown(server.stop)
  const open = () => {
    const database = openDatabase(server.url, { appName: 'catalog-test' })
    t.teardown(database.close)
    return database
  }
  const first = open()
  await eventually('the database answers', async () => await first.ping(30_000).then(() => true, () => false), 120_000)
  await ensureIndexes(first.collections)
  return open
}

/** Gives of how many. */
async function addOneToEach ({ products }: Pick<Collections, 'products'>, inSnapshot: boolean): Promise<number> {
  const snapshot = inSnapshot ? await openSnapshot(products) : noSnapshot
  try {
    const found = await snapshot.read(async (strength) => await findByIds(products, ids, { revision: 1 }, strength))
    const { matchedCount } = await commitUpdates(products, found.map(({ _id, revision }) => ({
      updateOne: { filter: { _id, revision }, update: { $set: { revision: revision + 1, searchKeys: [{ key: `w:${revision + 1}` }] } } }
    })), { snapshot })
    return matchedCount
  } finally {
    await snapshot.end()
  }
}
