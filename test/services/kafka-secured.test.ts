/**
 * A Kafka as companies run it (parts/secured-kafka), and a service that is given it before anything is right: the broker's certificate has expired, the
 * password is wrong, there are neither topics nor rights. Each is told in one line, /readyz is 503 until it is mended, and nothing is restarted.
 */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { file, line } from '../support/product-lines.js'
import { serviceEnvironment, startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { jsonOf, runCatalog } from '../unit/cli/support/run-catalog.js'
import { createSecuredKafka, securedUser } from './parts/secured-kafka.js'
import { temporaryFolder } from './parts/temporary-folder.js'

const folder = await temporaryFolder(join(tmpdir(), 'catalog-secured-'))
const kafka = await createSecuredKafka(join(folder.path, 'kafka'))
t.teardown(async () => {
  await kafka.stop()
  await folder.remove()
})
const passwordFile = join(folder.path, 'password')
const wrongPassword = 'not-the-password-of-anybody'
await writeFile(passwordFile, wrongPassword)
await kafka.useCertificate({ expired: true })
await kafka.start()

const { KAFKA_SASL_PASSWORD: _password, ...login } = kafka.env
const env = { ...login, KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_PASSWORD_FILE: passwordFile, KAFKA_TOPIC_PREFIX: 'staging.' }
const service = await startServiceProcess(t, { env })

interface Finding { name: string, status: string, detail: string, fix: string | null }
const diagnoses: Finding[] = []

/** What `catalog doctor` says of Kafka, beside the service; or before the first start of one whose names begin with `prefix`. */
async function doctor (prefix = env.KAFKA_TOPIC_PREFIX): Promise<Record<string, Finding>> {
  const run = await runCatalog(['doctor', '--json'], { env: serviceEnvironment(service.dataDir, { ...env, KAFKA_TOPIC_PREFIX: prefix }) as Record<string, string> })
  const { checks } = jsonOf(run) as { checks: Finding[] }
  diagnoses.push(...checks)
  return Object.fromEntries(checks.filter(({ name }) => name.startsWith('kafka')).map((finding) => [finding.name, finding]))
}

const failed = (findings: Record<string, Finding>): string[] => Object.values(findings).filter(({ status }) => status === 'fail').map(({ name }) => name)
const topics = async (): Promise<string> => await kafka.administer(`kafka-topics --bootstrap-server ${kafka.brokers} --list`)

interface Told { level: number, msg: string, commands?: string[] }

/** What the service says that somebody has to mend. */
const told = (): Told[] => (service.logs as unknown as Told[]).filter(({ level }) => level >= 50)
const toldOf = (pattern: RegExp): Told[] => told().filter(({ msg }) => pattern.test(msg))
const status = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status
const mendedMs = 90_000

t.test('a certificate that has expired, until the broker has another', { timeout: 240_000 }, async (t) => {
  const expired = /^The certificate of the Kafka broker 127\.0\.0\.1:\d+ has expired \(.*GMT\)/
  await eventually('it is told', () => toldOf(expired).length > 0)
  t.equal(await status(), 503)
  t.match(await doctor(), { kafka: { status: 'fail', detail: expired } })
  await kafka.stop()
  await kafka.useCertificate()
  await kafka.start()
  const refused = new RegExp(`^The Kafka brokers refuse User:${securedUser} \\(SCRAM-SHA-512\\): KAFKA_SASL_USERNAME or KAFKA_SASL_PASSWORD_FILE is wrong$`)
  await eventually('the password is told next', () => toldOf(refused).length > 0, mendedMs)
  t.equal(toldOf(expired).length, 1)
  t.equal(await status(), 503)
  t.match(await doctor(), { kafka: { status: 'fail', detail: refused } })
})

t.test('a wrong password, until there is another in its file', { timeout: 180_000 }, async (t) => {
  await writeFile(passwordFile, `${kafka.password}\n`)
  await eventually('the missing topics are told next', () => toldOf(/topic/).length > 0, mendedMs)
  t.equal(toldOf(/refuse/).length, 1)
  t.equal(await status(), 503)
})

t.test('topics and rights, until the lines have been run that it prints', { timeout: 240_000 }, async (t) => {
  await eventually('all that is missing is told', () => toldOf(/as the group/).length === 3 && toldOf(/let this service read staging/).length === 3 && toldOf(/There is no Kafka topic/).length === 2, mendedMs)
  const commands = new Set(told().flatMap(({ commands = [] }) => commands))
  t.equal([...commands].filter((command) => command.startsWith('kafka-topics')).length, 3)
  t.match(await doctor(), {
    kafka: { status: 'ok', detail: /1 broker at .*, sasl_ssl with SCRAM-SHA-512$/ },
    'kafka topics': { status: 'fail', detail: /who may not make them$/, fix: /^kafka-topics .* --create --if-not-exists --topic staging\.catalog\.product-imports / },
    'kafka write': { status: 'fail' },
    'kafka messages': { status: 'ok', detail: /^not tried: this user may make no topic staging\.catalog\.doctor-…/ }
  })
  for (const command of commands) if (command.startsWith('kafka-topics')) await kafka.administer(command)
  for (const { fix } of Object.values(await doctor()).filter(({ name }) => name === 'kafka write' || name === 'kafka read')) {
    t.match(fix, /^kafka-acls /)
    await kafka.administer(String(fix))
  }
  for (const command of commands) await kafka.administer(command)
  await eventually('it is ready', async () => await status() === 200, mendedMs)
  const mended = await doctor()
  t.strictSame(failed(mended), [])
  t.match(mended, { 'kafka write': { status: 'ok' }, 'kafka read': { status: 'ok', detail: '3 topics, each by the group of its name' }, 'kafka replicas': { status: 'ok' } })
  t.equal(new Set(told().map(({ msg }) => msg)).size, told().length, 'nothing is told twice')
})

t.test('then a job runs to its end, by topics and groups with the prefix', { timeout: 120_000 }, async (t) => {
  const vendor = await createVendor(service, 'secured')
  await vendor.put('a.jsonl', file(line('A'), line('B')))
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'REPLACE' }), { status: 'completed', stats: { productsCreated: 2, errors: 0 } })
  t.match(service.logs.find(({ msg }) => msg === 'partitions assigned'), {})
  t.ok((await topics()).split('\n').includes('staging.catalog.product-imports'))
})

