/**
 * `npm run certify` on servers that somebody has: all that it makes there has a name of its own, and is gone afterwards, however it ends. What is there of others is what it was before.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/store/database/connection.js'
import { runCertify } from '../support/certify.js'
import { testFolder } from '../support/test-folder.js'
import { kafkaOfServices } from '../support/kafka.js'
import { certify } from './certify/certify.js'
import { givenParts } from './given-parts.js'
import { createSecuredKafka } from './parts/secured-kafka.js'
import { password, startSecuredMongodb } from './parts/secured-mongodb.js'

const given = givenParts()
const servers = ['--mongodb-url', given.mongodbUrl, '--kafka', String(given.kafka['KAFKA_BROKERS'])]
const sftp = ['--sftp', given.sftpUrl, '--sftp-private-key-file', given.sftpPrivateKeyFile, '--sftp-host-key-fingerprint', given.sftpHostKeyFingerprint]

/** What the other lanes of the run that this is part of have there, and use meanwhile. */
const ownPrefix = process.env['TEST_DATABASE_PREFIX'] ?? ''
const othersNames = (JSON.parse(process.env['TEST_LANES'] ?? '[]') as NodeJS.ProcessEnv[]).map(({ TEST_DATABASE_PREFIX: prefix = '' }) => prefix)
  .filter((prefix) => prefix !== ownPrefix).map((prefix) => prefix.replace(/_$/, ''))

/** Names of all that is on the servers. */
async function contents (): Promise<{ databases: string[], topics: string[], folders: string[] }> {
  const { db, close } = openDatabase(given.mongodbUrl, { appName: 'catalog-test' })
  const { databases } = await db.admin().listDatabases({ nameOnly: true })
  await close()
  const kafka = await kafkaOfServices()
  const client = new Kafka.Producer(kafka.settings())
  const { topics } = await new Promise<Kafka.Metadata>((resolve, reject) => {
    client.connect({ allTopics: true, timeout: 10_000 }, (error, metadata) => { if (error) reject(new Error(error.message)); else resolve(metadata) })
  })
  await new Promise<void>((resolve) => { client.disconnect(() => { resolve() }) })
  kafka.close()
  const names = (of: string[]): string[] => of.filter((name) => !['__', ...othersNames].some((prefix) => name.startsWith(prefix))).sort()
  return { databases: names(databases.map(({ name }) => name)), topics: names(topics.map(({ name }) => name)), folders: names(await readdir(given.sftpRoot)) }
}

t.test('some tests pass, with a report of versions and figures, and nothing is left', async (t) => {
  const before = await contents()
  const folder = testFolder(t)
  const [report, log] = [join(folder, 'report.md'), join(folder, 'log')]
  const { exitCode, stdout, stderr } = await runCertify([...servers, ...sftp, '--report', report, '--log', log, '--lines', '200', 'import-dry-run', 'throughput'], { env: given.kafka })
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /^# Certification\n\n.*\*\*All 2 files passed\.\*\*\n/)
  for (const line of [/^\| Node \| v\d/m, /^\| MongoDB \| \d+\./m, /^\| Kafka \| metadata\.version \d+, that of 4\.1, at /m, /^\| SFTP \| SSH-2\.0-OpenSSH_/m, /^\| import-dry-run \| passed \|/m]) t.match(stdout, line)
  for (const what of ['first load', 'load again, unchanged', 'delta of inventory']) t.match(stdout, new RegExp(`^\\| ${what} \\| \\d+ \\| [\\d.]+ \\| [\\d,]+ \\|$`, 'm'))
  t.equal(await readFile(report, 'utf8'), stdout)
  t.match(await readFile(log, 'utf8'), /ok 1 - /)
  t.strictSame(await contents(), before)
})

t.test('interrupted in the middle it ends as such, and nothing is left', async (t) => {
  const before = await contents()
  const { exitCode, stdout, stderr } = await runCertify([...servers, ...sftp, 'import-failures', 'import-dry-run'], { env: given.kafka, interruptAt: 'certify: import-failures (1 of 2)' })
  t.equal(exitCode, 130)
  t.match(stderr, 'certify: interrupted; what was made on the servers is being removed')
  t.match(stdout, /\*\*Interrupted\. /)
  t.match(stdout, /^\| import-failures \| (not run to its end|\*\*failed\*\*) \|/m)
  t.strictSame(await contents(), before)
})

/** A test file of this moment. It stands beside the others, for it imports what they do. */
async function testFile (t: Test, source: string): Promise<string> {
  const folder = await mkdtemp(new URL('certify-', import.meta.url).pathname)
  t.teardown(async () => { await rm(folder, { recursive: true, force: true }) })
  const file = join(folder, 'of-this-moment.test.js')
  await writeFile(file, source)
  return file
}

