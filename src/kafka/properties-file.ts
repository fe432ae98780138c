/**
 * KAFKA_PROPERTIES_FILE: what an operator wants of librdkafka beyond the variables, a `name=value` a line, `#` before a remark, as in Java's
 * properties without its escapes. What the service relies on cannot be set there, nor what would run or load code.
 */
import { ConfigError } from '../environment.js'

export type Properties = Readonly<Record<string, string>>

const byVariable = (variable: string): string => `${variable} says that`
const offsets = 'offsets are committed when the work is done, and not before'
const rebalance = 'the worker takes and gives up partitions in one way alone'
const code = 'settings load no code and run no programs'

/** Why each of these is not to be set. A name that ends in `*` stands for all that begin so. */
const refused: Readonly<Record<string, string>> = {
  'bootstrap.servers': byVariable('KAFKA_BROKERS'),
  'metadata.broker.list': byVariable('KAFKA_BROKERS'),
  'security.protocol': byVariable('KAFKA_SECURITY_PROTOCOL'),
  'sasl.mechanism': byVariable('KAFKA_SASL_MECHANISM'),
  'sasl.mechanisms': byVariable('KAFKA_SASL_MECHANISM'),
  'sasl.username': byVariable('KAFKA_SASL_USERNAME'),
  'sasl.password': byVariable('KAFKA_SASL_PASSWORD_FILE'),
  'ssl.ca.location': byVariable('KAFKA_SSL_CA_FILE'),
  'ssl.certificate.location': byVariable('KAFKA_SSL_CERTIFICATE_FILE'),
  'ssl.key.location': byVariable('KAFKA_SSL_KEY_FILE'),
  'group.id': byVariable('KAFKA_TOPIC_PREFIX'),
  'group.instance.id': 'every consumer would be taken for the same one',
  'group.protocol*': rebalance,
  'partition.assignment.strategy': rebalance,
  'enable.auto.commit': offsets,
  'auto.commit*': offsets,
  'enable.auto.offset.store': offsets,
  'auto.offset.reset': 'a group begins at the earliest message, or what was sent before its first start would be lost',
  'offset.store*': offsets,
  acks: 'a message counts as sent when all replicas in sync have it',
  'request.required.acks': 'a message counts as sent when all replicas in sync have it',
  'transactional.id': 'the producers send no transactions',
  'message.timeout.ms': 'recovery relies on a minute',
  'delivery.timeout.ms': 'recovery relies on a minute',
  'max.poll.interval.ms': 'the worker polls by itself',
  'enable.ssl.certificate.verification': 'anybody could pass for the broker',
  'enable.sasl.oauthbearer.unsecure.jwt': 'anybody can make such a token',
  'sasl.oauthbearer.config': byVariable('sasl.oauthbearer.token.endpoint.url'),
  'sasl.oauthbearer.method': byVariable('KAFKA_SASL_MECHANISM'),
  'sasl.oauthbearer.client.id': byVariable('KAFKA_SASL_USERNAME'),
  'sasl.oauthbearer.client.secret': byVariable('KAFKA_SASL_PASSWORD_FILE'),
  'plugin.library.paths': code,
  'sasl.kerberos.kinit.cmd': code,
  'ssl.engine*': code,
  'ssl.providers': code,
  'test.mock*': 'that is for tests of librdkafka',
  'builtin.features': 'that is what librdkafka was built with',
  debug: 'such lines would pass by the service\'s log',
  log_level: 'LOG_LEVEL says that',
  'log.*': 'LOG_LEVEL says that',
  'statistics.interval.ms': 'nobody reads them',
  opaque: 'that is no setting of text',
  '*_cb': 'that is no setting of text'
}

/** Throws ConfigError, which names the line and the setting, never a value. */
export function parseProperties (text: string, file: string): Properties {
  const properties: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const [, name = '', value = ''] = /^([A-Za-z0-9._]+)\s*=\s*(.*)$/.exec(trimmed) ?? []
    const refuse = (fault: string): never => { throw new ConfigError(`KAFKA_PROPERTIES_FILE must hold librdkafka's settings, but line ${index + 1} of ${file} ${fault}; one that works is socket.keepalive.enable=true`) }
    if (name === '') refuse('is not name=value')
    const reason = reasonAgainst(name)
    if (reason !== undefined) refuse(`sets ${name}, which cannot be set here: ${reason}`)
    if (name in properties) refuse(`sets ${name} once more`)
    properties[name] = value
  }
  return properties
}

function reasonAgainst (name: string): string | undefined {
  const fits = (pattern: string): boolean => pattern.endsWith('*')
    ? name.startsWith(pattern.slice(0, -1))
    : pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern
  return Object.entries(refused).find(([pattern]) => fits(pattern))?.[1]
}