t.test('where topics may be made the doctor sends a large message over one, and removes it', { timeout: 120_000 }, async (t) => {
  const right = `--allow-principal User:${securedUser} --operation Create --operation Read --operation Write --operation Delete --topic staging.catalog.doctor- --resource-pattern-type prefixed`
  await kafka.administer(`kafka-acls --bootstrap-server ${kafka.brokers} --add ${right}`)
  t.match(await doctor(), { 'kafka messages': { status: 'ok', detail: /^one of 900 kB there and back over a topic of its own in \d+ ms$/ } })
  t.notMatch(await topics(), 'doctor')
})

t.test('topics that the first start will make lack nothing, and the doctor makes none of them', { timeout: 120_000 }, async (t) => {
  // No more than that: the doctor may make no topic of its own.
  const names = ['product-imports', 'size-chart-conversions', 'analytics-records'].map((name) => `first.catalog.${name}`)
  const allow = `kafka-acls --bootstrap-server ${kafka.brokers} --add --allow-principal User:${securedUser}`
  await Promise.all([
    kafka.administer(`${allow} --operation Create --operation Read --operation Write ${names.map((name) => `--topic ${name}`).join(' ')}`),
    kafka.administer(`${allow} --operation Read --group first. --resource-pattern-type prefixed`)
  ])
  const found = await doctor('first.')
  t.strictSame(failed(found), [])
  const notThere = { status: 'ok', detail: 'not tried: the topics are not there yet' }
  t.match(found, { 'kafka topics': { status: 'ok', detail: `the service makes ${names.join(', ')} when it starts` }, 'kafka replicas': notThere, 'kafka write': notThere, 'kafka read': notThere })
  t.notMatch(await topics(), 'first.')
})

t.test('where nothing is missing but topics one row says so, and its line mends it', { timeout: 120_000 }, async (t) => {
  const allow = `kafka-acls --bootstrap-server ${kafka.brokers} --add --allow-principal User:${securedUser} --resource-pattern-type prefixed --operation Read`
  await Promise.all([`${allow} --operation Write --topic given.`, `${allow} --group given.`].map(kafka.administer))
  const found = await doctor('given.')
  t.strictSame(failed(found), ['kafka topics'])
  await Promise.all(String(found['kafka topics']?.fix).split(' && ').map(kafka.administer))
  t.strictSame(failed(await doctor('given.')), [])
})

t.test('a right that is taken away, until it is granted again', { timeout: 180_000 }, async () => {
  const topic = 'staging.catalog.product-imports'
  const right = `--allow-principal User:${securedUser} --operation Read --topic ${topic} --group ${topic}`
  const before = told().length
  await kafka.administer(`kafka-acls --bootstrap-server ${kafka.brokers} --remove --force ${right}`)
  await eventually('it is told', () => told().length > before)
  await eventually('it is not ready', async () => await status() === 503)
  await kafka.administer(`kafka-acls --bootstrap-server ${kafka.brokers} --add ${right}`)
  await eventually('it is ready', async () => await status() === 200, mendedMs)
})

t.test('no password was printed', async (t) => {
  const printed = `${JSON.stringify(service.logs)}${service.output}${JSON.stringify(diagnoses)}`
  for (const secret of [kafka.password, wrongPassword]) t.notOk(printed.includes(secret))
  t.notMatch(service.output, 'rdkafka', 'and nothing by librdkafka itself')
})