t.test('a test that fails, and leaves its database behind, is named; its database goes', async (t) => {
  const before = await contents()
  const file = await testFile(t, `
    import t from 'tap'
    import { openDatabase } from '../../../src/store/database/connection.js'
    const { TEST_MONGODB_URL: url, TEST_DATABASE_PREFIX: prefix } = process.env
    const { db, close } = openDatabase(url, { appName: 'catalog-test' })
    await db.client.db(prefix + 'left').collection('left').insertOne({})
    await close()
    t.test('what does not hold', async (t) => { t.fail('as expected') })
  `)
  const { isPassed, report } = await certify({
    servers: { env: { MONGODB_URL: given.mongodbUrl, ...given.kafka } }, files: [file], timeoutSeconds: 120, signal: new AbortController().signal, onLine: () => {}
  })
  t.notOk(isPassed)
  t.match(report, '**1 of 1 files failed.**')
  t.match(report, '\n- of-this-moment: what does not hold\n')
  t.match(report, '| SFTP | the built-in server |')
  t.strictSame(await contents(), before)
})

t.test('on a MongoDB with TLS and logins: as a user of one database it begins nothing, with the roles that the page names it passes, and nothing is left', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-certify-mongodb-'))
  const roles = (...names: string[]): Array<{ role: string, db: string }> => names.map((role) => ({ role, db: 'admin' }))
  const mongodb = await startSecuredMongodb(join(folder, 'mongodb'), [
    // MongoDB's own first role may list databases; SecantusDB wants the third for it.
    { createUser: 'certifier', pwd: password, roles: roles('readWriteAnyDatabase', 'dbAdminAnyDatabase', 'clusterMonitor') },
    { createUser: 'limited', pwd: password, roles: [{ role: 'readWrite', db: 'catalog' }] }
  ])
  t.teardown(async () => {
    await mongodb.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const databases = async (): Promise<string[]> => {
    const { db, close } = openDatabase(`${mongodb.url('certifier')}&authSource=catalog`, { appName: 'catalog-test' })
    const found = await db.admin().listDatabases({ nameOnly: true }).finally(close)
    return found.databases.map(({ name }) => name).sort()
  }
  const before = await databases()
  const run = async (url: string) => await runCertify(['import-idempotency-key'], { env: { ...given.kafka, MONGODB_URL: url } })

  const wrong = await run(mongodb.url('certifier', { password: 'an0ther-password' }))
  t.equal(wrong.exitCode, 1)
  t.match(wrong.stderr, /^- MongoDB: MongoDB refuses the user, the password or the certificate in MONGODB_URL$/m)
  const refused = await run(mongodb.url('limited'))
  t.equal(refused.exitCode, 1)
  t.match(refused.stderr, /^- MongoDB: .*\bMONGODB_URL\b/m)
  t.strictSame(await databases(), before)

  const passed = await run(mongodb.url('certifier'))
  t.equal(passed.exitCode, 0, passed.stderr)
  t.match(passed.stdout, '| import-idempotency-key | passed |')
  t.strictSame(await databases(), before)
  t.notMatch([wrong, refused, passed].map(({ stdout, stderr }) => stdout + stderr).join(''), new RegExp(`an0ther-password|${[password, encodeURIComponent(password)].map((text) => text.replaceAll(/[/]/g, '\\/')).join('|')}`))
})

t.test('on a Kafka with TLS, a password and rights: without the right to make topics it begins nothing, with it on names that begin with certify_ it passes', async (t) => {
  const before = await contents()
  const folder = await mkdtemp(join(tmpdir(), 'catalog-certify-kafka-'))
  const kafka = await createSecuredKafka(folder)
  t.teardown(async () => {
    await kafka.stop()
    await rm(folder, { recursive: true, force: true })
  })
  await kafka.start()
  const run = async (more: NodeJS.ProcessEnv = {}) => await runCertify(['--mongodb-url', given.mongodbUrl, '--kafka', kafka.brokers, 'import-idempotency-key'], { env: { ...kafka.env, ...more } })

  const wrong = await run({ KAFKA_SASL_PASSWORD: 'an0ther-password' })
  t.equal(wrong.exitCode, 1)
  t.match(wrong.stderr, /^- Kafka: The Kafka brokers refuse User:catalog \(SCRAM-SHA-512\): KAFKA_SASL_USERNAME or KAFKA_SASL_PASSWORD is wrong$/m)
  const refused = await run()
  t.equal(refused.exitCode, 1)
  t.match(refused.stderr, /^- Kafka: topic certify_\w+\.catalog\.product-imports cannot be made \([^)]*[Aa]uthorization[^)]*\): the user needs /m)
  t.strictSame(await contents(), before)

  await kafka.allow('certify_')
  const passed = await run()
  t.equal(passed.exitCode, 0, passed.stderr)
  t.match(passed.stdout, / by sasl_ssl with SCRAM-SHA-512 \|\n/)
  t.strictSame(await contents(), before)
  t.notMatch([wrong, refused, passed].map(({ stdout, stderr }) => stdout + stderr).join(''), new RegExp(`${kafka.password}|an0ther-password`))
})
