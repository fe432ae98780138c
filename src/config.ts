/**
 * The environment, validated once at start-up (spec/operations.md, "Environment"). A wrong value throws a
 * `ConfigError` with one line that names the variable; nothing else in the service reads `process.env`.
 */
import { resolve } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import envSchema from 'env-schema'

const roles = ['api', 'worker', 'sftp'] as const
export type Role = (typeof roles)[number]

const Environment = Type.Object({
  ROLES: Type.String({ default: 'api,worker,sftp' }),
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65535 }),
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
  AUTH_JWT_SECRET: Type.Optional(Type.String({ minLength: 32 })),
  AUTH_JWKS_URL: Type.Optional(Type.String({ pattern: '^https?://.+' })),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://[^\\s/?#@]+$' })),
  SIZE_CHART_ALLOWED_HOSTS: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:\\-]+(,[A-Za-z0-9._:\\-]+)*$' })),
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
  SFTP_HOST: 'a host name or address',
  SFTP_PORT: 'a port number from 0 to 65535',
  DATA_DIR: 'a folder',
  MONGODB_URL: 'a URL such as mongodb://host:27017/catalog',
  EMBEDDED_MONGO: 'auto, mongod, secantusd-rs or secantusdb',
  KAFKA_BROKERS: 'a comma-separated list of host:port',
  SFTP_URL: 'a URL such as sftp://user@host:22/{vendorId}',
  SFTP_PRIVATE_KEY_FILE: 'the path of a private key',
  AUTH_JWT_SECRET: 'a secret of at least 32 characters',
  AUTH_JWKS_URL: 'an http(s) URL',
  PUBLIC_URL: 'a URL without a path, such as https://catalog.example.com',
  SIZE_CHART_ALLOWED_HOSTS: 'a comma-separated list of host or host:port',
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent'
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type EmbeddedMongo = 'auto' | 'mongod' | 'secantusd-rs' | 'secantusdb'

export interface Config {
  roles: ReadonlySet<Role>
  host: string
  /** 0 = any free port. */
  port: number
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
  authJwtSecret: string | undefined
  authJwksUrl: string | undefined
  /** Origin of the links that customers are given; undefined = the host that was asked. */
  publicUrl: string | undefined
  /** Hosts (`host` or `host:port`) whose PDFs may be fetched although their addresses are not public. */
  sizeChartAllowedHosts: readonly string[]
  logLevel: string
}

/** Reads and checks the environment. Throws ConfigError. Relative paths are resolved against the working directory. */
export function loadConfig (env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable means "not set": that is how compose files and shells leave one out.
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => name in expectations && value !== ''))
  const values = validate(given)
  if (values.SFTP_URL !== undefined && values.SFTP_PRIVATE_KEY_FILE === undefined) {
    throw new ConfigError('SFTP_PRIVATE_KEY_FILE is required when SFTP_URL is set')
  }
  if (values.AUTH_JWT_SECRET !== undefined && values.AUTH_JWKS_URL !== undefined) {
    throw new ConfigError('Set only one of AUTH_JWT_SECRET and AUTH_JWKS_URL')
  }
  return {
    roles: parseRoles(values.ROLES),
    host: values.HOST,
    port: values.PORT,
    sftpHost: values.SFTP_HOST,
    sftpPort: values.SFTP_PORT,
    dataDir: resolve(values.DATA_DIR),
    mongodbUrl: values.MONGODB_URL,
    embeddedMongo: values.EMBEDDED_MONGO,
    kafkaBrokers: values.KAFKA_BROKERS,
    sftpUrl: values.SFTP_URL,
    sftpPrivateKeyFile: values.SFTP_PRIVATE_KEY_FILE === undefined ? undefined : resolve(values.SFTP_PRIVATE_KEY_FILE),
    authJwtSecret: values.AUTH_JWT_SECRET,
    authJwksUrl: values.AUTH_JWKS_URL,
    publicUrl: values.PUBLIC_URL,
    sizeChartAllowedHosts: values.SIZE_CHART_ALLOWED_HOSTS?.split(',') ?? [],
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

function parseRoles (text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const unknown = names.find((name) => !(roles as readonly string[]).includes(name))
  if (unknown !== undefined || names.length === 0) {
    throw new ConfigError(`ROLES must be ${expectations.ROLES}, not "${text}"`)
  }
  return new Set(names as Role[])
}
