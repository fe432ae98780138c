/**
 * The environment, validated once at start-up (spec/operations.md, "Environment"). A wrong value throws a
 * `ConfigError` with one line that names the variable; nothing else in the service reads `process.env` but what finds
 * programs and the cache folder (src/embedded/).
 */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseSeconds } from './domain/duration.js'
import type { SizeChartQuota } from './domain/size-chart.js'
import { ConfigError, expectations, readEnvironment, saidBy, type Environment } from './environment.js'
import { readKafkaConfig, type KafkaConfig } from './kafka/kafka-config.js'
import { withSecretFiles } from './secret-file.js'
import type { TrustedHostKeys } from './sources/host-keys.js'
import { faultOfMongodbUrl, type MongodbUrlVariable } from './store/database/mongodb-url.js'
import { readTracingConfig, type TracingConfig } from './tracing/tracing-config.js'

const roles = ['api', 'worker', 'sftp'] as const
export type Role = (typeof roles)[number]

export type EmbeddedMongo = 'auto' | 'mongod' | 'secantusd-rs' | 'secantusdb'

/** Where merchants upload; `host`: without brackets, null = the one that the API is reached at. */
export interface SftpAddress { host: string | null, port: number }

export interface Config {
  roles: ReadonlySet<Role>
  host: string
  /** 0 = any free port. */
  port: number
  /** Where metrics and the details of readiness are served, in any role; undefined = on `port`, beside the API. 0 = any free port. */
  opsPort: number | undefined
  /** From SIGTERM on: how long requests are still taken while /readyz says that there should come no more. */
  drainDelaySeconds: number
  sftpHost: string
  /** 0 = any free port. */
  sftpPort: number
  /** What merchants are told; undefined = nothing was said of it. */
  sftpPublicAddress: SftpAddress | undefined
  /** Absolute path. */
  dataDir: string
  /** undefined = embedded. */
  mongodbUrl: string | undefined
  /** The variable that says so, by which messages have to call it. */
  mongodbUrlVariable: MongodbUrlVariable
  embeddedMongo: EmbeddedMongo
  /** Whether a start brings the database up to date, or refuses one that is behind. */
  migrate: 'auto' | 'check'
  kafka: KafkaConfig
  /** undefined = the built-in server. */
  sftpUrl: string | undefined
  sftpPrivateKeyFile: string | undefined
  /** How the server at `sftpUrl` is known. */
  sftpHostKeys: TrustedHostKeys | undefined
  /** Of the built-in server, absolute paths, the one that it shows first; undefined = made in `dataDir`. */
  sftpHostKeyFiles: readonly string[] | undefined
  authJwtSecret: string | undefined
  authJwksUrl: string | undefined
  /** What `iss` and `aud` of access tokens must be; undefined = anything. */
  authIssuer: string | undefined
  authAudience: string | undefined
  /** From an access token's `iat` to its `exp`, at most. */
  authTokenMaxAgeSeconds: number
  api: ApiSettings
  /** What one vendor's files may take on the built-in SFTP server. */
  sftpQuotaBytes: number
  /** Addresses and networks that the built-in SFTP server does not punish for failed logins. */
  sftpPenaltyExempt: readonly string[]
  /** Origin of the links that customers are given; undefined = the host that was asked. */
  publicUrl: string | undefined
  /** Hosts (`host` or `host:port`) whose PDFs may be fetched although their addresses are not public. */
  sizeChartAllowedHosts: readonly string[]
  sizeChartQuota: SizeChartQuota
  /** undefined: nothing is traced. */
  tracing: TracingConfig | undefined
  logLevel: string
}

/** What an operator decides about the API. */
export interface ApiSettings {
  /** Of one credential; 0 = no limit. */
  requestsPerMinute: number
  /** Origins whose pages may send requests; none = no CORS. */
  corsOrigins: readonly string[]
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  introspection: boolean
  graphiql: boolean
  /** Whether the console is served. */
  console: boolean
}

