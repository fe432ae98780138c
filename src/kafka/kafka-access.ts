/**
 * How every Kafka client of this process is made: the one place where the configuration becomes librdkafka's settings. The files that it
 * names are read again every few seconds; when what they hold has changed, clients are made anew, so that passwords and certificates are
 * rotated without a restart. What cannot be used meanwhile (a file half written) is told and the former stays.
 */
import { createHash, X509Certificate } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { ConfigError } from '../environment.js'
import { createAdministration, type Administration } from './administration.js'
import { createBrokerFaults, type BrokerFaults } from './broker-faults.js'
import { explainFailure } from './explain-failure.js'
import type { KafkaConfig } from './kafka-config.js'
import { readKafkaFiles, type KafkaFiles } from './kafka-files.js'
import { tryTls } from './tls-trial.js'
import { createTokenSource, type TokenSource } from './token-source.js'

export type ClientSettings = Readonly<Record<string, string | number | boolean>>

interface Client extends EventEmitter {
  setOauthBearerToken (token: string): unknown
}

export interface KafkaAccess {
  readonly brokers: string
  readonly faults: BrokerFaults
  readonly administration: Administration
  /** Of a client that is made now, beside what is its own. */
  settings (): ClientSettings
  /** For a client that is given its token when it is made; undefined where none is needed, or there is none yet. */
  token (): string | undefined
  /** Gives a new client tokens, where it needs any, and tells of its failures to connect. The result ends that. */
  attach (client: Client): () => void
  /** A broker has answered: what stood in the way of connecting is over. */
  answered (): void
  /** Called when clients have to be made anew. The result ends that. */
  onChange (listener: () => void): () => void
  close (): void
}

export interface KafkaAccessOptions {
  config: KafkaConfig
  /** Those of `config`, or the embedded ones. */
  brokers: string
  log: Logger
  rereadMs?: number
}

const tokenUrl = 'sasl.oauthbearer.token.endpoint.url'
const tokenScope = 'sasl.oauthbearer.scope'

/** Reads the files. Rejects with ConfigError when one cannot be used, or librdkafka does not take a setting. */
export async function openKafkaAccess (options: KafkaAccessOptions): Promise<KafkaAccess> {
  const files = await readKafkaFiles(options.config)
  tryOut(settingsOf(options, files))
  return createKafkaAccess(options, files)
}

