import { MongoClient } from 'mongodb'
import t from 'tap'
import { isRunning } from '../../src/embedded/process-identity.js'
import { dataDirectory, serverOf, startHostProcess, until } from '../unit/embedded/host-process.js'

interface Counter { _id: number, value: number }

t.test('what was acknowledged is there after kill -9 of the service and of its database', async (t) => {
  const dataDir = await dataDirectory(t)
  const host = await startHostProcess(t, dataDir)
  const client = new MongoClient(host.mongodbUrl ?? '', { writeConcern: { w: 'majority', journal: true }, serverSelectionTimeoutMS: 2_000 })
  t.teardown(async () => { await client.close() })
  const counters = client.db().collection<Counter>('counters')

  const acknowledged = new Map<number, number>()
  const writing = (async () => {
    for (let value = 1; ; value++) {
      const _id = value % 50
      await counters.updateOne({ _id }, { $set: { value } }, { upsert: true })
      acknowledged.set(_id, value)
    }
  })()
  writing.catch(() => {}) // it is cut off on purpose
  await until(async () => (acknowledged.get(49) ?? 0) >= 200, 20_000)
  const server = await serverOf(dataDir)
  process.kill(server.pid, 'SIGKILL')
  await host.kill()
  await t.rejects(writing)
  await client.close()

  const next = await startHostProcess(t, dataDir)
  const again = new MongoClient(next.mongodbUrl ?? '')
  t.teardown(async () => { await again.close() })
  const found = await again.db().collection<Counter>('counters').find().toArray()
  const stored = new Map(found.map(({ _id, value }) => [_id, value]))
  const lost = [...acknowledged].filter(([id, value]) => (stored.get(id) ?? 0) < value)
  t.ok(acknowledged.size === 50)
  t.strictSame(lost, [])
})

t.test('the database does not outlive a service that is killed, and the next service waits for it to leave', async (t) => {
  const dataDir = await dataDirectory(t)
  const host = await startHostProcess(t, dataDir)
  const server = await serverOf(dataDir)
  await host.kill()
  const next = await startHostProcess(t, dataDir)
  t.notOk(isRunning(server))
  t.equal(next.role, 'host')
})
