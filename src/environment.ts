/** The variables that mean something to the service: what each must look like, and the line that is printed when it does not. */
import { Type, type Static, type TString } from '@sinclair/typebox'
import envSchema from 'env-schema'
import { defaultSizeChartQuota } from './domain/size-chart.js'

/** Comma-separated, each of this pattern. */
const list = (item: string): string => `${item}(,${item})*`
/** An address or a CIDR; node:net has the last word. */
const network = '[0-9a-fA-F.:]+(/\\d{1,3})?'

export const securityProtocols = ['plaintext', 'ssl', 'sasl_plaintext', 'sasl_ssl'] as const
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const

export const tracesSamplers = ['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const

const oneOfAnyCase = (...words: string[]): TString =>
  Type.String({ pattern: `^(${words.map((word) => word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)).join('|')})$` })

const Schema = Type.Object({
  ROLES: Type.String({ default: 'api,worker,sftp' }),
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 4000, minimum: 0, maximum: 65535 }),
  OPS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  DRAIN_DELAY_SECONDS: Type.Integer({ default: 0, minimum: 0, maximum: 15 }),
  SFTP_HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  SFTP_PORT: Type.Integer({ default: 2222, minimum: 0, maximum: 65535 }),
  DATA_DIR: Type.String({ default: './data', minLength: 1 }),
  MONGODB_URL: Type.Optional(Type.String({ pattern: '^mongodb(\\+srv)?://.+' })),
  MONGODB_URL_FILE: Type.Optional(Type.String({ minLength: 1 })),
  MIGRATE: Type.Optional(Type.Union([Type.Literal('auto'), Type.Literal('check')])),
  EMBEDDED_MONGO: Type.Union(
    [Type.Literal('auto'), Type.Literal('mongod'), Type.Literal('secantusd-rs'), Type.Literal('secantusdb')],
    { default: 'auto' }
  ),
  KAFKA_BROKERS: Type.Optional(Type.String({ pattern: `^${list('[^\\s,]+:\\d+')}$` })),
  KAFKA_SECURITY_PROTOCOL: Type.Optional(oneOfAnyCase(...securityProtocols)),
  KAFKA_SASL_MECHANISM: Type.Optional(oneOfAnyCase(...saslMechanisms)),
  KAFKA_SASL_USERNAME: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SASL_USERNAME_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SASL_PASSWORD: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SASL_PASSWORD_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SSL_CA_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SSL_CERTIFICATE_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SSL_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_PROPERTIES_FILE: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_TOPIC_PREFIX: Type.String({ default: '', pattern: '^[A-Za-z0-9._-]{0,200}$' }),
  // What a shell takes as it stands: the console puts it into lines that are copied.
  SFTP_PUBLIC_ADDRESS: Type.Optional(Type.String({ pattern: '^([A-Za-z0-9][A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}$' })),
  SFTP_URL: Type.Optional(Type.String({ pattern: '^sftp://[^@/\\s]+@[^/\\s]+(/.*)?$' })),
  SFTP_PRIVATE_KEY_FILE: Type.Optional(Type.String({ minLength: 1 })),
  SFTP_KNOWN_HOSTS_FILE: Type.Optional(Type.String({ minLength: 1 })),
  SFTP_HOST_KEY_FINGERPRINT: Type.Optional(Type.String({ pattern: `^${list('SHA256:[A-Za-z0-9+/]{43}')}$` })),
  SFTP_HOST_KEY_FILE: Type.Optional(Type.String({ pattern: '^[^,]+(,[^,]+)?$' })),
  AUTH_JWT_SECRET: Type.Optional(Type.String({ minLength: 32 })),
  AUTH_JWT_SECRET_FILE: Type.Optional(Type.String({ minLength: 1 })),
  AUTH_JWKS_URL: Type.Optional(Type.String({ pattern: '^https?://.+' })),
  AUTH_ISSUER: Type.Optional(Type.String({ minLength: 1 })),
  AUTH_AUDIENCE: Type.Optional(Type.String({ minLength: 1 })),
  AUTH_TOKEN_MAX_AGE: Type.String({ default: '24h' }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({ default: 60_000, minimum: 0 }),
  CORS_ORIGINS: Type.Optional(Type.String({ pattern: `^${list('https?://[^\\s,/*]+')}$` })),
  TRUSTED_PROXIES: Type.Optional(Type.String({ pattern: `^${list(network)}$` })),
  GRAPHQL_INTROSPECTION: Type.Boolean({ default: true }),
  GRAPHIQL: Type.Boolean({ default: false }),
  CONSOLE: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
  SFTP_QUOTA_BYTES: Type.Integer({ default: 200 * 1024 ** 3, minimum: 1 }),
  SFTP_PENALTY_EXEMPT: Type.String({ default: '127.0.0.0/8,::1/128', pattern: `^${list(network)}$` }),
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://[^\\s/?#@]+$' })),
  SIZE_CHART_ALLOWED_HOSTS: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:\\-]+(,[A-Za-z0-9._:\\-]+)*$' })),
  SIZE_CHART_QUOTA: Type.Integer({ default: defaultSizeChartQuota.charts, minimum: 1 }),
  SIZE_CHART_PDF_QUOTA_BYTES: Type.Integer({ default: defaultSizeChartQuota.pdfBytes, minimum: 1 }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://.+' })),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(Type.String({ minLength: 1 })),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: Type.Optional(Type.String({ minLength: 1 })),
  OTEL_SERVICE_NAME: Type.String({ default: 'merchant-catalog', maxLength: 255 }),
  OTEL_TRACES_SAMPLER: Type.Union(tracesSamplers.map((name) => Type.Literal(name)), { default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info' }
  )
})

/** Checked values, by the variables' own names. */
export type Environment = Static<typeof Schema>

/** What each variable must look like, in the words a person reads when it does not; with a value that works, unless all are named. */
export const expectations: Record<keyof Environment, string> = {
  ROLES: 'a comma-separated list of api, worker, sftp, such as api,worker',
  HOST: 'a host name or address, such as 0.0.0.0',
  PORT: 'a port number from 0 to 65535, such as 4000',
  OPS_PORT: 'a port number from 0 to 65535, such as 9090',
  DRAIN_DELAY_SECONDS: 'a number of seconds from 0 to 15, such as 5',
  SFTP_HOST: 'a host name or address, such as 0.0.0.0',
  SFTP_PORT: 'a port number from 0 to 65535, such as 2222',
  DATA_DIR: 'a folder, such as /var/lib/catalog',
  MONGODB_URL: 'a URL such as mongodb://host:27017/catalog',
  MONGODB_URL_FILE: 'the path of a file that holds a URL such as mongodb://host:27017/catalog',
  MIGRATE: 'auto or check, such as check',
  EMBEDDED_MONGO: 'auto, mongod, secantusd-rs or secantusdb',
  KAFKA_BROKERS: 'a comma-separated list of host:port, such as kafka-0:9092,kafka-1:9092',
  KAFKA_SECURITY_PROTOCOL: `one of ${securityProtocols.join(', ')}, such as sasl_ssl`,
  KAFKA_SASL_MECHANISM: `one of ${saslMechanisms.join(', ')}, such as SCRAM-SHA-512`,
  KAFKA_SASL_USERNAME: 'a user name, such as catalog',
  KAFKA_SASL_USERNAME_FILE: 'the path of a file that holds a user name, such as /run/secrets/kafka/username',
  KAFKA_SASL_PASSWORD: 'a password, such as openssl rand -hex 32 prints',
  KAFKA_SASL_PASSWORD_FILE: 'the path of a file that holds a password, such as /run/secrets/kafka/password',
  KAFKA_SSL_CA_FILE: 'the path of a file of certificates (PEM), such as /etc/catalog/ca.pem',
  KAFKA_SSL_CERTIFICATE_FILE: 'the path of a certificate (PEM), such as /run/secrets/kafka/tls.crt',
  KAFKA_SSL_KEY_FILE: 'the path of a private key (PEM), such as /run/secrets/kafka/tls.key',
  KAFKA_PROPERTIES_FILE: 'the path of a file of librdkafka\'s settings, a name=value a line, such as /etc/catalog/kafka.properties',
  KAFKA_TOPIC_PREFIX: 'at most 200 letters, digits, dots, dashes and underscores, such as staging.',
  SFTP_PUBLIC_ADDRESS: 'a host and a port from 1 to 65535, such as sftp.example.com:22 or [2001:db8::1]:22',
  SFTP_URL: 'a URL such as sftp://user@host:22/{vendorId}',
  SFTP_PRIVATE_KEY_FILE: 'the path of a private key, such as /run/secrets/sftp/key',
  SFTP_KNOWN_HOSTS_FILE: 'the path of a file in OpenSSH\'s format known_hosts, such as /etc/catalog/known_hosts',
  SFTP_HOST_KEY_FINGERPRINT: 'a comma-separated list of fingerprints as ssh-keygen -l prints them, such as SHA256:j43O8y4RFSsX9B9UOncdKpajsDEIdpz3vstlQHoapwI',
  SFTP_HOST_KEY_FILE: 'the path of an ed25519 private key, or two of them, comma-separated, such as /run/secrets/host_key,/run/secrets/next_host_key',
  AUTH_JWT_SECRET: 'a secret of at least 32 characters, such as openssl rand -hex 32 prints',
  AUTH_JWT_SECRET_FILE: 'the path of a file that holds a secret of at least 32 characters, such as openssl rand -hex 32 prints',
  AUTH_JWKS_URL: 'an https URL, or an http URL of this machine (localhost, 127.0.0.1, [::1]), such as https://id.example.com/keys',
  AUTH_ISSUER: 'what iss must be in access tokens, such as https://id.example.com',
  AUTH_AUDIENCE: 'what aud must be in access tokens, such as catalog',
  AUTH_TOKEN_MAX_AGE: 'a time such as 15m or 24h',
  RATE_LIMIT_PER_MINUTE: 'a number of requests, 0 for no limit, such as 60000',
  CORS_ORIGINS: 'a comma-separated list of origins such as https://dashboard.example.com',
  TRUSTED_PROXIES: 'a comma-separated list of addresses or networks such as 10.0.0.0/8',
  GRAPHQL_INTROSPECTION: 'true or false',
  GRAPHIQL: 'true or false',
  CONSOLE: 'on or off',
  SFTP_QUOTA_BYTES: 'a number of bytes, such as 214748364800',
  SFTP_PENALTY_EXEMPT: 'a comma-separated list of addresses or networks such as 10.0.0.0/8',
  PUBLIC_URL: 'a URL without a path, such as https://catalog.example.com',
  SIZE_CHART_ALLOWED_HOSTS: 'a comma-separated list of host or host:port, such as charts.example.com',
  SIZE_CHART_QUOTA: 'a number of size charts, such as 20000',
  SIZE_CHART_PDF_QUOTA_BYTES: 'a number of bytes, such as 2147483648',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'a URL such as http://otel-collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'a comma-separated list of name=value, values percent-encoded, such as authorization=Bearer%20token',
  OTEL_EXPORTER_OTLP_HEADERS_FILE: 'the path of a file that holds a comma-separated list of name=value, values percent-encoded, such as authorization=Bearer%20token',
  OTEL_SERVICE_NAME: 'at most 255 characters, such as merchant-catalog',
  OTEL_TRACES_SAMPLER: `one of ${tracesSamplers.join(', ')}, such as parentbased_traceidratio`,
  OTEL_TRACES_SAMPLER_ARG: 'a number from 0 to 1, such as 0.1',
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent'
}

/** Every variable that means something to the service. */
export const environmentVariables: readonly string[] = Object.keys(expectations)

/** A variable is wrong, or does not go with others: one line that names it, what is wrong, and what would be right; without what is secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Throws ConfigError. An empty variable means "not set": that is how compose files and shells leave one out. What `…_FILE` leads to has been read. */
export function readEnvironment (env: NodeJS.ProcessEnv): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => name in expectations && value !== ''))
  try {
    return envSchema<Environment>({ schema: Schema, data: given, env: false })
  } catch (error) {
    const path = (error as { errors?: Array<{ instancePath?: string }> }).errors?.[0]?.instancePath ?? ''
    const name = saidBy(given, path.slice(1)) as keyof typeof expectations
    const expected = expectations[name]
    if (expected === undefined) throw error
    throw new ConfigError(`${name} must be ${expected}${isSecret(name) ? '' : `, not "${given[name] ?? ''}"`}`)
  }
}

/** The variable that has a value or leads to the file that holds it. */
export const saidBy = (given: Readonly<Record<string, unknown>>, name: string): string => given[`${name}_FILE`] === undefined ? name : `${name}_FILE`

/** What holds one, or may, or leads to a file that does. */
const secrets: readonly string[] = [
  'AUTH_JWT_SECRET', 'AUTH_JWT_SECRET_FILE', 'MONGODB_URL', 'MONGODB_URL_FILE', 'KAFKA_SASL_PASSWORD',
  'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS_FILE'
]
const isSecret = (name: string): boolean => secrets.includes(name)
