import t from 'tap'
import { loadConfig } from '../../../../src/config.js'
import { examine, type Finding } from '../../../../src/cli/doctor/check.js'
import { runtimeArea, type Runtime } from '../../../../src/cli/doctor/runtime.js'

const fine: Runtime = { node: '24.4.1', env: {}, memoryBytes: 8e9 }
const findings = async (runtime: Partial<Runtime> = {}, env: NodeJS.ProcessEnv = {}): Promise<Record<string, Finding>> =>
  Object.fromEntries((await examine(runtimeArea(loadConfig(env), { ...fine, ...runtime }))).map((finding) => [finding.name, finding]))

t.test('what is maintained and unrestrained is fine', async (t) => {
  for (const { status, fix } of Object.values(await findings())) t.strictSame([status, fix], ['ok', null])
})

t.test('Node is told by its version: too old, without fixes, fine', async (t) => {
  for (const [node, status] of [['18.20.4', 'fail'], ['20.18.9', 'fail'], ['20.19.0', 'warn'], ['22.1.0', 'ok'], ['24.0.0', 'ok']] as const) {
    t.equal((await findings({ node }))['node']?.status, status, node)
  }
})

t.test('flags that hold the service up, or open it, are told', async (t) => {
  t.match(await findings({ env: { UV_THREADPOOL_SIZE: '4' } }), { 'node flags': { status: 'warn', fix: /UV_THREADPOOL_SIZE/ } })
  t.match(await findings({ env: { UV_THREADPOOL_SIZE: '32' } }), { 'node flags': { status: 'ok' } })
  t.match(await findings({ env: { NODE_OPTIONS: '--inspect=0.0.0.0' } }), { 'node flags': { status: 'warn', fix: 'unset NODE_OPTIONS' } })
})

t.test('a container that is too small is told', async (t) => {
  t.match(await findings({ memoryBytes: 512e6 }), { memory: { status: 'warn', detail: '512.0 MB: a worker may take 1.5 GB' } })
})

t.test('librdkafka has what this configuration needs of it', async (t) => {
  const secured = { KAFKA_BROKERS: 'k:1', KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
  t.match(await findings({}, secured), { librdkafka: { status: 'ok', detail: /^\d+\.\d+\.\d+ with TLS, SASL, gzip, snappy, lz4/ } })
})
