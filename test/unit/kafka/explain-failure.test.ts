/** Texts are librdkafka 2.12's own, as it has written them of brokers of Apache Kafka 4.1. */
import t from 'tap'
import { loadConfig } from '../../../src/config.js'
import { explainFailure } from '../../../src/kafka/explain-failure.js'

const { kafka: config } = loadConfig({
  KAFKA_BROKERS: 'k:9093', KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_SASL_USERNAME: 'catalog', KAFKA_SASL_PASSWORD_FILE: '/p'
})

const at = '[thrd:sasl_ssl://127.0.0.1:23508/bootstrap]: sasl_ssl://127.0.0.1:23508/bootstrap: '
for (const [what, text, kind, line] of [
  ['a wrong password', 'SASL authentication error: Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512 (after 329ms in state AUTH_REQ)',
    'password', 'The Kafka brokers refuse User:catalog (SCRAM-SHA-512): KAFKA_SASL_USERNAME or KAFKA_SASL_PASSWORD_FILE is wrong'],
  ['a certificate that is not believed', 'SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: broker certificate could not be verified, verify that ssl.ca.location is correctly configured (after 158ms in state SSL_HANDSHAKE)',
    'certificate', 'The certificate of a Kafka broker is not believed: KAFKA_SSL_CA_FILE must have the authority that has signed it'],
  ['a port that speaks something else', 'Disconnected: connection closed by peer: receive 0 after POLLIN (after 4ms in state APIVERSION_QUERY)',
    'handshake', 'The Kafka brokers hang up before anything is asked: KAFKA_SECURITY_PROTOCOL is perhaps another than sasl_ssl at these ports'],
  ['a mechanism that is not known there', 'SASL SCRAM-SHA-512 mechanism handshake failed: Broker: Unsupported SASL mechanism: broker\'s supported mechanisms: PLAIN (after 4ms in state AUTH_HANDSHAKE)',
    'password', 'The Kafka brokers do not know KAFKA_SASL_MECHANISM SCRAM-SHA-512, but PLAIN']
] as const) {
  t.test(`${what} is explained`, async (t) => {
    t.strictSame(explainFailure(`${at}${text}`, config, 'User:catalog'), { kind, line })
  })
}

t.test('a broker that is away is nothing that a setting would mend', async (t) => {
  t.equal(explainFailure(`${at}Connect to ipv4#127.0.0.1:23508 failed: Connection refused (after 0ms in state CONNECT)`, config, 'User:catalog'), undefined)
})
