/** Topics are made and grown by a client that is there for the one request. */
import Kafka from 'node-rdkafka'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import { isMakingDenied } from '../kafka/refusals.js'

export interface TopicAdmin {
  /** With the brokers' own numbers of partitions and replicas. */
  make (topic: string): Promise<'made' | 'was there'>
  /** Whether this user has the right to make it, if it is not there. Makes nothing. */
  mayMake (topic: string): Promise<boolean>
  grow (topic: string, partitions: number): Promise<void>
  /** For one that was made to try things out; the service's own stay. */
  remove (topic: string): Promise<void>
}

const timeoutMs = 10_000
const topicExists = 36
const invalidReplicationFactor = 38
const policyViolation = 44
const brokersDefault = -1
/** The most that librdkafka asks for. */
const moreReplicasThanBrokers = 10_000

type Done = (error: Kafka.LibrdKafkaError) => void

export function createTopicAdmin (kafka: KafkaAccess): TopicAdmin {
  async function ask (request: (admin: Kafka.IAdminClient, done: Done) => void): Promise<void> {
    const admin = Kafka.AdminClient.create({ 'client.id': 'catalog-admin', ...kafka.settings() }, kafka.token())
    try {
      await new Promise<void>((resolve, reject) => {
        request(admin, (error) => {
          // node-rdkafka's type leaves out that there may be none.
          if ((error as unknown) == null) resolve()
          else reject(Object.assign(new Error(error.message, { cause: error }), { code: error.code }))
        })
      })
    } finally {
      admin.disconnect()
    }
  }

  return {
    async make (topic) {
      const wanted = { topic, num_partitions: brokersDefault, replication_factor: brokersDefault }
      try {
        await ask((admin, done) => { admin.createTopic(wanted, timeoutMs, done) })
        return 'made'
      } catch (error) {
        if ((error as { code?: number }).code === topicExists) return 'was there'
        throw error
      }
    },
    async mayMake (topic) {
      // Rights are looked at first, and only then what is asked for: this cannot be had. Brokers that take no notice of replicas make the topic that `make` would.
      const wanted = { topic, num_partitions: brokersDefault, replication_factor: moreReplicasThanBrokers }
      try {
        await ask((admin, done) => { admin.createTopic(wanted, timeoutMs, done) })
      } catch (error) {
        if (isMakingDenied(error as Error)) return false
        if (![topicExists, invalidReplicationFactor, policyViolation].includes((error as { code?: number }).code ?? 0)) throw error
      }
      return true
    },
    remove: async (topic) => { await ask((admin, done) => { admin.deleteTopic(topic, timeoutMs, done) }) },
    grow: async (topic, partitions) => { await ask((admin, done) => { admin.createPartitions(topic, partitions, timeoutMs, done) }) }
  }
}
