/**
 * The environment, validated once at start-up (spec/operations.md, "Environment"). A wrong value throws a
 * `ConfigError` with one line that names the variable; nothing else in the service reads `process.env` but what finds
 * programs and the cache folder (src/embedded/).
 */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import envSchema from 'env-schema'
import { parseSeconds } from './domain/duration.js'
import { defaultSizeChartQuota, type SizeChartQuota } from './domain/size-chart.js'
import type { TrustedHostKeys } from './sources/host-keys.js'

const roles = ['api', 'worker', 'sftp'] as const
export type Role = (typeof roles)[number]

/** Comma-separated, each of this pattern. */
const list = (item: string): string => `${item}(,${item})*`
/** An address or a CIDR; node:net has the last word. */
const network = '[0-9a-fA-F.:]+(/\\d{1,3})?'

const Environment = Type.Object({
  ROLES: Type.String({ default: 'api,worker,sftp' }),
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65535 }),
  OPS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  SFTP_HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  SFTP_PORT: Type.Integer({ default: 2222, minimum: 0, maximum: 65535 }),
  DATA_DIR: Type.String({ default: './data', minLength: 1 }),
  MONGODB_URL: Type.Optional(Type.String({ pattern: '^mongodb(\\+srv)?://.+' })),
  EMBEDDED_MONGO: Type.Union(
    [Type.Literal('auto'), Type.Literal('mongod'), Type.Literal('secantusd-rs'), Type.Literal('secantusdb')],
    { default: 'auto' }
  ),
  KAFKA_BROKERS: Type.Optional(Type.String({ pattern: '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$' })),
  SFTP_URL: Type.Optional(Type.String({ pattern: '^sftp://[^@/\\s]+@[^/\\s]+(/.*)?$' })),
  SFTP_PRIVATE_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
  SFTP_KNOWN_HOSTS_FILE: Type.Optional(Type.String({ minLength: 1 })),
  SFTP_HOST_KEY_FINGERPRINT: Type.Optional(Type.String({ pattern: `^${list('SHA256:[A-Za-z0-9+/]{43}')}$` })),
  AUTH_JWT_SECRET: Type.Optional(Type.String({ minLength: 32 })),
  AUTH_JWKS_URL: Type.Optional(Type.String({ pattern: '^https?://.+' })),
  AUTH_ISSUER: Type.Optional(Type.String({ minLength: 1 })),
  AUTH_AUDIENCE: Type.Optional(Type.String({ minLength: 1 })),
  AUTH_TOKEN_MAX_AGE: Type.String({ default: '24h' }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({ default: 60_000, minimum: 0 }),
  CORS_ORIGINS: Type.Optional(Type.String({ pattern: `^${list('https?://[^\\s,/*]+')}$` })),
  TRUSTED_PROXIES: Type.Optional(Type.String({ pattern: `^${list(network)}$` })),
  GRAPHQL_INTROSPECTION: Type.Boolean({ default: true }),
  GRAPHIQL: Type.Boolean({ default: false }),
  SFTP_QUOTA_BYTES: Type.Integer({ default: 200 * 1024 ** 3, minimum: 1 }),
  SFTP_PENALTY_EXEMPT: Type.String({ default: '127.0.0.0/8,::1/128', pattern: `^${list(network)}$` }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://[^\\s/?#@]+$' })),
  SIZE_CHART_ALLOWED_HOSTS: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:\\-]+(,[A-Za-z0-9._:\\-]+)*$' })),
  SIZE_CHART_QUOTA: Type.Integer({ default: defaultSizeChartQuota.charts, minimum: 1 }),
  SIZE_CHART_PDF_QUOTA_BYTES: Type.Integer({ default: defaultSizeChartQuota.pdfBytes, minimum: 1 }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info' }
  )
})

/** What each variable must look like, in the words a person reads when it does not. */
const expectations: Record<keyof Static<typeof Environment>, string> = {
  ROLES: `a comma-separated list of ${roles.join(', ')}`,
  HOST: 'a host name or address',
  PORT: 'a port number from 0 to 65535',
  OPS_PORT: 'a port number from 0 to 65535',
  SFTP_HOST: 'a host name or address',
  SFTP_PORT: 'a port number from 0 to 65535',
  DATA_DIR: 'a folder',
  MONGODB_URL: 'a URL such as mongodb://host:27017/catalog',
  EMBEDDED_MONGO: 'auto, mongod, secantusd-rs or secantusdb',
  KAFKA_BROKERS: 'a comma-separated list of host:port',
  SFTP_URL: 'a URL such as sftp://user@host:22/{vendorId}',
  SFTP_PRIVATE_KEY_FILE: 'the path of a private key',
  SFTP_KNOWN_HOSTS_FILE: 'the path of a file in OpenSSH\'s format known_hosts',
  SFTP_HOST_KEY_FINGERPRINT: 'a comma-separated list of fingerprints as ssh-keygen -l prints them, such as SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI',
  AUTH_JWT_SECRET: 'a secret of at least 32 characters',
  AUTH_JWKS_URL: 'an https URL, or an http URL of this machine (localhost, 127.0.0.1, [::1])',
  AUTH_ISSUER: 'what iss must be in access tokens',
  AUTH_AUDIENCE: 'what aud must be in access tokens',
  AUTH_TOKEN_MAX_AGE: 'a time such as 15m or 24h',
  RATE_LIMIT_PER_MINUTE: 'a number of requests, 0 for no limit',
  CORS_ORIGINS: 'a comma-separated list of origins such as https://dashboard.example.com',
  TRUSTED_PROXIES: 'a comma-separated list of addresses or networks such as 10.0.0.0/8',
  GRAPHQL_INTROSPECTION: 'true or false',
  GRAPHIQL: 'true or false',
  SFTP_QUOTA_BYTES: 'a number of bytes',
  SFTP_PENALTY_EXEMPT: 'a comma-separated list of addresses or networks such as 10.0.0.0/8',
  PUBLIC_URL: 'a URL without a path, such as https://catalog.example.com',
  SIZE_CHART_ALLOWED_HOSTS: 'a comma-separated list of host or host:port',
  SIZE_CHART_QUOTA: 'a number of size charts',
  SIZE_CHART_PDF_QUOTA_BYTES: 'a number of bytes',
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent'
}

