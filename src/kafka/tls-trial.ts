/**
 * Why no TLS connection to a broker comes about. librdkafka says of a certificate that is not believed only that it is not; what is wrong
 * with it is found out by a handshake of our own.
 */
import { isIP } from 'node:net'
import { connect } from 'node:tls'

export interface TlsTrialOptions {
  brokers: string
  /** PEM; '' = the system's, or none. */
  ca: string
  certificate: string
  key: string
  passphrase?: string | undefined
}

const timeoutMs = 3_000

/** One line, or undefined where the certificates of all brokers are fine, or a broker is not there. */
export async function tryTls ({ brokers, ca, certificate, key, passphrase }: TlsTrialOptions): Promise<string | undefined> {
  const faults = await Promise.all(brokers.split(',').map(async (address) => await faultOf(address, { ca, certificate, key, passphrase })))
  return faults.find((fault) => fault !== undefined)
}

async function faultOf (address: string, { ca, certificate, key, passphrase }: Omit<TlsTrialOptions, 'brokers'>): Promise<string | undefined> {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '')
  return await new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(address.slice(colon + 1)),
      // Its certificate is looked at below, and nothing is sent.
      rejectUnauthorized: false,
      timeout: timeoutMs,
      ...isIP(host) === 0 ? { servername: host } : {},
      ...ca === '' ? {} : { ca },
      ...certificate === '' ? {} : { cert: certificate, key, ...passphrase === undefined ? {} : { passphrase } }
    })
    const end = (fault?: string): void => {
      socket.destroy()
      resolve(fault)
    }
    socket.once('secureConnect', () => {
      const error = socket.authorizationError as unknown
      end(error === undefined || error === null ? undefined : wordFault(address, codeOf(error), socket.getPeerCertificate().valid_to))
    })
    socket.once('timeout', () => { end() })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Something answers, and speaks no TLS.
      end(/WRONG_VERSION_NUMBER|PACKET_LENGTH/.test(error.code ?? '') ? `The Kafka broker ${address} speaks no TLS: KAFKA_SECURITY_PROTOCOL must be plaintext or sasl_plaintext for it` : undefined)
    })
  })
}

/** Node gives the code as a text, and as an error's where the name is wrong. */
const codeOf = (error: unknown): string => typeof error === 'string' ? error : (error as NodeJS.ErrnoException).code ?? String(error)

function wordFault (address: string, code: string, validTo: string): string {
  const broker = `The certificate of the Kafka broker ${address}`
  switch (code) {
    case 'CERT_HAS_EXPIRED': return `${broker} has expired (${validTo}): it has to be renewed there`
    case 'CERT_NOT_YET_VALID': return `${broker} is not valid yet: this machine's clock may be wrong`
    case 'ERR_TLS_CERT_ALTNAME_INVALID': return `${broker} is another host's: KAFKA_BROKERS must have the names in it`
    default: return `${broker} is not signed by an authority in KAFKA_SSL_CA_FILE (${code})`
  }
}