/** With files that have been read. */
export function createKafkaAccess (options: KafkaAccessOptions, given: KafkaFiles): KafkaAccess {
  const { config, brokers, log, rereadMs = 5_000 } = options
  let files = given
  /** A broker has, since the files are as they are. */
  let hasAnswered = false
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const faults = createBrokerFaults(log)
  const principal = principalOf(config, files)
  const tokens = config.sasl?.mechanism === 'OAUTHBEARER' ? tokenSource(files, { faults, log, credentials: () => ({ id: files.username, secret: files.password }) }) : undefined
  if (readsFiles(config)) void watch()

  async function watch (): Promise<void> {
    let told = ''
    for (;;) {
      await sleep(rereadMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        const read = await readKafkaFiles(config)
        told = ''
        if (digestOf(read) === digestOf(files)) continue
        tryOut(settingsOf(options, read))
        files = read
        hasAnswered = false
        log.info('Kafka: credentials or settings have changed; clients connect anew')
        for (const listener of listeners) listener()
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (message !== told) log.error(`Kafka goes on with what was read before: ${message}`)
        told = message
      }
    }
  }

  /** librdkafka repeats itself every second or so; one trial at a time is enough. */
  let trying = false
  function note (text: string): void {
    const failure = explainFailure(text, config, principal)
    if (failure === undefined) return
    if (failure.kind === 'password') return faults.note('connection', failure.line)
    if (trying) return
    trying = true
    const trial = config.protocol.endsWith('ssl') ? tryTls({ brokers, ...files, passphrase: files.properties['ssl.key.password'] }) : Promise.resolve(undefined)
    void trial.catch(() => undefined).then((found) => {
      const line = found ?? (failure.kind === 'handshake' && hasAnswered ? undefined : failure.line)
      if (line !== undefined) faults.note('connection', line)
    }).finally(() => { trying = false })
  }

  return {
    brokers,
    faults,
    administration: createAdministration({ brokers, principal }),
    settings: () => settingsOf(options, files),
    token: () => tokens?.current(),
    attach (client) {
      const onLog = ({ fac, message }: { fac?: string, message?: string }): void => { if (fac === 'FAIL') note(message ?? '') }
      client.on('event.log', onLog)
      const end = tokens?.give((token) => { client.setOauthBearerToken(token) })
      return () => {
        client.off('event.log', onLog)
        end?.()
      }
    },
    answered () {
      hasAnswered = true
      faults.clear('connection')
    },
    onChange (listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    close () {
      closing.abort()
      tokens?.close()
    }
  }
}

function settingsOf ({ config, brokers }: Pick<KafkaAccessOptions, 'config' | 'brokers'>, { username, password, properties }: KafkaFiles): ClientSettings {
  const { protocol, sasl, caFile, certificateFile, keyFile } = config
  const { [tokenUrl]: _url, [tokenScope]: _scope, ...others } = properties
  return {
    'socket.keepalive.enable': true,
    ...others,
    'metadata.broker.list': brokers,
    'security.protocol': protocol,
    ...sasl === undefined ? {} : { 'sasl.mechanism': sasl.mechanism },
    ...sasl === undefined || sasl.mechanism === 'OAUTHBEARER' ? {} : { 'sasl.username': username, 'sasl.password': password },
    ...caFile === undefined ? {} : { 'ssl.ca.location': caFile },
    ...certificateFile === undefined || keyFile === undefined ? {} : { 'ssl.certificate.location': certificateFile, 'ssl.key.location': keyFile }
  }
}

/** librdkafka checks settings when a client is made, before it connects. Its message may hold a value, and is not repeated as it is. */
function tryOut (settings: ClientSettings): void {
  try {
    // eslint-disable-next-line no-new -- what it throws is what is wanted
    new Kafka.Producer(settings)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, name = 'a setting'] = /configuration property:? "?([\w.]+)/.exec(message) ?? []
    const fault = message.startsWith('No such') ? 'which librdkafka does not have' : 'with a value that librdkafka does not take'
    throw new ConfigError(`KAFKA_PROPERTIES_FILE must hold librdkafka's settings, but sets ${name}, ${fault}; one that works is socket.keepalive.enable=true`)
  }
}

function tokenSource (files: KafkaFiles, options: { faults: BrokerFaults, log: Logger, credentials: () => { id: string, secret: string } }): TokenSource {
  const url = files.properties[tokenUrl]
  const { protocol, hostname } = url !== undefined && URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' }
  const isLoopback = ['localhost', '[::1]', '127.0.0.1'].includes(hostname)
  if (url === undefined || (protocol !== 'https:' && !(protocol === 'http:' && isLoopback))) {
    throw new ConfigError(`KAFKA_SASL_MECHANISM OAUTHBEARER needs a token endpoint in KAFKA_PROPERTIES_FILE, for example ${tokenUrl}=https://id.example.com/oauth2/token`)
  }
  return createTokenSource({ url, scope: files.properties[tokenScope], ...options })
}

/** As the brokers' authorizer calls us, unless they map names. */
function principalOf ({ sasl, certificateFile }: KafkaConfig, { username, certificate }: KafkaFiles): string {
  if (sasl !== undefined) return `User:${username}`
  if (certificateFile === undefined) return 'User:ANONYMOUS'
  return `User:${new X509Certificate(certificate).subject.split('\n').reverse().join(',')}`
}

const readsFiles = ({ sasl, caFile, certificateFile, propertiesFile }: KafkaConfig): boolean =>
  [caFile, certificateFile, propertiesFile].some((file) => file !== undefined) ||
  (sasl !== undefined && [sasl.username, sasl.password].some(({ source }) => 'file' in source))

const digestOf = (files: KafkaFiles): string => createHash('sha256').update(JSON.stringify(files)).digest('base64')