/** Every variable that means something to the service. */
export const environmentVariables: readonly string[] = Object.keys(expectations)

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type EmbeddedMongo = 'auto' | 'mongod' | 'secantusd-rs' | 'secantusdb'

export interface Config {
  roles: ReadonlySet<Role>
  host: string
  /** 0 = any free port. */
  port: number
  /** Where metrics and the details of readiness are served, in any role; undefined = on `port`, beside the API. 0 = any free port. */
  opsPort: number | undefined
  sftpHost: string
  /** 0 = any free port. */
  sftpPort: number
  /** Absolute path. */
  dataDir: string
  /** undefined = embedded. */
  mongodbUrl: string | undefined
  embeddedMongo: EmbeddedMongo
  /** undefined = embedded. */
  kafkaBrokers: string | undefined
  /** undefined = the built-in server. */
  sftpUrl: string | undefined
  sftpPrivateKeyFile: string | undefined
  /** How the server at `sftpUrl` is known. */
  sftpHostKeys: TrustedHostKeys | undefined
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
}

/** Reads and checks the environment. Throws ConfigError. Relative paths are resolved against the working directory. */
export function loadConfig (env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable means "not set": that is how compose files and shells leave one out.
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => name in expectations && value !== ''))
  const values = validate(given)
  if (values.SFTP_URL !== undefined && values.SFTP_PRIVATE_KEY_FILE === undefined) {
    throw new ConfigError('SFTP_PRIVATE_KEY_FILE is required when SFTP_URL is set')
  }
  const sftpHostKeys = trustedHostKeys(values)
  if (values.SFTP_URL !== undefined && sftpHostKeys === undefined) {
    throw new ConfigError('SFTP_KNOWN_HOSTS_FILE or SFTP_HOST_KEY_FINGERPRINT is required when SFTP_URL is set')
  }
  if (values.AUTH_JWT_SECRET !== undefined && values.AUTH_JWKS_URL !== undefined) {
    throw new ConfigError('Set only one of AUTH_JWT_SECRET and AUTH_JWKS_URL')
  }
  return {
    roles: parseRoles(values.ROLES),
    host: values.HOST,
    port: values.PORT,
    opsPort: values.OPS_PORT,
    sftpHost: values.SFTP_HOST,
    sftpPort: values.SFTP_PORT,
    dataDir: resolve(values.DATA_DIR),
    mongodbUrl: values.MONGODB_URL,
    embeddedMongo: values.EMBEDDED_MONGO,
    kafkaBrokers: values.KAFKA_BROKERS,
    sftpUrl: values.SFTP_URL,
    sftpPrivateKeyFile: values.SFTP_PRIVATE_KEY_FILE === undefined ? undefined : resolve(values.SFTP_PRIVATE_KEY_FILE),
    sftpHostKeys,
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
      graphiql: values.GRAPHIQL
    },
    sftpQuotaBytes: values.SFTP_QUOTA_BYTES,
    sftpPenaltyExempt: parseNetworks('SFTP_PENALTY_EXEMPT', values.SFTP_PENALTY_EXEMPT),
    publicUrl: values.PUBLIC_URL,
    sizeChartAllowedHosts: values.SIZE_CHART_ALLOWED_HOSTS?.split(',') ?? [],
    sizeChartQuota: { charts: values.SIZE_CHART_QUOTA, pdfBytes: values.SIZE_CHART_PDF_QUOTA_BYTES },
    logLevel: values.LOG_LEVEL
  }
}

function validate (given: Record<string, string | undefined>): Static<typeof Environment> {
  try {
    return envSchema<Static<typeof Environment>>({ schema: Environment, data: given, env: false })
  } catch (error) {
    const path = (error as { errors?: Array<{ instancePath?: string }> }).errors?.[0]?.instancePath ?? ''
    const name = path.slice(1) as keyof typeof expectations
    const expected = expectations[name]
    if (expected === undefined) throw error
    throw new ConfigError(`${name} must be ${expected}${isSecret(name) ? '' : `, not "${given[name] ?? ''}"`}`)
  }
}

const isSecret = (name: string): boolean => name === 'AUTH_JWT_SECRET' || name === 'MONGODB_URL'

function trustedHostKeys (
  { SFTP_KNOWN_HOSTS_FILE: file, SFTP_HOST_KEY_FINGERPRINT: fingerprints }: Static<typeof Environment>
): TrustedHostKeys | undefined {
  if (file !== undefined && fingerprints !== undefined) throw new ConfigError('Set only one of SFTP_KNOWN_HOSTS_FILE and SFTP_HOST_KEY_FINGERPRINT')
  if (file !== undefined) return { knownHostsFile: resolve(file) }
  return fingerprints === undefined ? undefined : { fingerprints: fingerprints.split(',') }
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
