/** The service as a user with the rights that docs/operations.md lists, and no others, over TLS with certificates on both sides. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Document } from 'mongodb'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { packageRoot } from '../../src/package-root.js'
import { file, line } from '../support/product-lines.js'
import { dataDirectory, serveProgram, serviceEnvironment, startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { jsonOf, runCatalog, type Run } from '../unit/cli/support/run-catalog.js'
import { createCertificateAuthority } from './parts/certificates.js'
import { password, startSecuredMongodb } from './parts/secured-mongodb.js'
import { temporaryFolder } from './parts/temporary-folder.js'

/** The roles as the page has them, for mongosh: `db.createRole({ … })`. */
const page = await readFile(join(packageRoot(), 'docs/operations.md'), 'utf8')
const roles = Array.from(page.matchAll(/^db\.createRole\((\{[^]*?\})\)$/gm), ([, role = '']) => parse(role) as { role: string, privileges: unknown[], roles: unknown[] })
const commands: Document[] = [
  ...roles.map(({ role, ...rest }) => ({ createRole: role, ...rest })),
  ...roles.map(({ role }) => ({ createUser: role, pwd: password, roles: [{ role, db: 'catalog' }] }))
]

const folder = await temporaryFolder(join(tmpdir(), 'catalog-secured-mongodb-'))
const mongodb = await startSecuredMongodb(join(folder.path, 'mongodb'), commands)
t.teardown(async () => {
  await mongodb.stop()
  await folder.remove()
})
const dataDir = await dataDirectory(t)
const catalog = async (url: string, ...args: string[]): Promise<Run> =>
  await runCatalog(args, { env: serviceEnvironment(dataDir, { MONGODB_URL: url, MIGRATE: '', KAFKA_BROKERS: '' }) as Record<string, string> })

async function refusedStart (t: Test, url: string): Promise<{ code: number | null, fatal: string[], output: string }> {
  const child = spawn(process.execPath, [serveProgram], { env: serviceEnvironment(dataDir, { MONGODB_URL: url, MIGRATE: '', KAFKA_BROKERS: '' }), cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stdout), text(child.stderr)])
  const fatal = stdout.trim().split('\n').map((line) => JSON.parse(line) as { level: number, msg: string }).filter(({ level }) => level >= 60).map(({ msg }) => msg)
  return { code, fatal, output: `${stdout}${stderr}` }
}

t.test('the page has a role for the service and one for migrations', async (t) => {
  t.strictSame(roles.map(({ role }) => role), ['catalogService', 'catalogMigration'])
})

t.test('the service\'s role does not migrate', async (t) => {
  const run = await catalog(mongodb.url('catalogService'), 'migrate', '--json')
  t.equal(run.exitCode, 1)
  t.match(run.stderr, /MongoDB lets the user of MONGODB_URL not do what the service does .*dropIndex/)
})

t.test('the role for migrations does, and the doctor finds nothing amiss', { timeout: 120_000 }, async (t) => {
  t.match(await catalog(mongodb.url('catalogMigration'), 'migrate', '--check'), { exitCode: 1, stderr: '' })
  const run = await catalog(mongodb.url('catalogMigration'), 'migrate', '--json')
  t.equal(run.exitCode, 0, run.stderr)
  const told = await catalog(mongodb.url('catalogService'), 'doctor', '--json')
  const { checks } = jsonOf(told) as { checks: Array<{ name: string, status: string }> }
  const failed = checks.filter(({ name, status }) => name.startsWith('mongodb') && status === 'fail').map(({ name }) => name)
  // The server is in no replica set.
  t.strictSame(failed.filter((name) => name !== 'mongodb replica set'), [], JSON.stringify(checks))
})

t.test('by the service\'s role alone imports run, a PDF is kept and files are listed', { timeout: 180_000 }, async (t) => {
  const service = await startServiceProcess(t, { mongodbUrl: mongodb.url('catalogService'), env: { MIGRATE: '', KAFKA_BROKERS: '', SFTP_URL: '' } })
  const vendor = await createVendor(service, 'secured')
  await vendor.put('a.jsonl', file(line('A'), line('B')))
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'REPLACE' }), { status: 'completed', stats: { productsCreated: 2, errors: 0 } })
  await vendor.put('b.jsonl', file(line('A')))
  t.match(await vendor.runImport({ files: ['b.jsonl'], mode: 'REPLACE' }), { status: 'completed', stats: { productsUpdated: 1, productsArchived: 1 } })
  const { sizeChartPdfs } = service.repositories()
  const kept = await sizeChartPdfs.write('secured', [Buffer.from('%PDF')], null)
  t.same(await sizeChartPdfs.read(kept), Buffer.from('%PDF'))
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
  t.strictSame(service.logs.filter(({ level }) => Number(level) >= 50), [])
  t.notOk(`${JSON.stringify(service.logs)}${service.output}`.includes(password))
})

t.test('a wrong password ends the start with one line, which does not hold it', async (t) => {
  const wrong = 'another-p4ssword'
  const { code, fatal, output } = await refusedStart(t, mongodb.url('catalogService', { password: wrong }))
  t.equal(code, 1)
  t.strictSame(fatal, ['MongoDB refuses the user, the password or the certificate in MONGODB_URL'])
  t.notOk(output.includes(wrong))
})

t.test('an authority that has not signed the server\'s certificate is told in one line', async (t) => {
  const other = await temporaryFolder(join(tmpdir(), 'catalog-other-authority-'))
  t.teardown(other.remove)
  const { caFile } = await createCertificateAuthority(other.path)
  const run = await catalog(mongodb.url('catalogService', { caFile }), 'vendor', 'create', '--id', 'a', '--name', 'A')
  t.equal(run.exitCode, 1)
  t.match(run.stderr, /^error: There is no TLS connection to MongoDB \([^\n]*\): tls, tlsCAFile and tlsCertificateKeyFile in MONGODB_URL must be as the server wants them\n$/)
})
