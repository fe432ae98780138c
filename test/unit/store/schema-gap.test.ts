import type { Collection } from 'mongodb'
import t from 'tap'
import { migrate } from '../../../src/store/migrate.js'
import { migrations, type Migration } from '../../../src/store/migrations.js'
import { expectMigrated, findSchemaGap, isBehind, wordIndex } from '../../../src/store/schema-gap.js'
import { declaredIndexes } from '../../../src/store/database/declared-indexes.js'
import { testDatabase } from '../../support/database.js'
import { silent } from '../../support/log.js'
import { siblingDatabase } from '../../support/sibling-database.js'

const server = await testDatabase(t)

t.test('a migrated database is not behind', async (t) => {
  const { database } = await siblingDatabase(t, server)
  t.notOk(isBehind(await findSchemaGap(database)))
  await expectMigrated(database)
})

t.test('an empty database lacks every step and every index, and looking changes nothing', async (t) => {
  const { database } = await siblingDatabase(t, server)
  await database.db.dropDatabase()
  const { version, steps, missing } = await findSchemaGap(database)
  t.equal(version, 0)
  t.strictSame(steps, migrations)
  t.strictSame(missing.map(wordIndex), (await declaredIndexes()).map(wordIndex))
  t.strictSame(await database.db.listCollections().toArray(), [])
})

t.test('what is declared is what there is after a migration, and nothing else', async (t) => {
  const { database } = await siblingDatabase(t, server)
  const declared = new Set((await declaredIndexes()).map(wordIndex))
  for (const [name, collection] of Object.entries(database.collections) as Array<[string, Pick<Collection, 'indexes'>]>) {
    const indexes = await collection.indexes().catch(() => [])
    for (const index of indexes) if (index.name !== '_id_') t.ok(declared.delete(`${name}.${String(index.name)}`), `${name}.${String(index.name)}`)
  }
  t.strictSame([...declared], [])
})

t.test('a missing index is named, in one line, with what mends it', async (t) => {
  const { database } = await siblingDatabase(t, server)
  await database.collections.products.dropIndex('by-key')
  const name = database.db.databaseName
  await t.rejects(expectMigrated(database), {
    kind: 'fatal',
    message: `The database ${name} is behind this version of the service: it is at version ${migrations.length}, and an index is missing, such as products.by-key: run "catalog migrate", or set MIGRATE=auto`
  })
})

t.test('a step that was not taken is one that the database is behind by', async (t) => {
  const { database } = await siblingDatabase(t, server)
  await database.collections.schemaVersions.updateOne({}, { $set: { version: migrations.length - 1 } })
  await t.rejects(expectMigrated(database), { message: new RegExp(`it is at version ${migrations.length - 1} of ${migrations.length}: run`) })
})

t.test('a database of a later version is not behind, though that version has dropped an index', async (t) => {
  const { database } = await siblingDatabase(t, server)
  const later: Migration = { version: migrations.length + 1, name: 'of a later version', run: async ({ products }) => { await products.dropIndex('by-key') } }
  await migrate(database, silent, [...migrations, later])
  await database.collections.products.dropIndex('by-key')
  await expectMigrated(database)
})
