import t from 'tap'
import { declaredIndexes } from '../../../../src/store/database/declared-indexes.js'
import { shardCommands, shardKeys } from '../../../../src/store/database/shard-keys.js'
import { testDatabase } from '../../../support/database.js'

const { database } = await testDatabase(t)
const nameOf = (collection: keyof typeof database.collections): string => database.collections[collection].collectionName
const declared = (await declaredIndexes()).map(({ collection, index }) => ({ collection: nameOf(collection), index }))

t.test('a sharded cluster can have every unique index of a collection that is sharded', async (t) => {
  for (const { collection, index } of declared.filter(({ index }) => index.unique === true)) {
    const key = shardKeys.get(collection)
    if (key === undefined) continue
    const fields = Object.keys(key)
    t.strictSame(Object.keys(index.key).slice(0, fields.length), fields, `${collection}.${index.name} begins with the shard key`)
    t.notOk(Object.values(key).includes('hashed'), `${collection}.${index.name} is not of a hashed key`)
  }
})

t.test('every key is a field of the _id, or begins an index, so that a collection that is full can be sharded', async (t) => {
  // GridFS makes it with its first file.
  const begun = new Set([...declared.map(({ collection, index }) => `${collection} ${Object.keys(index.key)[0] ?? ''}`), 'size_chart_pdfs.chunks files_id'])
  for (const [collection, key] of shardKeys) {
    const [field = '', ...others] = Object.keys(key)
    t.strictSame(others, [])
    t.ok(field === '_id' || begun.has(`${collection} ${field}`), `${collection}: ${field}`)
  }
})

t.test('each collection is sharded by one line, after the index that a hashed key needs', async (t) => {
  const commands = shardCommands('my "catalog"')
  t.equal(commands[0], 'sh.enableSharding("my \\"catalog\\"")')
  t.equal(commands.filter((command) => command.startsWith('sh.shardCollection(')).length, shardKeys.size)
  const index = commands.indexOf('db.getSiblingDB("my \\"catalog\\"").getCollection("products").createIndex({ _id: "hashed" })')
  t.equal(commands[index + 1], 'sh.shardCollection("my \\"catalog\\".products", { _id: "hashed" })')
  t.ok(commands.includes('sh.shardCollection("my \\"catalog\\".import_issues", { _id: 1 })'))
})
