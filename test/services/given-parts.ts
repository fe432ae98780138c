/** What run.ts hands to the tests. */
import { givenServiceEnvironment } from '../support/own-names.js'
import type { RealParts } from './parts/real-parts.js'

export type GivenParts = Omit<RealParts, 'stop'>

export function givenParts (): GivenParts {
  return {
    mongodbUrl: given('TEST_MONGODB_URL'),
    kafka: Object.fromEntries(Object.entries({ ...givenServiceEnvironment(), KAFKA_BROKERS: given('TEST_KAFKA_BROKERS') }).map(([name, value]) => [name, value ?? ''])),
    sftpUrl: given('TEST_SFTP_URL'),
    sftpPrivateKeyFile: given('TEST_SFTP_PRIVATE_KEY_FILE'),
    sftpHostKeyFingerprint: given('TEST_SFTP_HOST_KEY_FINGERPRINT'),
    sftpRoot: given('TEST_SFTP_ROOT')
  }
}

function given (name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: these tests are run by npm run test:services`)
  return value
}
