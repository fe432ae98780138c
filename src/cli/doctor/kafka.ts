/**
 * Kafka, or the embedded one of a running service: rights are found out by using them. What is sent to the service's own topics is the empty message that it
 * sends itself at each start; everything else goes over a topic that is made for it and removed again, where that is allowed.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import { topicsWith } from '../../jobs/topics.js'
import { openKafkaAccess, type KafkaAccess } from '../../kafka/kafka-access.js'
import { isGroupDenied, isMakingDenied, isTopicDenied, isTopicUnknown } from '../../kafka/refusals.js'
import { wordCount } from '../wording.js'
import { fail, messageOf, ok, warn, type Area, type Check, type Outcome } from './check.js'
import { inTime, openClient, openConsumer, poll, pollMs, type Client } from './kafka-client.js'
import type { DoctorParts } from './parts.js'

const limitMs = 9_000
/** Below the million that brokers and librdkafka take as a rule; analytics records may be as large. */
const largeBytes = 900_000
/** What the row of topics has told, and mends. */
const notThereYet = ok('not tried: the topics are not there yet')

export function kafkaArea (parts: DoctorParts): Area {
  const { config, log } = parts
  const topics = topicsWith(config.kafka.topicPrefix)
  const isEmbedded = config.kafka.brokers === undefined
  const address = config.kafka.brokers ?? ''
  let client: Client | undefined
  const opened = (): Client => {
    if (client === undefined) throw new Error('Kafka is not reached')
    return client
  }
  const reach: Check = {
    name: 'kafka',
    limitMs,
    gate: true,
    fix: `look whether KAFKA_BROKERS names the right hosts and ports, and this machine may reach them: nc -vz ${address.split(',')[0]?.replace(':', ' ') ?? ''}`,
    run: async (signal) => {
      const brokers = await parts.kafkaBrokers()
      if (brokers === undefined) return { ...ok('embedded; it begins with the service'), ends: true }
      client = openClient(await openKafkaAccess({ config: config.kafka, brokers, log }), log)
      const found = await client.metadata(topics.productImports, signal)
      return ok(`${isEmbedded ? 'embedded, ' : ''}${wordCount(found.brokers.length, 'broker')} at ${brokers}, ${config.kafka.protocol}${config.kafka.sasl === undefined ? '' : ` with ${config.kafka.sasl.mechanism}`}`)
    }
  }
  const check = (name: string, fix: string, run: (client: Client, signal: AbortSignal) => Promise<Outcome>): Check =>
    ({ name: `kafka ${name}`, limitMs, fix, run: async (signal) => await run(opened(), signal) })
  const checks = (): Check[] => [
    check('messages', `raise message.max.bytes of the brokers above ${largeBytes}`, async (client, signal) => await messagesOutcome(client, config.kafka.topicPrefix, signal)),
    check('topics', 'look whether this machine may reach every broker, by the address that it tells clients: advertised.listeners', async (client, signal) => await topicsOutcome(client, Object.values(topics), parts, signal)),
    check('replicas', 'kafka-topics --describe --under-replicated-partitions', async (client, signal) => await replicasOutcome(client, topics.productImports, signal)),
    check('write', 'grant what docs/operations.md, "Kafka\'s rights", lists', async (client, signal) => await writeOutcome(client, [topics.productImports, topics.sizeChartConversions], signal)),
    check('read', 'grant what docs/operations.md, "Kafka\'s rights", lists', async (client, signal) => await readOutcome(client, Object.values(topics), signal))
  ]
  return {
    checks: [
      reach,
      ...(isEmbedded ? [] : checks())
    ],
    close: async () => { await client?.close() }
  }
}

const partitionsOf = ({ topics }: Kafka.Metadata, topic: string): Kafka.PartitionMetadata[] => topics.find(({ name }) => name === topic)?.partitions ?? []

