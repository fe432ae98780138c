/** Logins by certificate, and servers that DNS has to name (`mongodb+srv`), as hosted clusters have them. */
import { createPrivateKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/store/database/connection.js'
import { eventually } from '../support/eventually.js'
import { ownDatabaseName } from '../support/own-names.js'
import { file, line } from '../support/product-lines.js'
import { dataDirectory, serviceEnvironment, startServiceProcess, type ServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { jsonOf, runCatalog, type Run } from '../unit/cli/support/run-catalog.js'
import { givenParts } from './given-parts.js'
import { createCertificateAuthority } from './parts/certificates.js'
import { freePort } from './parts/free-port.js'
import { startLoopbackDns } from './parts/loopback-dns.js'
import { temporaryFolder } from './parts/temporary-folder.js'
import { startX509Mongodb } from './parts/x509-mongodb.js'

const { mongodbUrl: behind } = givenParts()
const folder = await temporaryFolder(join(tmpdir(), 'catalog-x509-mongodb-'))
const authority = await createCertificateAuthority(folder.path)
const server = await authority.issue('mongodb')

/** A client's certificate and its key in one file, as the URL names it. */
async function pairOf (name: string): Promise<string> {
  const { keyFile, certificateFile } = await authority.issue(name)
  const path = join(folder.path, `${name}-pair.pem`)
  await writeFile(path, `${await readFile(certificateFile, 'utf8')}${await readFile(keyFile, 'utf8')}`)
  return path
}

const mongodb = await startX509Mongodb({ ...server, caFile: authority.caFile, behind: new URL(behind.replace('mongodb:', 'http:')).host, host: 'db-0.catalog.test', users: ['CN=catalog'] })
const dns = await startLoopbackDns()
const [pair, strangersPair] = [await pairOf('catalog'), await pairOf('stranger')]
const direct = openDatabase(behind, { appName: 'catalog-test' })
const { setName } = await direct.db.command({ hello: 1 }) as { setName: string }
dns.srv.set('_mongodb._tcp.cluster.catalog.test', { target: 'db-0.catalog.test', port: mongodb.port })
dns.txt.set('cluster.catalog.test', `replicaSet=${setName}`)
t.teardown(async () => {
  await mongodb.close()
  await dns.close()
  await direct.close()
  await folder.remove()
})
// This process opens the service's database, too.
process.env['TEST_DNS'] = dns.address
const resolver = new URL('./parts/resolve-on-loopback.js', import.meta.url)
await import(resolver.href)

const bySrv = 'mongodb+srv://cluster.catalog.test'
const byHost = `mongodb://127.0.0.1:${mongodb.port}`
const certificates = (keys = pair): string => `authMechanism=MONGODB-X509&tlsCAFile=${authority.caFile}&tlsCertificateKeyFile=${keys}`

/** In a database of its own, which is removed. */
function urlFor (t: Test, server: string, options: string): string {
  const name = ownDatabaseName('service')
  t.teardown(async () => { await direct.db.client.db(name).dropDatabase() })
  return `${server}/${name}?${options}`
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ KAFKA_BROKERS: '', SFTP_URL: '', TEST_DNS: dns.address, NODE_OPTIONS: `--import ${resolver.href}`, ...more })

async function importsRun (t: Test, service: ServiceProcess): Promise<void> {
  const vendor = await createVendor(service, 'secured')
  await vendor.put('a.jsonl', file(line('A'), line('B')))
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'REPLACE' }), { status: 'completed', stats: { productsCreated: 2, errors: 0 } })
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
}

async function catalog (t: Test, url: string, ...args: string[]): Promise<Run> {
  return await runCatalog(args, { env: serviceEnvironment(await dataDirectory(t), environment({ MONGODB_URL: url })) as Record<string, string> })
}

t.test('by its certificate alone the service is logged in, and imports run', { timeout: 300_000 }, async (t) => {
  const url = urlFor(t, byHost, `directConnection=true&tls=true&${certificates()}`)
  await importsRun(t, await startServiceProcess(t, { mongodbUrl: url, env: environment() }))
  t.ok(mongodb.logins.length > 0)
  t.strictSame([...new Set(mongodb.logins)], ['CN=catalog'])
})

t.test('servers that DNS names are found by mongodb+srv, TLS is on by itself, and the replica set\'s name is taken from there', { timeout: 300_000 }, async (t) => {
  await importsRun(t, await startServiceProcess(t, { mongodbUrl: urlFor(t, bySrv, certificates()), env: environment() }))
  const run = await catalog(t, urlFor(t, bySrv, certificates()), 'doctor', '--json')
  const { checks } = jsonOf(run) as { checks: Array<{ name: string, status: string, detail: string }> }
  t.match(checks.find(({ name }) => name === 'mongodb replica set')?.detail, new RegExp(`^${setName}, 1 member`))
})

