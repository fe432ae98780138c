import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { loadConfig } from '../../src/config.js'
import { startEmbeddedMongodb } from '../../src/embedded/embedded-mongodb.js'
import { isRunning } from '../../src/embedded/process-identity.js'
import { dataDirectory, serverOf, until } from '../unit/embedded/host-process.js'
import { stubProgram } from '../unit/embedded/stub-program.js'
import { testFolder } from '../support/test-folder.js'
import { silent as log } from '../support/log.js'

t.test('a database that dies is restarted on the same port with its data, and clients go on', async (t) => {
  const dataDir = await dataDirectory(t)
  const mongodb = await startEmbeddedMongodb({ dataDir, wanted: loadConfig().embeddedMongo, log })
  t.teardown(async () => { await mongodb.close() })
  const client = new MongoClient(mongodb.url, { writeConcern: { w: 'majority', journal: true }, serverSelectionTimeoutMS: 20_000 })
  t.teardown(async () => { await client.close() })
  const things = client.db().collection<{ _id: number }>('things')
  await things.insertOne({ _id: 1 })
  for (const kills of [1, 2]) {
    const dead = await serverOf(dataDir)
    process.kill(dead.pid, 'SIGKILL')
    await until(async () => !isRunning(dead), 5_000)
    // What is sent while nothing listens fails at once; it is the client itself that must come back.
    let found: unknown
    await until(async () => {
      found = await things.find().toArray().catch((error: unknown) => error)
      return Array.isArray(found)
    }, 20_000)
    t.strictSame(found, [{ _id: 1 }], `after kill ${kills}`)
  }
})

t.test('close() while the database is being restarted leaves none behind', async (t) => {
  const dataDir = await dataDirectory(t)
  const mongodb = await startEmbeddedMongodb({ dataDir, wanted: loadConfig().embeddedMongo, log })
  const dead = await serverOf(dataDir)
  process.kill(dead.pid, 'SIGKILL')
  await until(async () => (await serverOf(dataDir)).pid !== dead.pid, 10_000)
  await mongodb.close()
  t.notOk(isRunning(await serverOf(dataDir)))
})

t.test('a server that ends at once is an error that shows what it has printed', async (t) => {
  const dataDir = testFolder(t, {})
  await stubProgram(join(dataDir, 'bin', 'secantusd-rs'), 'echo "the disk is on fire" >&2; exit 3')
  await t.rejects(startEmbeddedMongodb({ dataDir, wanted: 'secantusd-rs', log, env: { PATH: join(dataDir, 'bin') } }),
    { code: 'SERVICE_UNAVAILABLE', message: /ended with exit code 3[^]*the disk is on fire/ })
})
