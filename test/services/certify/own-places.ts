/**
 * Where the tests may write on somebody's servers: databases, topics and a folder whose names begin with `certify` and digits that nobody else has. They are made here, so that it is known that they
 * were not there before, and are removed with all that is in them, and nothing else is.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { loadConfig, type Config } from '../../../src/config.js'
import { createBrokerCalls } from '../../../src/jobs/broker-calls.js'
import { createConnectedProducer } from '../../../src/jobs/connected-producer.js'
import { createTopicAdmin } from '../../../src/jobs/topic-admin.js'
import { topicsWith } from '../../../src/jobs/topics.js'
import { openKafkaAccess, type KafkaAccess } from '../../../src/kafka/kafka-access.js'
import { createSftpFiles } from '../../../src/sources/sftp-files.js'
import { hasLoginPerVendor, parseSftpUrl } from '../../../src/sources/sftp-url.js'
import { openDatabase } from '../../../src/store/database/connection.js'
import { hasNotAnswered, refusalOf, connectionFaultOf } from '../../../src/store/database/database-errors.js'
import { silent } from '../../support/log.js'
import { makeRemoteFolders, removeRemoteFolder, sftpLoginOf } from '../../support/remote-files.js'
import { withDatabase } from '../../support/service-process.js'
import { describeFailure } from '../parts/describe-failure.js'
import { kafkaVersion } from './kafka-version.js'

export interface Servers {
  /** As the service is told of them: MONGODB_URL or MONGODB_URL_FILE, KAFKA_…, SFTP_…; without SFTP_URL the built-in server is used. */
  env: NodeJS.ProcessEnv
  /** Where the folder that SFTP_URL leads to is on this machine; without it files go over SFTP. */
  sftpRoot?: string
}

export interface OwnPlaces {
  /** For test files (test/support/service-process). */
  env: NodeJS.ProcessEnv
  /** Of each server, by its name. */
  versions: Record<string, string>
  /** Gives what could not be removed, and why. */
  remove (): Promise<string[]>
}

interface Place extends Omit<OwnPlaces, 'versions' | 'remove'> {
  version: string
  remove (): Promise<void>
}

const answerWithinMs = 10_000

/** All of them or none: rejects with an AggregateError, one line for each server that cannot be used, once what was made on the others is gone. */
export async function makeOwnPlaces ({ env: given, sftpRoot }: Servers): Promise<OwnPlaces> {
  // Services under test have working directories of their own.
  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, name.endsWith('_FILE') && value !== undefined && value !== '' ? resolve(value) : value]))
  const config = loadConfig(env)
  const name = `certify_${randomBytes(4).toString('hex')}`
  const making = { MongoDB: makeDatabases(config, `${name}_`), Kafka: makeTopics(config, env, `${config.kafka.topicPrefix}${name}.`), SFTP: makeFolder(config, env, name, sftpRoot) }
  const settled = await Promise.allSettled(Object.values(making))
  const places = settled.flatMap((result) => result.status === 'fulfilled' ? [result.value] : [])
  const remove = async (): Promise<string[]> => {
    const removed = await Promise.allSettled(places.map(async (place) => { await place.remove() }))
    return removed.flatMap((result) => result.status === 'rejected' ? [describeFailure(result.reason)] : [])
  }
  const faults = settled.flatMap((result) => result.status === 'rejected' ? [result.reason as unknown] : [])
  if (faults.length > 0) throw new AggregateError([...faults, ...(await remove()).map((line) => new Error(line))], 'The tests cannot run on these servers')
  return {
    env: Object.assign({}, ...places.map((place) => place.env)) as NodeJS.ProcessEnv,
    versions: Object.fromEntries(Object.keys(making).map((server, at) => [server, places[at]?.version ?? ''])),
    remove
  }
}

