/** The first connection is nothing special: a database that is away at the start is found when it is there. */
import dns from 'node:dns'
import t, { type Test } from 'tap'
import { openDatabase } from '../../../../src/store/database/connection.js'
import { connectionFaultOf, isDatabaseAway, refusalOf } from '../../../../src/store/database/database-errors.js'
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

/** What an operation on mongodb+srv://cluster.example.test fails with where DNS answers so. */
async function failureWhere (t: Test, resolve: (name: string, type: string) => Promise<unknown>): Promise<unknown> {
  const real = dns.promises.resolve
  dns.promises.resolve = resolve as typeof real
  t.teardown(() => { dns.promises.resolve = real })
  const database = openDatabase('mongodb+srv://ada:s3cret@cluster.example.test/catalog', { appName: 'catalog-test', selectionTimeMs: 200 })
  t.teardown(async () => { await database.close() })
  return await database.ping().then(() => undefined, (error: unknown) => error)
}

const refused = (code: string) => async (_name: string, type: string): Promise<never> => { throw Object.assign(new Error(`query ${code}`), { code, syscall: type === 'SRV' ? 'querySrv' : 'queryTxt' }) }

for (const [code, told] of [['ENOTFOUND', 'DNS has no SRV record _mongodb._tcp.cluster.example.test'], ['ENODATA', 'DNS has no SRV record _mongodb._tcp.cluster.example.test'], ['ESERVFAIL', 'DNS does not answer for _mongodb._tcp.cluster.example.test (ESERVFAIL)']] as const) {
  t.test(`where DNS says ${code} of mongodb+srv the database is away, and the line says why`, async (t) => {
    const error = await failureWhere(t, refused(code))
    t.ok(isDatabaseAway(error))
    t.equal(refusalOf(error, 'MONGODB_URL'), undefined)
    t.equal(connectionFaultOf(error, 'MONGODB_URL'), `The hosts of MONGODB_URL are not to be found: ${told}; a URL that works is mongodb+srv://catalog:p%40ss@cluster.example.com/catalog`)
  })
}

t.test('hosts and options in DNS that may not be there are a URL that cannot be used', async (t) => {
  const elsewhere = await failureWhere(t, async (_name, type) => type === 'SRV' ? [{ name: 'db.elsewhere.test', port: 27017 }] : [])
  const option = await failureWhere(t, async (_name, type) => type === 'SRV' ? [{ name: 'db.example.test', port: 27017 }] : [['w=1']])
  for (const error of [elsewhere, option]) {
    t.notOk(isDatabaseAway(error))
    t.match(refusalOf(error, 'MONGODB_URL_FILE'), /^MONGODB_URL_FILE cannot be used: what DNS has for _mongodb\._tcp\.cluster\.example\.test cannot be used: [^\n]+; one that works is mongodb\+srv:[^\n]+$/)
  }
})
