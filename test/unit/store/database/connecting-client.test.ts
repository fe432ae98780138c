/** The first connection is nothing special: a database that is away at the start is found when it is there. */
import t from 'tap'
import { openDatabase } from '../../../../src/store/database/connection.js'
import { testDatabase } from '../../../support/database.js'
import { eventually } from '../../../support/eventually.js'
import { proxiedDatabase } from '../../../support/proxied-database.js'

t.test('a database that was away for longer than the first operations wait is found by later ones', async (t) => {
  const { proxy, url } = await proxiedDatabase(t, (await testDatabase(t)).url)
  proxy.cut()
  const database = openDatabase(url, { appName: 'catalog-test', selectionTimeMs: 200 })
  t.teardown(async () => { await database.close() })
  const { vendors } = database.collections
  const insert = async (_id: string): Promise<unknown> => await vendors.insertOne({ _id, name: _id, partition: 0, createdAt: new Date() })
  await t.rejects(Promise.all([vendors.findOne({}), insert('a'), database.ping()]))
  await t.rejects(vendors.findOne({}))
  proxy.restore()
  t.ok(await eventually('a write is taken', async () => await insert('b').then(() => true, () => false)))
})