/** Of any name that begins with the prefix: test files have one each, and each service that they start. */
async function makeDatabases ({ mongodbUrl, mongodbUrlVariable: variable }: Config, prefix: string): Promise<Place> {
  if (mongodbUrl === undefined) throw new Error('MongoDB: MONGODB_URL is required')
  const url = withAuthSource(mongodbUrl)
  const open = () => openDatabase(withDatabase(url, `${prefix}first`), { appName: 'catalog-certify', urlVariable: variable, selectionTimeMs: answerWithinMs })
  const word = (error: unknown): Error => new Error(`MongoDB: ${refusalOf(error, variable) ?? connectionFaultOf(error, variable) ??
    (hasNotAnswered(error) ? `no server of ${variable} answers at ${hostsOf(url)}` : describeFailure(error))}`)
  const owned = async ({ db }: ReturnType<typeof open>): Promise<string[]> =>
    (await db.admin().listDatabases({ nameOnly: true })).databases.map(({ name }) => name).filter((name) => name.startsWith(prefix))

  const remove = async (): Promise<void> => {
    const database = open()
    try {
      for (const name of await owned(database)) await database.db.client.db(name).dropDatabase()
    } catch (error) {
      throw new Error(`databases whose names begin with ${prefix} are left: ${word(error).message}`)
    } finally {
      await database.close()
    }
  }
  const database = open()
  let isMade = false
  try {
    const { version } = await database.db.command({ buildInfo: 1 }) as { version: string }
    if ((await owned(database)).length > 0) throw new Error(`there are databases already whose names begin with ${prefix}`)
    isMade = true
    await database.db.collection('made_by').insertOne({ at: new Date() })
    if ((await owned(database)).length !== 1) throw new Error(`the user of ${variable} does not see databases that it makes: it needs the roles readWriteAnyDatabase and dbAdminAnyDatabase`)
    return { env: { TEST_MONGODB_URL: url, TEST_DATABASE_PREFIX: prefix }, version: `${version} at ${hostsOf(url)}`, remove }
  } catch (error) {
    if (isMade) await remove().catch(() => { /* it is told why no more could be made */ })
    throw word(error)
  } finally {
    await database.close()
  }
}

/** A login is looked up in the database that the URL names, unless it says where; that one is another for each test. */
export function withAuthSource (url: string): string {
  const [, name, query = ''] = /^mongodb:\/\/[^/]*@[^/]*\/([^?]+)(?:\?(.*))?$/.exec(url) ?? []
  if (name === undefined || /(?:^|&)auth(?:Source|Mechanism)=/i.test(query)) return url
  return `${url}${url.includes('?') ? '&' : '?'}authSource=${name}`
}

const hostsOf = (url: string): string => url.replace(/^mongodb(?:\+srv)?:\/\/(?:[^/]*@)?([^/?]*).*$/, '$1')

/** The service's topics, behind a prefix; their groups have the same names. */
async function makeTopics ({ kafka: config }: Config, env: NodeJS.ProcessEnv, prefix: string): Promise<Place> {
  const brokers = config.brokers
  if (brokers === undefined) throw new Error('Kafka: KAFKA_BROKERS is required')
  const kafka = await openKafkaAccess({ config, brokers, log: silent })
  const admin = createTopicAdmin(kafka)
  const made: string[] = []
  const remove = async (): Promise<void> => {
    const left: string[] = []
    for (const topic of made) await admin.remove(topic).catch((error: unknown) => { left.push(`topic ${topic} is left: ${describeFailure(error)}`) })
    kafka.close()
    if (left.length > 0) throw new Error(left.join('; '))
  }
  try {
    await whileConnected(kafka, async () => {
      for (const topic of Object.values(topicsWith(prefix))) {
        const outcome = await admin.make(topic).catch((error: unknown) => { throw new Error(wordTopicFault(topic, error, brokers)) })
        if (outcome === 'was there') throw new Error(`there is a topic ${topic} already`)
        made.push(topic)
      }
    })
  } catch (error) {
    await remove().catch(() => { /* it is told why they could not be made */ })
    throw new Error(`Kafka: ${describeFailure(error)}`, { cause: error })
  }
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== undefined && (name.startsWith('KAFKA_') || name === 'NODE_EXTRA_CA_CERTS')))
  return {
    env: { TEST_KAFKA_BROKERS: brokers, TEST_SERVICE_ENV: JSON.stringify({ ...given, KAFKA_TOPIC_PREFIX: prefix }) },
    version: `${await kafkaVersion(config)}, at ${brokers} by ${config.protocol}${config.sasl === undefined ? '' : ` with ${config.sasl.mechanism}`}`,
    remove
  }
}