t.test('a certificate of no user is refused in one line', { timeout: 120_000 }, async (t) => {
  const run = await catalog(t, urlFor(t, byHost, `directConnection=true&tls=true&${certificates(strangersPair)}`), 'vendor', 'create', '--id', 'a', '--name', 'A')
  t.equal(run.exitCode, 1)
  t.equal(run.stderr, 'error: MongoDB refuses the user, the password or the certificate in MONGODB_URL\n')
})

t.test('a certificate with the key of another, and a key that is encrypted, are refused before anything is asked of the server', { timeout: 120_000 }, async (t) => {
  const mixed = join(folder.path, 'mixed.pem')
  const [ours, strangers] = await Promise.all([pair, strangersPair].map(async (path) => await readFile(path, 'utf8')))
  await writeFile(mixed, `${ours?.slice(0, ours.indexOf('-----BEGIN PRIVATE KEY')) ?? ''}${strangers?.slice(strangers.indexOf('-----BEGIN PRIVATE KEY')) ?? ''}`)
  const encrypted = join(folder.path, 'encrypted.pem')
  const key = createPrivateKey(await readFile(pair, 'utf8')).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'pa55phrase' })
  await writeFile(encrypted, `${ours?.slice(0, ours.indexOf('-----BEGIN PRIVATE KEY')) ?? ''}${String(key)}`)
  const fault = async (keys: string): Promise<string> => {
    const { exitCode, stderr } = await catalog(t, urlFor(t, byHost, `directConnection=true&tls=true&${certificates(keys)}`), 'vendor', 'create', '--id', 'a', '--name', 'A')
    t.equal(exitCode, 2, 'as of any wrong setting')
    return stderr
  }
  t.match(await fault(mixed), /^error: MONGODB_URL must be [^\n]*: tlsCertificateKeyFile=\S+mixed\.pem holds a certificate and the key of another; one that works is mongodb:[^\n]+\n$/)
  t.match(await fault(encrypted), /^error: MONGODB_URL [^\n]*encrypted\.pem holds a key that is encrypted: tlsCertificateKeyFilePassword must be its password; one that works is [^\n]+\n$/)
  await importsRun(t, await startServiceProcess(t, {
    mongodbUrl: urlFor(t, byHost, `directConnection=true&tls=true&${certificates(encrypted)}&tlsCertificateKeyFilePassword=pa55phrase`), env: environment()
  }))
})

t.test('a name that DNS does not have is told in one line, and waited for', { timeout: 300_000 }, async (t) => {
  const record = '_mongodb._tcp.later.catalog.test'
  const url = urlFor(t, 'mongodb+srv://later.catalog.test', certificates())
  const told = new RegExp(`The hosts of MONGODB_URL are not to be found: DNS has no SRV record ${record}; a URL that works is mongodb\\+srv://`)
  const run = await catalog(t, url, 'vendor', 'create', '--id', 'a', '--name', 'A')
  t.equal(run.exitCode, 1)
  t.match(run.stderr, told)
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const starting = startServiceProcess(t, { mongodbUrl: url, env: environment({ PORT: String(port) }) })
  starting.catch(() => { /* told below */ })
  await eventually('the database is missed', async () => await fetch(`${base}/readyz`).then(({ status }) => status === 503, () => false), 60_000)
  // What has been told is there to be read when the service has started.
  const logged = (service: ServiceProcess): unknown[] => service.logs.filter(({ msg }) => told.test(String(msg)))
  dns.srv.set(record, { target: 'db-0.catalog.test', port: mongodb.port })
  const service = await starting
  await importsRun(t, service)
  t.equal(logged(service).length, 1)
})

t.test('what DNS has of it and cannot be used ends with one line', { timeout: 120_000 }, async (t) => {
  dns.srv.set('_mongodb._tcp.strange.catalog.test', { target: 'db-0.elsewhere.test', port: mongodb.port })
  const run = await catalog(t, urlFor(t, 'mongodb+srv://strange.catalog.test', certificates()), 'vendor', 'create', '--id', 'a', '--name', 'A')
  t.equal(run.exitCode, 1)
  t.match(run.stderr, /^error: MONGODB_URL cannot be used: what DNS has for _mongodb\._tcp\.strange\.catalog\.test cannot be used: [^\n]+; one that works is mongodb\+srv:[^\n]+\n$/)
})
