/** What everything runs on: Node, its flags, memory, and the native library that speaks Kafka. */
import { totalmem } from 'node:os'
import { wordBytes } from '../wording.js'
import type { Config } from '../../config.js'
import { fail, ok, warn, type Area, type Outcome } from './check.js'

export interface Runtime {
  /** Such as 24.4.1. */
  node: string
  env: NodeJS.ProcessEnv
  memoryBytes: number
}

const limitMs = 5_000
/** What package.json asks for. */
const oldest = [20, 19]
/** The newest that has no fixes any more. */
const unmaintained = 20
/** Of a process with all roles; a worker's own limit is 1.5 GB (docs/performance.md). */
const enoughMemory = 1.5e9
const newNode = 'install Node 24, for which the image is built'

export const runtimeArea = (config: Config, runtime: Runtime = thisRuntime()): Area => ({
  checks: [
    { name: 'node', limitMs, fix: newNode, run: async () => nodeOutcome(runtime) },
    { name: 'node flags', limitMs, fix: 'start the service with npm start, or as the image does', run: async () => flagsOutcome(runtime) },
    { name: 'memory', limitMs, fix: 'give the process 1.5 GB', run: async () => memoryOutcome(runtime) },
    { name: 'librdkafka', limitMs, fix: 'npm rebuild node-rdkafka, where libssl-dev and zlib1g-dev are installed', run: async () => await librdkafkaOutcome(config) }
  ]
})

const thisRuntime = (): Runtime => {
  const limit = process.constrainedMemory() ?? 0
  return { node: process.versions.node, env: process.env, memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() }
}

function nodeOutcome ({ node }: Runtime): Outcome {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) return fail(`${node}, and at least ${oldest.join('.')} is needed`, newNode)
  if (major <= unmaintained) return warn(`${node}, which gets no fixes any more`, newNode)
  return ok(`${node} on ${process.platform} ${process.arch}`)
}

/** npm start and the image set what is not set. */
function flagsOutcome ({ env }: Runtime): Outcome {
  const threads = env['UV_THREADPOOL_SIZE']
  const flags = env['NODE_OPTIONS'] ?? ''
  if (/--inspect/.test(flags)) return warn('NODE_OPTIONS opens a debugger, which whoever reaches its port can run code by', 'unset NODE_OPTIONS')
  if (threads !== undefined && !(Number(threads) >= 16)) return warn(`UV_THREADPOOL_SIZE is ${threads}: gunzip and files wait behind Kafka's clients`, 'unset UV_THREADPOOL_SIZE, or set it to 16 or more')
  return ok(`UV_THREADPOOL_SIZE ${threads ?? '16 by npm start'}, NODE_OPTIONS ${flags === '' ? 'none' : flags}`)
}

const memoryOutcome = ({ memoryBytes }: Runtime): Outcome => memoryBytes < enoughMemory
  ? warn(`${wordBytes(memoryBytes)}: a worker may take 1.5 GB`, 'raise the limit of the container, or the machine\'s memory')
  : ok(wordBytes(memoryBytes))

async function librdkafkaOutcome ({ kafka: { protocol, sasl } }: Config): Promise<Outcome> {
  const { default: Kafka } = await import('node-rdkafka')
  const built = new Set(Kafka.features)
  const wanted: Array<[feature: string, isNeeded: boolean]> = [
    ['ssl', protocol.endsWith('ssl')],
    ['sasl_plain', sasl?.mechanism === 'PLAIN'],
    ['sasl_scram', sasl?.mechanism.startsWith('SCRAM') === true],
    ['sasl_oauthbearer', sasl?.mechanism === 'OAUTHBEARER'],
    // Messages of others come compressed.
    ['gzip', true], ['snappy', true], ['lz4', true]
  ]
  const rebuild = 'install libssl-dev and zlib1g-dev, then npm rebuild node-rdkafka'
  const missing = wanted.filter(([feature]) => !built.has(feature))
  const needed = missing.filter(([, isNeeded]) => isNeeded).map(([feature]) => feature)
  if (needed.length > 0) return fail(`${Kafka.librdkafkaVersion} is built without ${needed.join(', ')}`, rebuild)
  if (missing.length > 0) return warn(`${Kafka.librdkafkaVersion} is built without ${missing.map(([feature]) => feature).join(', ')}`, rebuild)
  const zstd = built.has('zstd') ? 'zstd' : 'no zstd: who sends analytics records compresses by gzip, snappy or lz4'
  return ok(`${Kafka.librdkafkaVersion} with TLS, SASL, gzip, snappy, lz4; ${zstd}`)
}
