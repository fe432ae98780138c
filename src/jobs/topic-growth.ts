/**
 * Makes the topic grow with the vendors, so that each has a partition of its own and workers can share the vendors out. It doubles,
 * because every growth makes the group arrange itself anew: ten times on the way to a thousand vendors.
 *
 * Nothing waits for it. Until the topic has grown, and where it may not (no permission, the most that we want), vendors share
 * partitions: that costs them nothing but the sharing out, since a vendor's order is its lane's and not its partition's.
 */
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'

export interface TopicGrowthOptions {
  brokers: string
  topic: string
  /** The most partitions that the topic is to have. */
  maxPartitions: number
  onGrown: () => void
  log: Logger
}

export interface TopicGrowth {
  /** The topic has `count` partitions, and `wanted` would be right. Returns at once. */
  want (wanted: number, count: number): void
  close (): Promise<void>
}

const timeoutMs = 10_000
/** A broker that refuses now will hardly have changed its mind by the next job. */
const retryAfterMs = 60_000

export function createTopicGrowth ({ brokers, topic, maxPartitions, onGrown, log }: TopicGrowthOptions): TopicGrowth {
  let growing: Promise<void> = Promise.resolve()
  let isBusy = false
  let notBeforeMs = -Infinity

  async function grow (total: number): Promise<void> {
    const admin = Kafka.AdminClient.create({ 'metadata.broker.list': brokers, 'client.id': 'catalog-admin' })
    try {
      await new Promise<void>((resolve, reject) => {
        admin.createPartitions(topic, total, timeoutMs, (error) => {
          // node-rdkafka's type leaves out that there may be none.
          if ((error as unknown) == null) resolve()
          else reject(new Error(error.message, { cause: error }))
        })
      })
      log.info({ topic, partitions: total }, 'the topic has grown')
      onGrown()
    } catch (error) {
      // Another process may have been faster: what is there now is looked at again.
      onGrown()
      log.info({ err: error, topic, partitions: total }, 'the topic did not grow; vendors share its partitions')
      notBeforeMs = performance.now() + retryAfterMs
    } finally {
      admin.disconnect()
    }
  }

  return {
    want (wanted, count) {
      const total = Math.min(maxPartitions, 2 ** Math.ceil(Math.log2(wanted)))
      if (total <= count || isBusy || performance.now() < notBeforeMs) return
      isBusy = true
      growing = grow(total).finally(() => { isBusy = false })
    },
    close: async () => { await growing }
  }
}
