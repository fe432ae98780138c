/** Reads the files that say how Kafka is reached, and looks whether they can be used, before librdkafka does and says it less clearly. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ConfigError } from '../environment.js'
import { readSecret, readText } from '../secret-file.js'
import type { Credential, KafkaConfig } from './kafka-config.js'
import { parseProperties, type Properties } from './properties-file.js'

export interface KafkaFiles {
  username: string
  password: string
  /** '' where none is given. */
  ca: string
  certificate: string
  key: string
  properties: Properties
}

/** Throws ConfigError, with one line that names the variable. */
export async function readKafkaFiles (config: KafkaConfig): Promise<KafkaFiles> {
  const { sasl, caFile, certificateFile, keyFile, propertiesFile } = config
  const optional = async (variable: string, file: string | undefined): Promise<string> => file === undefined ? '' : await readText(variable, file)
  const files = {
    username: sasl === undefined ? '' : await readCredential(sasl.username),
    password: sasl === undefined ? '' : await readCredential(sasl.password),
    ca: await optional('KAFKA_SSL_CA_FILE', caFile),
    certificate: await optional('KAFKA_SSL_CERTIFICATE_FILE', certificateFile),
    key: await optional('KAFKA_SSL_KEY_FILE', keyFile),
    properties: propertiesFile === undefined ? {} : parseProperties(await readText('KAFKA_PROPERTIES_FILE', propertiesFile), propertiesFile)
  }
  if (caFile !== undefined) readCertificate('KAFKA_SSL_CA_FILE', caFile, files.ca)
  if (certificateFile !== undefined && keyFile !== undefined) {
    const certificate = readCertificate('KAFKA_SSL_CERTIFICATE_FILE', certificateFile, files.certificate)
    if (!isKeyOf(certificate, files.key, files.properties['ssl.key.password'], keyFile)) {
      throw new ConfigError(`KAFKA_SSL_KEY_FILE must be the private key of the certificate in KAFKA_SSL_CERTIFICATE_FILE, and ${keyFile} is another one's`)
    }
  }
  return files
}

const readCredential = async ({ variable, source }: Credential): Promise<string> => 'value' in source ? source.value : await readSecret(variable, source.file)

function readCertificate (variable: string, file: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw new ConfigError(`${variable} must be a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----, and ${file} is none`)
  }
}

function isKeyOf (certificate: X509Certificate, key: string, passphrase: string | undefined, file: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey({ key, ...passphrase === undefined ? {} : { passphrase } }))
  } catch {
    throw new ConfigError(`KAFKA_SSL_KEY_FILE must be a private key in PEM, which begins with -----BEGIN PRIVATE KEY-----, and ${file} is none that can be opened (ssl.key.password in KAFKA_PROPERTIES_FILE is for one with a password)`)
  }
}
