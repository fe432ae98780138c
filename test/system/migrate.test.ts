/** MIGRATE and `catalog migrate`: a database that is behind is brought up to date as a step of its own, or the service does not serve on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Vendor } from '../../src/domain/access.js'
import { migrations } from '../../src/store/migrations.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { proxiedDatabase } from '../support/proxied-database.js'
import { dataDirectory, serveProgram, serviceEnvironment, startServiceProcess } from '../support/service-process.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { jsonOf } from '../unit/cli/support/run-catalog.js'
import { runInProcess } from '../unit/cli/support/run-in-process.js'

const server = await testDatabase(t)

async function emptyDatabase (t: Test): Promise<TestDatabase> {
  const empty = await siblingDatabase(t, server)
  await empty.database.db.dropDatabase()
  return empty
}

/** In use, by a version before all others. */
async function oldDatabase (t: Test): Promise<TestDatabase> {
  const old = await emptyDatabase(t)
  await old.database.collections.vendors.insertOne({ _id: 'first' } as Vendor)
  return old
}

const collectionsOf = async ({ database: { db } }: TestDatabase): Promise<string[]> => (await db.listCollections().toArray()).map(({ name }) => name)

const behind = /^The database test_\w+ is behind this version of the service: .*: run "catalog migrate", or set MIGRATE=auto$/

t.test('npm start refuses a database that is behind with one line, and changes nothing', async (t) => {
  const old = await oldDatabase(t)
  const { url } = old
  const dataDir = await dataDirectory(t)
  const child = spawn(process.execPath, [serveProgram], { env: serviceEnvironment(dataDir, { MONGODB_URL: url, MIGRATE: '', LOG_LEVEL: 'warn' }), cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout), text(child.stderr)])
  t.equal(code, 1)
  const fatal = stdout.trim().split('\n').map((line) => JSON.parse(line) as { level: number, msg: string }).filter(({ level }) => level >= 50)
  t.equal(fatal.length, 1, stdout + stderr)
  t.match(fatal[0]?.msg, behind)
  t.notMatch(stdout, '"ready":true')
  t.strictSame(await collectionsOf(old), ['vendors'])
})

t.test('npm start makes a new database ready: what nobody is in is not behind', async (t) => {
  const { url } = await emptyDatabase(t)
  const service = await startServiceProcess(t, { mongodbUrl: url, env: { MIGRATE: 'check' } })
  t.equal((await service.terminate()).code, 0)
  t.equal((await runInProcess(['migrate', '--check'], { MONGODB_URL: url })).exitCode, 0)
})

t.test('a service that was up before its database ends when the database comes and is behind', async (t) => {
  const { url } = await oldDatabase(t)
  const { proxy, url: proxied } = await proxiedDatabase(t, url)
  proxy.cut()
  const dataDir = await dataDirectory(t)
  const child = spawn(process.execPath, [serveProgram], { env: serviceEnvironment(dataDir, { MONGODB_URL: proxied, MIGRATE: 'check' }), cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => { output += piece.toString() })
  const exited = once(child, 'exit') as Promise<[number | null]>
  await eventually('the service is up', () => output.includes('"ready":true'))
  proxy.restore()
  t.strictSame((await exited)[0], 1)
  t.match(output, /is behind this version of the service/)
})

t.test('catalog migrate --check tells what is missing, and ends with 1', async (t) => {
  const { url, database } = await emptyDatabase(t)
  const env = { MONGODB_URL: url }
  const run = await runInProcess(['migrate', '--check', '--json'], env)
  t.equal(run.exitCode, 1)
  const { version, steps, indexes } = jsonOf(run) as { version: number, steps: unknown[], indexes: string[] }
  t.same([version, steps.length], [0, migrations.length])
  t.ok(indexes.includes('products.by-key'))
  t.strictSame(await database.db.listCollections().toArray(), [])
})

t.test('catalog migrate brings it up to date, and again does nothing', async (t) => {
  const { url } = await oldDatabase(t)
  const env = { MONGODB_URL: url }
  const refused = await runInProcess(['vendor', 'create', '--id', 'acme', '--name', 'Acme'], env)
  t.equal(refused.exitCode, 1)
  t.match(refused.stderr, /^error: The database test_\w+ is behind [^\n]+\n$/)

  const first = await runInProcess(['migrate', '--json'], env)
  t.equal(first.exitCode, 0, first.stderr)
  t.match(jsonOf(first), { version: migrations.length, indexes: { length: Number } })
  const again = await runInProcess(['migrate', '--json'], env)
  t.strictSame(jsonOf(again), { version: migrations.length, steps: [], indexes: [] })
  t.match((await runInProcess(['migrate', '--check'], env)).stdout, /is up to date/)
  t.equal((await runInProcess(['vendor', 'create', '--id', 'acme', '--name', 'Acme'], env)).exitCode, 0)
})

t.test('MIGRATE=auto migrates where the database is one\'s own', async (t) => {
  const { url } = await oldDatabase(t)
  t.equal((await runInProcess(['vendor', 'create', '--id', 'acme', '--name', 'Acme'], { MONGODB_URL: url, MIGRATE: 'auto' })).exitCode, 0)
  t.equal((await runInProcess(['migrate', '--check'], { MONGODB_URL: url })).exitCode, 0)
})

t.test('catalog shard-commands names the database of the URL, and asks nobody', async (t) => {
  const run = await runInProcess(['shard-commands', '--json'], { MONGODB_URL: 'mongodb://nowhere.invalid:1,elsewhere.invalid:2/shop' })
  t.equal(run.exitCode, 0)
  t.match(jsonOf(run), { database: 'shop', commands: [/^sh\.enableSharding\("shop"\)$/] })
  t.match((await runInProcess(['shard-commands'], {})).stdout, 'sh.shardCollection("catalog.products", { _id: "hashed" })\n')
})