async function topicsOutcome (client: Client, topics: readonly string[], parts: DoctorParts, signal: AbortSignal): Promise<Outcome> {
  const { kafka: { administration } } = client
  const counts = await Promise.all(topics.map(async (topic) => [topic, partitionsOf(await client.metadata(topic, signal), topic).length] as const))
  const missing = counts.filter(([, count]) => count === 0).map(([topic]) => topic)
  if (missing.length > 0) return await missingOutcome(client, missing)
  const vendors = await parts.vendors()
  const [[imports = '', partitions] = ['', 0]] = counts
  const told = counts.map(([topic, count]) => `${topic} ${count}`).join(', ')
  const partitionsTold = `partitions: ${told}${vendors === undefined ? '' : `; ${wordCount(vendors.count, 'vendor')}`}`
  // Vendors share partitions at no cost but that workers cannot share out what is in one.
  const enough = Math.min(vendors?.count ?? 0, enoughPartitions)
  return partitions < enough ? warn(`${partitionsTold}: so few workers at most share the imports out`, administration.alterTopic(imports, enoughPartitions)) : ok(partitionsTold)
}

/** What the service makes by itself when it starts lacks nothing. */
async function missingOutcome ({ admin, kafka: { administration } }: Client, missing: readonly string[]): Promise<Outcome> {
  const mayMake = await Promise.all(missing.map(async (topic) => await admin.mayMake(topic)))
  const makes = missing.filter((_topic, index) => mayMake[index])
  const lacks = missing.filter((_topic, index) => !mayMake[index])
  const made = makes.length === 0 ? [] : [`the service makes ${makes.join(', ')} when it starts`]
  if (lacks.length === 0) return ok(made.join())
  return fail([...made, `${lacks.join(', ')}: not there, or not to be seen by this user, who may not make them`].join('; '), lacks.map((topic) => administration.createTopic(topic)).join(' && '))
}

/** As many workers hardly anybody runs. */
const enoughPartitions = 64

async function replicasOutcome ({ metadata }: Client, topic: string, signal: AbortSignal): Promise<Outcome> {
  const found = await metadata(topic, signal)
  const partitions = partitionsOf(found, topic)
  if (partitions.length === 0) return notThereYet
  const leaderless = partitions.filter(({ leader }) => leader < 0).length
  if (leaderless > 0) return fail(`${wordCount(leaderless, 'partition')} of ${topic} without a leader`, `kafka-topics --describe --unavailable-partitions --topic ${topic}`)
  const behind = partitions.filter(({ isrs, replicas }) => isrs.length < replicas.length).length
  if (behind > 0) return warn(`${wordCount(behind, 'partition')} of ${topic} with a replica that is behind or away`, `kafka-topics --describe --under-replicated-partitions --topic ${topic}`)
  const fewest = Math.min(...partitions.map(({ replicas }) => replicas.length))
  // Hints are sent again within a minute: what is lost with a broker is time.
  if (fewest === 1 && found.brokers.length > 1) return warn(`${topic} is on one broker alone, of ${found.brokers.length}`, 'kafka-reassign-partitions, to 3 replicas')
  return ok(`${fewest} of each partition of ${topic}`)
}

async function writeOutcome ({ kafka, send }: Client, topics: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const denied: string[] = []
  const written: string[] = []
  for (const topic of topics) {
    await inTime(signal, send(topic, null)).then(() => { written.push(topic) }, (error: Error) => {
      if (isTopicDenied(error)) denied.push(topic)
      else if (!isTopicUnknown(error)) throw new Error(`${topic}: ${messageOf(error)}`)
    })
  }
  if (denied.length > 0) return fail(`the brokers do not let this user write to ${denied.join(' and ')}`, kafka.administration.allowWriting(denied))
  return written.length === 0 ? notThereYet : ok(`to ${written.join(' and ')}`)
}

async function readOutcome ({ kafka, metadata }: Client, topics: readonly string[], signal: AbortSignal): Promise<Outcome> {
  const denied = (await Promise.all(topics.map(async (topic) => await isReadable(kafka, topic, signal) ? [] : [topic]))).flat()
  if (denied.length > 0) return fail(`the brokers do not let this user read ${denied.join(', ')}, or as the group of that name`, kafka.administration.allowReading(denied))
  const read = (await Promise.all(topics.map(async (topic) => partitionsOf(await metadata(topic, signal), topic)))).filter(({ length }) => length > 0)
  return read.length === 0 ? notThereYet : ok(`${wordCount(read.length, 'topic')}, each by the group of its name`)
}

