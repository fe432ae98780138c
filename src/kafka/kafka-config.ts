/** How Kafka is to be reached, as the environment says it. Files are named here and read in kafka-access. */
import { resolve } from 'node:path'
import { ConfigError, type saslMechanisms, type securityProtocols, type Environment } from '../environment.js'
import { onlyOneOf } from '../secret-file.js'

export type SecurityProtocol = (typeof securityProtocols)[number]
export type SaslMechanism = (typeof saslMechanisms)[number]

/** Given as it is, or the absolute path of a file that holds it, which may change while we run. `variable` is the one that says so. */
export interface Credential { variable: string, source: { value: string } | { file: string } }

export interface SaslConfig {
  mechanism: SaslMechanism
  /** With OAUTHBEARER: the client's id and secret at the token endpoint. */
  username: Credential
  password: Credential
}

export interface KafkaConfig {
  /** `host:port`, comma-separated; undefined = the embedded one. */
  brokers: string | undefined
  /** In front of the names of topics and groups. */
  topicPrefix: string
  protocol: SecurityProtocol
  sasl: SaslConfig | undefined
  /** Absolute paths of PEM files. Without `caFile` the system's authorities are believed. Certificate and key: both or none. */
  caFile: string | undefined
  certificateFile: string | undefined
  keyFile: string | undefined
  /** Absolute path. */
  propertiesFile: string | undefined
}

type Name = keyof Environment & `KAFKA_${string}`

const forSasl: readonly Name[] = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_USERNAME_FILE', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_PASSWORD_FILE']
const forTls: readonly Name[] = ['KAFKA_SSL_CA_FILE', 'KAFKA_SSL_CERTIFICATE_FILE', 'KAFKA_SSL_KEY_FILE']
const forRealBrokers: readonly Name[] = ['KAFKA_SECURITY_PROTOCOL', ...forSasl, ...forTls, 'KAFKA_PROPERTIES_FILE']

/** Throws ConfigError where variables do not go together. */
export function readKafkaConfig (env: Environment): KafkaConfig {
  const given = (names: readonly Name[]): Name | undefined => names.find((name) => env[name] !== undefined)
  const protocol = (env.KAFKA_SECURITY_PROTOCOL ?? 'plaintext').toLowerCase() as SecurityProtocol
  const idle = env.KAFKA_BROKERS === undefined ? given(forRealBrokers) : undefined
  if (idle !== undefined) throw new ConfigError(`KAFKA_BROKERS is required when ${idle} is set, for example KAFKA_BROKERS=kafka-1.example.com:9093,kafka-2.example.com:9093`)
  const usesSasl = protocol.startsWith('sasl_')
  const usesTls = protocol.endsWith('ssl')
  const withoutSasl = usesSasl ? undefined : given(forSasl)
  if (withoutSasl !== undefined) throw new ConfigError(`${withoutSasl} means nothing with KAFKA_SECURITY_PROTOCOL ${protocol}; set, for example, KAFKA_SECURITY_PROTOCOL=sasl_ssl`)
  const withoutTls = usesTls ? undefined : given(forTls)
  if (withoutTls !== undefined) throw new ConfigError(`${withoutTls} means nothing with KAFKA_SECURITY_PROTOCOL ${protocol}; set, for example, KAFKA_SECURITY_PROTOCOL=${usesSasl ? 'sasl_ssl' : 'ssl'}`)
  if ((env.KAFKA_SSL_CERTIFICATE_FILE === undefined) !== (env.KAFKA_SSL_KEY_FILE === undefined)) {
    const [missing, example] = env.KAFKA_SSL_KEY_FILE === undefined ? ['KAFKA_SSL_KEY_FILE', 'tls.key'] : ['KAFKA_SSL_CERTIFICATE_FILE', 'tls.crt']
    throw new ConfigError(`KAFKA_SSL_CERTIFICATE_FILE and KAFKA_SSL_KEY_FILE go together; add, for example, ${missing}=/run/secrets/kafka/${example}`)
  }
  return {
    brokers: env.KAFKA_BROKERS,
    topicPrefix: env.KAFKA_TOPIC_PREFIX,
    protocol,
    sasl: usesSasl ? readSasl(env, protocol) : undefined,
    caFile: path(env.KAFKA_SSL_CA_FILE),
    certificateFile: path(env.KAFKA_SSL_CERTIFICATE_FILE),
    keyFile: path(env.KAFKA_SSL_KEY_FILE),
    propertiesFile: path(env.KAFKA_PROPERTIES_FILE)
  }
}

const path = (file: string | undefined): string | undefined => file === undefined ? undefined : resolve(file)

function readSasl (env: Environment, protocol: SecurityProtocol): SaslConfig {
  if (env.KAFKA_SASL_MECHANISM === undefined) {
    throw new ConfigError(`KAFKA_SASL_MECHANISM is required with KAFKA_SECURITY_PROTOCOL ${protocol}, for example KAFKA_SASL_MECHANISM=SCRAM-SHA-512`)
  }
  return {
    mechanism: env.KAFKA_SASL_MECHANISM.toUpperCase() as SaslMechanism,
    username: readCredential(env, 'KAFKA_SASL_USERNAME', protocol),
    password: readCredential(env, 'KAFKA_SASL_PASSWORD', protocol)
  }
}

function readCredential (env: Environment, variable: 'KAFKA_SASL_USERNAME' | 'KAFKA_SASL_PASSWORD', protocol: SecurityProtocol): Credential {
  const value = env[variable]
  const file = env[`${variable}_FILE`]
  if (value !== undefined && file !== undefined) throw onlyOneOf(variable)
  if (file !== undefined) return { variable: `${variable}_FILE`, source: { file: resolve(file) } }
  if (value !== undefined) return { variable, source: { value } }
  throw new ConfigError(`${variable} or ${variable}_FILE is required with KAFKA_SECURITY_PROTOCOL ${protocol}, for example ${variable}_FILE=/run/secrets/kafka/${variable.slice('KAFKA_SASL_'.length).toLowerCase()}`)
}
