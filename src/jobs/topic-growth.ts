/**
 * Makes the topic where it is missing, and makes it grow with the vendors, so that each has a partition of its own and workers can share the vendors
 * out. It doubles, because every growth makes the group arrange itself anew: ten times on the way to a thousand vendors.
 *
 * Nothing waits for it. Until the topic has grown, and where it may not (no permission, the most that we want), vendors share
 * partitions: that costs them nothing but the sharing out, since a vendor's order is its lane's and not its partition's.
 */
import type { Logger } from 'pino'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import { createTopicAdmin } from './topic-admin.js'

export interface TopicGrowthOptions {
  kafka: KafkaAccess
  topic: string
  /** The most partitions that the topic is to have. 0 = it is left as it is, also when it is missing. */
  maxPartitions: number
  onGrown: () => void
  log: Logger
}

export interface TopicGrowth {
  /** The topic has `count` partitions, and `wanted` would be right. Returns at once. */
  want (wanted: number, count: number): void
  /** The topic is not to be seen: it is made, or whoever may is told how. Returns at once. */
  miss (): void
  close (): Promise<void>
}

/** A broker that refuses now will hardly have changed its mind by the next job. */
const retryAfterMs = 60_000
/** Whether there is a topic, though, is what all wait for. */
const missAgainAfterMs = 5_000

export function createTopicGrowth ({ kafka, topic, maxPartitions, onGrown, log }: TopicGrowthOptions): TopicGrowth {
  const admin = createTopicAdmin(kafka)
  const { administration, faults } = kafka
  let working: Promise<void> = Promise.resolve()
  let isBusy = false
  let growNotBeforeMs = -Infinity
  let missNotBeforeMs = -Infinity

  async function grow (total: number): Promise<void> {
    try {
      await admin.grow(topic, total)
      log.info({ topic, partitions: total }, 'the topic has grown')
    } catch (error) {
      log.info({ err: error, topic, partitions: total, commands: [administration.alterTopic(topic, total)] }, 'the topic did not grow; vendors share its partitions')
      growNotBeforeMs = performance.now() + retryAfterMs
    }
    // Another process may have been faster: what is there now is looked at again.
    onGrown()
  }

  async function make (): Promise<void> {
    missNotBeforeMs = performance.now() + missAgainAfterMs
    try {
      if (await admin.make(topic) === 'made') log.info({ topic }, 'the topic was made')
      onGrown()
    } catch (error) {
      log.debug({ err: error, topic }, 'the topic was not made')
      faults.note(`write ${topic}`, `There is no Kafka topic ${topic} that this service may use, and it may not make it: an administrator has to`,
        [administration.createTopic(topic), administration.allowWriting([topic])])
    }
  }

  const work = (task: () => Promise<void>): void => {
    if (isBusy) return
    isBusy = true
    working = task().finally(() => { isBusy = false })
  }

  return {
    want (wanted, count) {
      const total = Math.min(maxPartitions, 2 ** Math.ceil(Math.log2(wanted)))
      if (total > count && performance.now() >= growNotBeforeMs) work(async () => { await grow(total) })
    },
    miss () {
      if (maxPartitions > 0 && performance.now() >= missNotBeforeMs) work(make)
    },
    close: async () => { await working }
  }
}
