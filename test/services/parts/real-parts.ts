/** The three outside parts of the service, real ones, on loopback and temporary folders. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMongodb } from './mongodb.js'
import { say } from './say.js'
import { createSecuredKafka, type SecuredKafka } from './secured-kafka.js'
import { createSshd } from './sshd.js'
import { temporaryFolder } from './temporary-folder.js'

export interface RealParts {
  mongodbUrl: string
  /** How the service logs in to Kafka: KAFKA_… */
  kafka: SecuredKafka['env']
  sftpUrl: string
  sftpPrivateKeyFile: string
  sftpHostKeyFingerprint: string
  /** The folder under which `<vendorId>/incoming/` lies. */
  sftpRoot: string
  /** Ends all of them and removes their folders. */
  stop (): Promise<void>
}

/**
 * `names`: what topics and groups begin with that Kafka's user has rights on.
 *
 * All three or none: rejects with an AggregateError, an error for each part that cannot be had, when the others have been stopped.
 */
export async function startRealParts (names: string): Promise<RealParts> {
  const { path: folder, remove } = await temporaryFolder(join(tmpdir(), 'catalog-services-'))
  const stops: Array<() => Promise<void>> = [remove]
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each()
  }

  const startKafka = async (): Promise<Pick<RealParts, 'kafka'>> => {
    const kafka = await createSecuredKafka(join(folder, 'kafka'))
    stops.push(kafka.stop)
    await kafka.start()
    await kafka.allow(names)
    say(`Apache Kafka on ${kafka.brokers}, by SASL_SSL`)
    return { kafka: kafka.env }
  }
  const startDatabase = async (): Promise<{ mongodbUrl: string }> => {
    const mongodb = await startMongodb(join(folder, 'mongodb'))
    stops.push(mongodb.stop)
    say(`${mongodb.command} on ${mongodb.url}`)
    return { mongodbUrl: mongodb.url }
  }
  const startFiles = async (): Promise<Pick<RealParts, 'sftpUrl' | 'sftpPrivateKeyFile' | 'sftpHostKeyFingerprint' | 'sftpRoot'>> => {
    const sshd = await createSshd()
    stops.push(sshd.close)
    await sshd.start()
    say(`OpenSSH's sshd on ${sshd.url}`)
    return { sftpUrl: sshd.url, sftpPrivateKeyFile: sshd.privateKeyFile, sftpHostKeyFingerprint: sshd.hostKeyFingerprint, sftpRoot: sshd.root }
  }

  const [kafka, database, files] = await Promise.allSettled([startKafka(), startDatabase(), startFiles()])
  if (kafka.status === 'fulfilled' && database.status === 'fulfilled' && files.status === 'fulfilled') {
    return { ...kafka.value, ...database.value, ...files.value, stop }
  }
  await stop()
  const failed = [kafka, database, files].filter((result) => result.status === 'rejected')
  throw new AggregateError(failed.map(({ reason }) => reason as unknown), 'Not all real parts can be had')
}