const wordTopicFault = (topic: string, error: unknown, brokers: string): string => /timed out|transport failure/i.test(describeFailure(error))
  ? `no broker of KAFKA_BROKERS answers at ${brokers}`
  : `topic ${topic} cannot be made (${describeFailure(error)}): the user needs the operations of docs/operations.md, "Kafka's rights", and Create, Alter and Delete, on topics and groups whose names begin with ${topic.replace(/(?<=certify_)[0-9a-f]{8}\..*$/, '')}`

/** Requests of administrators only run into a timeout where nobody answers, or the password is wrong; a producer beside them is told why. */
async function whileConnected (kafka: KafkaAccess, work: () => Promise<void>): Promise<void> {
  const producer = createConnectedProducer({ kafka, calls: createBrokerCalls(), onDelivery: () => {}, log: silent })
  const over = new AbortController()
  const faulty = async (): Promise<never> => {
    for (;;) {
      const line = kafka.faults.find('connection')
      if (line !== undefined) throw new Error(line)
      await delay(50, undefined, { signal: over.signal })
    }
  }
  try {
    const told = faulty()
    told.catch(() => { /* over */ })
    await Promise.race([work(), told])
  } finally {
    over.abort()
    await producer.close()
  }
}

async function makeFolder ({ sftpUrl: url, sftpPrivateKeyFile: privateKeyFile, sftpHostKeys: hostKeys }: Config, env: NodeJS.ProcessEnv, name: string, sftpRoot: string | undefined): Promise<Place> {
  if (url === undefined || privateKeyFile === undefined || hostKeys === undefined) return { env: { TEST_SFTP_URL: undefined }, version: 'the built-in server', remove: async () => {} }
  const target = parseSftpUrl(url)
  if (hasLoginPerVendor(target) || !url.includes('/{vendorId}')) throw new Error('SFTP: SFTP_URL must have /{vendorId} in its path, such as sftp://user@host:22/{vendorId}: vendors of the tests have no logins of their own')
  const version = `${await identificationOf(target)}, at ${target.host}:${target.port}`
  const files = createSftpFiles({ url, privateKeyFile, hostKeys, log: silent, reconnect: { budgetMs: 4_000 } })
  await files.ping().catch((error: unknown) => { throw new Error(`SFTP: ${describeFailure(error)} (${target.host}:${target.port})`, { cause: error }) }).finally(async () => { await files.close() })

  const names = ['SFTP_PRIVATE_KEY_FILE', 'SFTP_KNOWN_HOSTS_FILE', 'SFTP_HOST_KEY_FINGERPRINT']
  const told = { ...Object.fromEntries(names.map((each) => [`TEST_${each}`, env[each]])), TEST_SFTP_URL: url.replace('/{vendorId}', `/${name}/{vendorId}`) }
  if (sftpRoot !== undefined) {
    const path = join(sftpRoot, name)
    await mkdir(path)
    // The service logs in as another user than ours.
    await chmod(path, 0o777)
    return { env: { ...told, TEST_SFTP_ROOT: path }, version, remove: async () => { await rm(path, { recursive: true, force: true }) } }
  }
  const { login, folder: parent } = sftpLoginOf(env)
  const path = posix.join(parent, name)
  await makeRemoteFolders(login, path).catch((error: unknown) => {
    throw new Error(`SFTP: no folder can be made in ${parent} (${describeFailure(error)}): SFTP_URL must lead to one that its user may write in, such as sftp://user@host:22/staging/{vendorId}`, { cause: error })
  })
  return {
    env: { ...told, TEST_SFTP_ROOT: undefined },
    version,
    async remove () {
      await removeRemoteFolder(login, path).catch((error: unknown) => { throw new Error(`folder ${path} is left on the SFTP server: ${describeFailure(error)}`) })
    }
  }
}

/** What a server says first (RFC 4253, 4.2), before any key is asked for. */
async function identificationOf ({ host, port }: { host: string, port: number }): Promise<string> {
  const socket = connect({ host, port, timeout: answerWithinMs })
  try {
    return await new Promise((resolve) => {
      let said = ''
      for (const event of ['error', 'timeout', 'close']) socket.once(event, () => { resolve('not told') })
      socket.setEncoding('latin1').on('data', (piece: string) => {
        said += piece
        const [line] = /^SSH-[\x20-\x7E]{1,251}(?=\r?\n)/m.exec(said) ?? []
        if (line !== undefined) resolve(line)
        else if (said.length > 8_192) resolve('not told')
      })
    })
  } finally {
    socket.destroy()
  }
}
