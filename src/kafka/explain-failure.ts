/** librdkafka's lines about connections that fail, in a line that says what to mend. */
import type { KafkaConfig } from './kafka-config.js'

export interface Failure {
  /**
   * `certificate`: a trial may know more (tls-trial). `handshake`: the line is true only if a trial has nothing to say and no broker has ever answered, for
   * one that is just going away hangs up, too.
   */
  kind: 'password' | 'certificate' | 'handshake'
  line: string
}

/** undefined: nothing that a setting would mend, such as a broker that is away. */
export function explainFailure (text: string, config: Pick<KafkaConfig, 'protocol' | 'sasl'>, principal: string): Failure | undefined {
  const { protocol, sasl } = config
  if (/SASL (authentication error|.* mechanism handshake failed)|SaslAuthenticat/i.test(text)) {
    if (/mechanism handshake failed|unsupported/i.test(text)) {
      return { kind: 'password', line: `The Kafka brokers do not know KAFKA_SASL_MECHANISM ${sasl?.mechanism ?? ''}${serversMechanisms(text)}` }
    }
    return { kind: 'password', line: `The Kafka brokers refuse ${principal} (${sasl?.mechanism ?? ''}): ${sasl?.username.variable ?? ''} or ${sasl?.password.variable ?? ''} is wrong` }
  }
  if (/alert|certificate required/i.test(text) && /SSL/.test(text)) {
    const alert = /alert[ :]*([a-z ]+)/i.exec(text.replace(/^.*SSL routines::/, ''))?.[1]?.trim()
    return { kind: 'certificate', line: `The Kafka brokers refuse the certificate in KAFKA_SSL_CERTIFICATE_FILE${alert === undefined ? '' : ` (${alert})`}` }
  }
  if (/certificate verify failed/i.test(text)) {
    return { kind: 'certificate', line: 'The certificate of a Kafka broker is not believed: KAFKA_SSL_CA_FILE must have the authority that has signed it' }
  }
  if (/in state (APIVERSION_QUERY|SSL_HANDSHAKE|AUTH_HANDSHAKE)/.test(text) && /closed by peer|disconnected|reset|handshake failed|invalid response|ApiVersion/i.test(text)) {
    return { kind: 'handshake', line: `The Kafka brokers hang up before anything is asked: KAFKA_SECURITY_PROTOCOL is perhaps another than ${protocol} at these ports` }
  }
  return undefined
}

/** `broker's supported mechanisms: A,B` */
const serversMechanisms = (text: string): string => {
  const found = /supported mechanisms: ([\w,-]+)/.exec(text)?.[1]
  return found === undefined ? '' : `, but ${found}`
}
