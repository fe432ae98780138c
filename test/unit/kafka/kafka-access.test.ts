import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.js'
import { openKafkaAccess, type KafkaAccess } from '../../../src/kafka/kafka-access.js'
import { eventually } from '../../support/eventually.js'
import { testFolder } from '../../support/test-folder.js'

interface Opened { access: KafkaAccess, folder: string, lines: Array<{ msg: string }> }

const sasl = { KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext', KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'catalog' }

async function open (t: Test, files: Record<string, string>, env: (folder: string) => NodeJS.ProcessEnv): Promise<Opened> {
  const folder = testFolder(t, files)
  const lines: Array<{ msg: string }> = []
  const { kafka: config } = loadConfig({ KAFKA_BROKERS: 'k:9093', ...env(folder) })
  const log = pino({}, { write: (line: string) => { lines.push(JSON.parse(line) as { msg: string }) } })
  const access = await openKafkaAccess({ config, brokers: 'k:9093', log, rereadMs: 20 })
  t.teardown(() => { access.close() })
  return { access, folder, lines }
}

t.test('what the environment and its files say becomes librdkafka\'s settings', async (t) => {
  const { access } = await open(t, { password: 'secret\n', properties: 'client.rack=eu-1\n' }, (folder) => ({
    ...sasl, KAFKA_SASL_PASSWORD_FILE: join(folder, 'password'), KAFKA_PROPERTIES_FILE: join(folder, 'properties')
  }))
  t.strictSame(access.settings(), {
    'socket.keepalive.enable': true,
    'client.rack': 'eu-1',
    'metadata.broker.list': 'k:9093',
    'security.protocol': 'sasl_plaintext',
    'sasl.mechanism': 'SCRAM-SHA-512',
    'sasl.username': 'catalog',
    'sasl.password': 'secret'
  })
})

t.test('a password that changes in its file is taken, and whoever listens makes new clients', async (t) => {
  const { access, folder } = await open(t, { password: 'old' }, (folder) => ({ ...sasl, KAFKA_SASL_PASSWORD_FILE: join(folder, 'password') }))
  let changes = 0
  access.onChange(() => { changes += 1 })
  await writeFile(join(folder, 'new'), 'new')
  await rename(join(folder, 'new'), join(folder, 'password'))
  await eventually('the change is seen', () => changes > 0)
  t.equal(access.settings()['sasl.password'], 'new')
  t.equal(changes, 1)
})

t.test('a file that cannot be used meanwhile is told once, and the former stays', async (t) => {
  const { access, folder, lines } = await open(t, { password: 'old' }, (folder) => ({ ...sasl, KAFKA_SASL_PASSWORD_FILE: join(folder, 'password') }))
  await writeFile(join(folder, 'password'), '')
  await eventually('it is told', () => lines.length > 0)
  t.equal(access.settings()['sasl.password'], 'old')
  await writeFile(join(folder, 'password'), 'new')
  await eventually('the next is taken', () => access.settings()['sasl.password'] === 'new')
  t.equal(lines.filter(({ msg }) => msg.startsWith('Kafka goes on with what was read before: KAFKA_SASL_PASSWORD_FILE must be')).length, 1)
})

for (const [what, files, env, message] of [
  ['a password file that is not there', {}, (folder: string) => ({ ...sasl, KAFKA_SASL_PASSWORD_FILE: join(folder, 'none') }), /^KAFKA_SASL_PASSWORD_FILE must be the path of a file that can be read, and .*none cannot: ENOENT/],
  ['an empty password file', { password: '\n' }, (folder: string) => ({ ...sasl, KAFKA_SASL_PASSWORD_FILE: join(folder, 'password') }), /^KAFKA_SASL_PASSWORD_FILE must be the path of a file that is not empty/],
  ['a CA file that is none', { ca: 'hunter2' }, (folder: string) => ({ KAFKA_SECURITY_PROTOCOL: 'ssl', KAFKA_SSL_CA_FILE: join(folder, 'ca') }), /^KAFKA_SSL_CA_FILE must be a certificate in PEM/],
  ['a setting that librdkafka does not have', { p: 'no.such.thing=hunter2' }, (folder: string) => ({ KAFKA_PROPERTIES_FILE: join(folder, 'p') }), /^KAFKA_PROPERTIES_FILE .* sets no\.such\.thing, which librdkafka does not have/],
  ['a value that it does not take', { p: 'socket.timeout.ms=hunter2' }, (folder: string) => ({ KAFKA_PROPERTIES_FILE: join(folder, 'p') }), /^KAFKA_PROPERTIES_FILE .* sets socket\.timeout\.ms, with a value/],
  ['OAUTHBEARER without a token endpoint', { p: '' }, (folder: string) => ({ ...sasl, KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_SASL_PASSWORD: 'hunter2', KAFKA_PROPERTIES_FILE: join(folder, 'p') }), /^KAFKA_SASL_MECHANISM OAUTHBEARER needs a token endpoint/]
] as const) {
  t.test(`${what} ends the start with one line, without what is secret`, async (t) => {
    const error = await open(t, files, env).then(() => new Error('it was opened'), (error: unknown) => error as Error)
    t.equal(error.name, 'ConfigError')
    t.match(error.message, message)
    t.notMatch(error.message, /hunter2|\n/)
  })
}

t.test('this build of librdkafka can do what is offered: TLS, SCRAM, PLAIN, OAUTHBEARER', async (t) => {
  const { default: Kafka } = await import('node-rdkafka')
  for (const feature of ['ssl', 'sasl_plain', 'sasl_scram', 'sasl_oauthbearer', 'gzip']) t.ok(Kafka.features.includes(feature), feature)
})
