/**
 * Reads hints and hands each to `handle`; when that has ended, the hint's offset is committed, in order. So what was in hand of a
 * process that dies or closes is delivered again, here or elsewhere. It polls on meanwhile, also while a job runs for hours.
 *
 * A hint is finished whatever came of it: its vendor's lane still says what there is to do, and recovery looks at lanes. One that
 * was left unfinished would hold up the offsets of all vendors after it in its partition, until the next rebalance.
 */
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import type { BrokerCalls } from './broker-calls.js'
import { traceparentIn } from './hint-trace.js'
import { createGroupConsumer } from './kafka-group.js'
import { OffsetTracker } from './offset-tracker.js'

export interface Hint {
  vendorId: string
  jobId: string
  /** W3C's, where the message carries on a trace. */
  traceparent?: string | undefined
}

export interface HintConsumerOptions {
  kafka: KafkaAccess
  calls?: BrokerCalls | undefined
  topic: string
  groupId: string
  /** A rejection is logged; it leaves the offset uncommitted only while the process closes. */
  handle: (hint: Hint) => Promise<void>
  log: Logger
}

export interface HintConsumer {
  /** Stops fetching; hints in hand may still finish and be committed. */
  pause (): void
  /** Commits what is done and leaves the group. */
  close (): Promise<void>
}

const messagesPerPoll = 100
/** Hints in hand at most, each of another vendor; more are left with Kafka until half of these are dealt with. */
const maxInHand = 2_000

export function createHintConsumer ({ kafka, calls, topic, groupId, handle, log }: HintConsumerOptions): HintConsumer {
  const offsets = new OffsetTracker()
  let inHand = 0
  /** Partitions are paused; polling goes on, or the group would take them away. */
  let paused = false
  let pausing = false
  const group = createGroupConsumer({
    kafka,
    calls,
    topic,
    groupId,
    log,
    // A new vendor's job must not wait longer than this for its partition to be found.
    metadataRefreshMs: 2_000,
    messagesPerPoll,
    onRebalance: rebalance,
    beforeLeaving () {
      commit()
      offsets.clear()
      paused = false
    },
    take (messages) {
      for (const message of messages) take(message)
      balance()
    }
  })
  function rebalance (client: Kafka.KafkaConsumer, error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]): void {
    try {
      if (error.code === Kafka.CODES.ERRORS.ERR__ASSIGN_PARTITIONS) {
        client.assign(assignments)
        // New partitions are not paused; the next poll pauses them again where it must.
        paused = false
        log.info({ partitions: assignments.map(({ partition }) => partition) }, 'partitions assigned')
      } else {
        commit()
        offsets.clear()
        client.unassign()
        log.info({ partitions: assignments.map(({ partition }) => partition) }, 'partitions revoked')
      }
    } catch (cause) {
      // The consumer was closed while the group was being arranged anew.
      log.debug({ err: cause }, 'rebalance after close')
    }
  }

  function take (message: Kafka.Message): void {
    const { partition, offset } = message
    const generation = offsets.begin(partition, offset)
    inHand += 1
    settle(message).catch((error: unknown) => {
      // Who shuts down leaves what is in hand to others.
      if (pausing || group.closing.aborted) throw error
      log.warn({ err: error, partition, offset }, 'a hint was not dealt with; recovery will look at its vendor again')
    }).then(() => {
      if (offsets.finish(generation, partition, offset)) commit()
    }, (error: unknown) => {
      log.debug({ err: error, partition, offset }, 'a hint is left to others')
    }).finally(() => { inHand -= 1 })
  }

  /** What is no hint is dealt with by saying so: it would be none the next time either. */
  async function settle (message: Kafka.Message): Promise<void> {
    const { value } = message
    // How a producer finds out whether it may send.
    if (value === null) return
    const hint = parseHint(value)
    if (hint === null) log.warn({ topic }, 'a message that is no job hint was skipped')
    else await handle({ ...hint, traceparent: traceparentIn(message) })
  }

  const commit = (): void => { group.commit(offsets.takeCommittable()) }

  function balance (): void {
    const wanted = pausing || inHand >= maxInHand ? true : inHand <= maxInHand / 2 ? false : paused
    if (wanted === paused) return
    const { client } = group
    if (wanted) client.pause(client.assignments())
    else client.resume(client.assignments())
    paused = wanted
  }

  return {
    pause () { pausing = true },
    close: group.close
  }
}

function parseHint (value: Buffer): Hint | null {
  try {
    const hint = JSON.parse(value.toString()) as Partial<Hint> | null
    if (typeof hint?.vendorId !== 'string' || typeof hint.jobId !== 'string') return null
    return { vendorId: hint.vendorId, jobId: hint.jobId }
  } catch {
    return null
  }
}