/** Looks, as the group that the workers are, at what it has committed and at a message; joins nothing, commits nothing. Nobody refuses to show what is not there. */
async function isReadable (kafka: KafkaAccess, topic: string, signal: AbortSignal): Promise<boolean> {
  const { consumer, close } = await openConsumer(kafka, topic, signal)
  try {
    let denied = false
    consumer.on('event.error', (error) => { denied ||= isTopicDenied(error) || isGroupDenied(error) })
    const partition = { topic, partition: 0 }
    const committed = async (): Promise<Kafka.LibrdKafkaError | null> =>
      await new Promise((resolve) => { consumer.committed([partition], committedTimeoutMs, (error) => { resolve(error ?? null) }) })
    let refused = await committed()
    // A cluster that no group has asked yet begins to look after them.
    for (let again = 0; again < 5 && refused !== null && isSettling(refused); again++) {
      await delay(500, undefined, { signal })
      refused = await committed()
    }
    if (refused !== null) {
      // librdkafka goes on asking for the coordinator of a group that it may not see.
      if (isGroupDenied(refused) || isTopicDenied(refused) || refused.code === Kafka.CODES.ERRORS.ERR__TIMED_OUT) return false
      throw new Error(`${topic}: ${messageOf(refused)}`)
    }
    consumer.assign([{ ...partition, offset: endOffset }])
    const until = performance.now() + 800
    while (!denied && performance.now() < until) denied ||= await poll(consumer).then(() => false, (error: Error) => isTopicDenied(error) || isGroupDenied(error))
    return !denied
  } finally {
    await close()
  }
}

const committedTimeoutMs = 3_000
/** Coordinator is loading, not available, another one. */
const isSettling = ({ code }: Kafka.LibrdKafkaError): boolean => [14, 15, 16].includes(code)

const endOffset = -1
const beginningOffset = -2

async function messagesOutcome (client: Client, prefix: string, signal: AbortSignal): Promise<Outcome> {
  const { kafka, admin, send, metadata } = client
  const topic = `${prefix}catalog.doctor-${randomBytes(6).toString('hex')}`
  try {
    await admin.make(topic)
  } catch (error) {
    if (!isMakingDenied(error as Error)) throw error
    return ok(`not tried: this user may make no topic ${prefix}catalog.doctor-… to send it over`)
  }
  const started = performance.now()
  let removed: Promise<boolean> | undefined
  const remove = async (): Promise<boolean> => await (removed ??= admin.remove(topic).then(() => true, () => false))
  try {
    while (partitionsOf(await metadata(topic, signal), topic).length === 0) await delay(pollMs, undefined, { signal })
    const message = randomBytes(largeBytes)
    await inTime(signal, send(topic, message)).catch((error: Error) => { throw new Error(`a message of ${largeBytes} bytes is refused: ${messageOf(error)}`) })
    await inTime(signal, receive(kafka, topic, message, signal))
    const told = `one of ${largeBytes / 1_000} kB there and back over a topic of its own in ${Math.round(performance.now() - started)} ms`
    return await remove() ? ok(told) : warn(`${told}, which this user may not remove again`, `kafka-topics --bootstrap-server ${kafka.brokers} --command-config admin.properties --delete --topic ${topic}`)
  } finally {
    await remove()
  }
}

async function receive (kafka: KafkaAccess, topic: string, expected: Buffer, signal: AbortSignal): Promise<void> {
  const { consumer, close } = await openConsumer(kafka, topic, signal)
  try {
    consumer.assign([{ topic, partition: 0, offset: beginningOffset }])
    while (!signal.aborted) {
      const [message] = await poll(consumer).catch((error: Error) => {
        // The group of that topic's name is nobody's, and nothing is asked of it.
        if (!isGroupDenied(error)) throw error
        return []
      })
      if (message?.value != null && message.value.equals(expected)) return
    }
  } finally {
    await close()
  }
}
