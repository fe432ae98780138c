/** `catalog doctor` beside a service, without one, and where everything is wrong. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../src/embedded/local-ports.js'
import { testDatabase } from '../support/database.js'
import { dataDirectory, serviceEnvironment, startServiceProcess } from '../support/service-process.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { createVendor } from '../support/vendor.js'
import { jsonOf, runCatalog, type Run } from '../unit/cli/support/run-catalog.js'

interface Finding { name: string, status: 'ok' | 'warn' | 'fail', detail: string, fix: string | null }

const findingsOf = (run: Run): Record<string, Finding> => Object.fromEntries((jsonOf(run) as { checks: Finding[] }).checks.map((finding) => [finding.name, finding]))
const failed = (findings: Record<string, Finding>): string[] => Object.values(findings).filter(({ status }) => status === 'fail').map(({ name }) => name)
/** Processor and disk are others' too while tests run: what is slow is a warning then. */
const works = [0, 3]
const environment = (dataDir: string, env: NodeJS.ProcessEnv): Record<string, string> => serviceEnvironment(dataDir, env) as Record<string, string>

t.test('beside a service on embedded parts all that runs is tried', async (t) => {
  const service = await startServiceProcess(t, { mongodbUrl: null, env: { KAFKA_BROKERS: '', SFTP_URL: '' } })
  const run = async (): Promise<Run> => await runCatalog(['doctor', '--json'], { env: environment(service.dataDir, { KAFKA_BROKERS: '' }) })
  t.match(findingsOf(await run()), { 'sftp list': { status: 'ok', detail: /no vendor/ } })
  const vendor = await createVendor(service, 'acme')
  await vendor.put('a.jsonl', '{"externalId":"A"}\n')
  const told = await run()
  const findings = findingsOf(told)
  t.ok(works.includes(told.exitCode ?? -1), JSON.stringify(findings))
  t.strictSame(failed(findings), [])
  for (const finding of Object.values(findings)) {
    t.strictSame(Object.keys(finding), ['name', 'status', 'detail', 'fix'])
    t.equal(finding.fix === null, finding.status === 'ok', finding.name)
  }
  t.match(findings, {
    configuration: { status: 'ok' },
    mongodb: { status: 'ok', detail: /^embedded, version \d/ },
    'mongodb schema': { detail: /all indexes are there$/ },
    'mongodb replica set': { status: 'ok' },
    kafka: { status: 'ok', detail: `embedded, 1 broker at ${service.kafka}, plaintext` },
    sftp: { status: 'ok', detail: `login as catalog-service at ${service.sftp}, its host key is the one that is trusted` },
    'sftp list': { status: 'ok', detail: /^1 files of acme/ },
    'sftp throughput': { detail: /B\/s read/ },
    converter: { detail: /^a page takes \d+ ms/ }
  })
  t.strictSame(await readdir(await service.incoming('acme')), ['a.jsonl'], 'and nothing is left')
})

t.test('without a service the embedded database is started for it', async (t) => {
  const dataDir = await dataDirectory(t)
  const run = await runCatalog(['doctor'], { env: environment(dataDir, { MONGODB_URL: '', KAFKA_BROKERS: '' }) })
  t.ok(works.includes(run.exitCode ?? -1), run.stdout)
  t.match(run.stdout, /^ {2}ok {4}sftp {2,}the built-in server; it begins with the service, role sftp$/m)
  t.match(run.stdout, /^ {2}ok {4}mongodb schema {2,}.* the next start migrates it$/m)
  t.match(run.stdout, /\n\d+ checks: \d+ ok, \d+ warnings?, 0 failed\n$/)
})

t.test('where nothing is there each part fails by itself, with a line that mends it and no secret', async (t) => {
  const dataDir = await dataDirectory(t)
  const [mongodb, kafka, sftp] = [await freePort(), await freePort(), await freePort()]
  const key = join(dataDir, 'key')
  await writeFile(key, 'not-a-key-of-anybody')
  const secrets = ['p4ss-of-mongodb', 'p4ss-of-kafka', 'not-a-key-of-anybody', 'a-secret-of-32-characters-or-more']
  const run = await runCatalog(['doctor', '--json'], {
    env: environment(dataDir, {
      MONGODB_URL: `mongodb://ada:${secrets[0] ?? ''}@127.0.0.1:${mongodb}/catalog`,
      KAFKA_BROKERS: `127.0.0.1:${kafka}`,
      KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext',
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: 'catalog',
      KAFKA_SASL_PASSWORD: secrets[1],
      SFTP_URL: `sftp://catalog@127.0.0.1:${sftp}/{vendorId}`,
      SFTP_PRIVATE_KEY_FILE: key,
      SFTP_HOST_KEY_FINGERPRINT: 'SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI',
      AUTH_JWT_SECRET: secrets[3]
    })
  })
  t.equal(run.exitCode, 1)
  const findings = findingsOf(run)
  t.strictSame(failed(findings), ['mongodb', 'kafka', 'sftp'])
  for (const name of failed(findings)) t.ok(findings[name]?.fix)
  for (const secret of secrets) t.notOk(`${run.stdout}${run.stderr}`.includes(secret), 'no secret')
})

t.test('a database that is behind fails, and names the command', async (t) => {
  const { url, database } = await siblingDatabase(t, await testDatabase(t))
  await database.collections.products.dropIndex('by-key')
  const dataDir = await dataDirectory(t)
  const run = await runCatalog(['doctor', '--json'], { env: environment(dataDir, { MONGODB_URL: url, MIGRATE: '', KAFKA_BROKERS: '' }) })
  t.equal(run.exitCode, 1)
  t.match(findingsOf(run), { 'mongodb schema': { status: 'fail', detail: /an index is missing, such as products\.by-key/, fix: 'catalog migrate' }, 'mongodb writes': { detail: /majority/ } })
  t.strictSame((await database.db.listCollections({ name: 'doctor_probes' }).toArray()).length, 0)
})

t.test('a wrong variable is the finding', async (t) => {
  const run = await runCatalog(['doctor', '--json'], { env: { PORT: 'http' } })
  t.equal(run.exitCode, 1)
  t.strictSame(jsonOf(run), { checks: [{ name: 'configuration', status: 'fail', detail: 'PORT must be a port number from 0 to 65535, such as 4000, not "http"', fix: 'docs/operations.md, "Configuration", has every variable' }] })
})