/** Reads and checks the environment. Throws ConfigError. Relative paths are resolved against the working directory. */
export function loadConfig (env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(withSecretFiles(env))
  if (values.SFTP_URL !== undefined && values.SFTP_PRIVATE_KEY_FILE === undefined) {
    throw new ConfigError('SFTP_PRIVATE_KEY_FILE is required when SFTP_URL is set, for example SFTP_PRIVATE_KEY_FILE=/run/secrets/sftp/key')
  }
  const sftpHostKeys = trustedHostKeys(values)
  if (values.SFTP_URL !== undefined && sftpHostKeys === undefined) {
    throw new ConfigError(`SFTP_KNOWN_HOSTS_FILE or SFTP_HOST_KEY_FINGERPRINT is required when SFTP_URL is set, for example SFTP_KNOWN_HOSTS_FILE=known_hosts with what ${keyscanOf(values.SFTP_URL)} prints, once its operator has confirmed it`)
  }
  if (values.SFTP_URL !== undefined && values.SFTP_HOST_KEY_FILE !== undefined) {
    throw new ConfigError('SFTP_HOST_KEY_FILE is the built-in server\'s, which SFTP_URL takes the place of: set only one of them')
  }
  if (values.AUTH_JWT_SECRET !== undefined && values.AUTH_JWKS_URL !== undefined) {
    throw new ConfigError(`Set only one of ${saidBy(values, 'AUTH_JWT_SECRET')} and AUTH_JWKS_URL`)
  }
  return {
    roles: parseRoles(values.ROLES),
    host: values.HOST,
    port: values.PORT,
    opsPort: values.OPS_PORT,
    drainDelaySeconds: values.DRAIN_DELAY_SECONDS,
    sftpHost: values.SFTP_HOST,
    sftpPort: values.SFTP_PORT,
    sftpPublicAddress: parsePublicAddress(values.SFTP_PUBLIC_ADDRESS),
    dataDir: resolve(values.DATA_DIR),
    mongodbUrl: parseMongodbUrl(values),
    mongodbUrlVariable: saidBy(values, 'MONGODB_URL') as MongodbUrlVariable,
    embeddedMongo: values.EMBEDDED_MONGO,
    migrate: values.MIGRATE ?? (values.MONGODB_URL === undefined ? 'auto' : 'check'),
    kafka: readKafkaConfig(values),
    sftpUrl: values.SFTP_URL,
    sftpPrivateKeyFile: values.SFTP_PRIVATE_KEY_FILE === undefined ? undefined : resolve(values.SFTP_PRIVATE_KEY_FILE),
    sftpHostKeys,
    sftpHostKeyFiles: values.SFTP_HOST_KEY_FILE?.split(',').map((file) => resolve(file)),
    authJwtSecret: values.AUTH_JWT_SECRET,
    authJwksUrl: parseKeySetUrl(values.AUTH_JWKS_URL),
    authIssuer: values.AUTH_ISSUER,
    authAudience: values.AUTH_AUDIENCE,
    authTokenMaxAgeSeconds: parseTime('AUTH_TOKEN_MAX_AGE', values.AUTH_TOKEN_MAX_AGE),
    api: {
      requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
      corsOrigins: values.CORS_ORIGINS?.split(',') ?? [],
      trustedProxies: parseNetworks('TRUSTED_PROXIES', values.TRUSTED_PROXIES),
      introspection: values.GRAPHQL_INTROSPECTION,
      graphiql: values.GRAPHIQL,
      console: values.CONSOLE === 'on'
    },
    sftpQuotaBytes: values.SFTP_QUOTA_BYTES,
    sftpPenaltyExempt: parseNetworks('SFTP_PENALTY_EXEMPT', values.SFTP_PENALTY_EXEMPT),
    publicUrl: values.PUBLIC_URL,
    sizeChartAllowedHosts: values.SIZE_CHART_ALLOWED_HOSTS?.split(',') ?? [],
    sizeChartQuota: { charts: values.SIZE_CHART_QUOTA, pdfBytes: values.SIZE_CHART_PDF_QUOTA_BYTES },
    tracing: readTracingConfig(values),
    logLevel: values.LOG_LEVEL
  }
}

/** The line that asks a server for its host key. */
function keyscanOf (url: string): string {
  const [, host = 'sftp.example.com', port = '22'] = /^sftp:\/\/[^@/]+@(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(url) ?? []
  return `ssh-keyscan -p ${port} ${host.replace(/^\[|\]$/g, '')}`
}

function trustedHostKeys (
  { SFTP_KNOWN_HOSTS_FILE: file, SFTP_HOST_KEY_FINGERPRINT: fingerprints }: Environment
): TrustedHostKeys | undefined {
  if (file !== undefined && fingerprints !== undefined) throw new ConfigError('Set only one of SFTP_KNOWN_HOSTS_FILE and SFTP_HOST_KEY_FINGERPRINT')
  if (file !== undefined) return { knownHostsFile: resolve(file) }
  return fingerprints === undefined ? undefined : { fingerprints: fingerprints.split(',') }
}

/** The driver says of most of it only that it does not work, and of some nothing. */
function parseMongodbUrl (values: Environment): string | undefined {
  const { MONGODB_URL: url } = values
  const fault = url === undefined ? undefined : faultOfMongodbUrl(url)
  const name = saidBy(values, 'MONGODB_URL') as MongodbUrlVariable
  if (fault !== undefined) throw new ConfigError(`${name} must be ${expectations[name]}: ${fault}`)
  return url
}

function parseRoles (text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const unknown = names.find((name) => !(roles as readonly string[]).includes(name))
  if (unknown !== undefined || names.length === 0) {
    throw new ConfigError(`ROLES must be ${expectations.ROLES}, not "${text}"`)
  }
  return new Set(names as Role[])
}

function parseTime (name: 'AUTH_TOKEN_MAX_AGE', text: string): number {
  const seconds = parseSeconds(text)
  if (seconds === undefined) throw new ConfigError(`${name} must be ${expectations[name]}, not "${text}"`)
  return seconds
}

function parsePublicAddress (text: string | undefined): SftpAddress | undefined {
  if (text === undefined) return undefined
  const [, ipv6, name, digits] = /^(?:\[(.+)\]|(.+)):(\d+)$/.exec(text) ?? []
  const [host, port] = [ipv6 ?? name ?? '', Number(digits)]
  if (port < 1 || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)) {
    throw new ConfigError(`SFTP_PUBLIC_ADDRESS must be ${expectations.SFTP_PUBLIC_ADDRESS}, not "${text}"`)
  }
  return { host, port }
}

/** Whoever can change the keys on their way signs tokens of anybody. */
function parseKeySetUrl (text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: '', hostname: '' }
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw new ConfigError(`AUTH_JWKS_URL must be ${expectations.AUTH_JWKS_URL}, not "${text}"`)
  return text
}

function parseNetworks (name: 'TRUSTED_PROXIES' | 'SFTP_PENALTY_EXEMPT', text = ''): string[] {
  const networks = text.split(',').filter((network) => network !== '')
  const isNetwork = (network: string): boolean => {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address)
    return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128))
  }
  if (!networks.every(isNetwork)) throw new ConfigError(`${name} must be ${expectations[name]}, not "${text}"`)
  return networks
}
