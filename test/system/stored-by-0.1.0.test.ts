/**
 * What 0.1.0 has stored opens in this version and is answered just the same. The fixture was made by that version's own code (commit 478574f, on a database that
 * it had migrated itself, by its importer and its API): the documents as extended JSON, queries and what it answered to them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BSON, type Document } from 'mongodb'
import t from 'tap'
import { migrate } from '../../src/store/migrate.js'
import { silent } from '../support/log.js'
import { testApi } from '../unit/api/test-api.js'
import { testCatalog } from '../unit/store/test-catalog.js'

interface Stored { documents: Record<string, Document[]>, answers: Array<{ query: string, data: unknown }> }
const { documents, answers } = JSON.parse(readFileSync(join('test', 'fixtures', 'stored-by-0.1.0.json'), 'utf8')) as Stored

const api = await testApi(t)
const { db, collections } = api.database
// Not as this version prepares it.
await db.dropDatabase()
for (const [name, list] of Object.entries(documents)) await db.collection(name).insertMany(BSON.EJSON.parse(JSON.stringify(list)) as Document[])
await migrate(api.database, silent)
const { key } = await api.repositories.integrationApiKeys.create('shop', 'test', ['STORE_LOCATION_MANAGE', 'PRODUCT_MANAGE'])

for (const { query, data } of answers) {
  t.test(query.replaceAll(/ \{ id .*/g, ''), async (t) => {
    const answer = await api.graphql(key, query)
    t.equal(answer.errors, undefined)
    t.strictSame(JSON.parse(JSON.stringify(answer.data)), data)
  })
}

t.test('no product keeps the old form of its levels, or a key of a store', async (t) => {
  const stored = JSON.stringify(await collections.products.find().toArray())
  t.notMatch(stored, /"locationId"|"key":"[lz]:/)
  t.equal(stored.match(/"locationQuantities":";/g)?.length, 8)
})

t.test('levels are set, and a store is deleted, as ever', async (t) => {
  const catalog = testCatalog(api, 'shop')
  const unitsOf = async (externalId: string): Promise<number[][]> => (await catalog.product(externalId)).variants.map(({ locationQuantities }) => locationQuantities.map(({ quantity }) => quantity))
  t.strictSame(await unitsOf('a'), [[0, 3, 2], [12, 0, 0]], 'LA, NYC, OLD')
  await catalog.import([{ externalId: 'a', variants: [{ externalId: 'a-S', inventoryByLocation: { LA: 8 } }] }])
  t.strictSame(await unitsOf('a'), [[8, 0, 2], [12, 0, 0]], 'what is not active keeps its own')
  const location = (await api.repositories.storeLocations.findByCode('shop', 'LA'))?._id ?? ''
  await api.repositories.storeLocations.delete('shop', location)
  t.strictSame(await unitsOf('a'), [[0, 2], [0, 0]])
  t.equal((await collections.products.find().toArray()).filter((product) => JSON.stringify(product).includes(location)).length, 0)
})
