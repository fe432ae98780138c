/**
 * Reads hints and hands each to `handle`, which resolves when the hint has been dealt with; only then is its offset
 * committed, in order. So what was not dealt with is delivered again, here or elsewhere.
 *
 * It polls all the time, also while a job runs for hours: a consumer that stops polling loses its partitions, and the
 * next one would lose them just the same. (`consume(n)` and not the flowing mode, whose disconnect can hang.)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { createGroupConsumer, pollTimeoutMs, reconnectMs, tryToConnect } from './kafka-group.js'
import { OffsetTracker } from './offset-tracker.js'

export interface Hint { vendorId: string, jobId: string }

export interface HintConsumerOptions {
  brokers: string
  topic: string
  groupId: string
  /** A rejection leaves the offset uncommitted. */
  handle: (hint: Hint) => Promise<void>
  log: Logger
}

export interface HintConsumer {
  /** Stops fetching; hints in hand may still finish and be committed. */
  pause (): void
  /** Commits what is done and leaves the group. */
  close (): Promise<void>
}

const pollBatch = 100
/** Hints in hand at most, each of another vendor; more are left with Kafka until half of these are dealt with. */
const maxInHand = 2_000

export function createHintConsumer ({ brokers, topic, groupId, handle, log }: HintConsumerOptions): HintConsumer {
  // A new vendor's job must not wait longer than this for its partition to be found.
  const consumer = createGroupConsumer({ brokers, groupId, log, metadataRefreshMs: 2_000, onRebalance: rebalance })

  const offsets = new OffsetTracker()
  let inHand = 0
  /** Partitions are paused; polling goes on, or the group would take them away. */
  let paused = false
  let pausing = false
  let closing = false
  let pollEnded: (() => void) | null = null

  function rebalance (error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]): void {
    try {
      if (error.code === Kafka.CODES.ERRORS.ERR__ASSIGN_PARTITIONS) {
        consumer.assign(assignments)
        // New partitions are not paused; the next poll pauses them again where it must.
        paused = false
        log.info({ partitions: assignments.map(({ partition }) => partition) }, 'partitions assigned')
      } else {
        commit()
        offsets.clear()
        consumer.unassign()
        log.info({ partitions: assignments.map(({ partition }) => partition) }, 'partitions revoked')
      }
    } catch (cause) {
      // The consumer was closed while the group was being arranged anew.
      log.debug({ err: cause }, 'rebalance after close')
    }
  }

  function take (message: Kafka.Message): void {
    const { partition, offset, value } = message
    const generation = offsets.begin(partition, offset)
    inHand += 1
    settle(value).then(() => {
      if (offsets.finish(generation, partition, offset)) commit()
    }, (error: unknown) => {
      if (!closing) log.warn({ err: error, partition, offset }, 'a hint was not dealt with')
    }).finally(() => { inHand -= 1 })
  }

  /** What is no hint is dealt with by saying so: it would be none the next time either. */
  async function settle (value: Buffer | null): Promise<void> {
    const hint = parseHint(value)
    if (hint === null) log.warn({ topic }, 'a message that is no job hint was skipped')
    else await handle(hint)
  }

  function commit (): void {
    const ready = offsets.takeCommittable().map(([partition, offset]) => ({ topic, partition, offset }))
    if (ready.length === 0) return
    try {
      consumer.commit(ready)
    } catch (error) {
      log.debug({ err: error }, 'offsets not committed; the hints will come again')
    }
  }

  function poll (): void {
    if (closing) {
      pollEnded?.()
      return
    }
    balance()
    consumer.consume(pollBatch, (error, messages) => {
      if (error !== null && error !== undefined) log.debug({ err: error }, 'kafka poll')
      else if (!closing) for (const message of messages) take(message)
      // An error comes back at once; a quiet poll has waited already.
      if (error !== null && error !== undefined) setTimeout(poll, pollTimeoutMs)
      else setImmediate(poll)
    })
  }

  function balance (): void {
    const wanted = pausing || inHand >= maxInHand ? true : inHand <= maxInHand / 2 ? false : paused
    if (wanted === paused) return
    if (wanted) consumer.pause(consumer.assignments())
    else consumer.resume(consumer.assignments())
    paused = wanted
  }

  consumer.on('ready', () => {
    consumer.subscribe([topic])
    poll()
  })
  const connecting = connect()

  /** Ends when connected or closing. */
  async function connect (): Promise<void> {
    // eslint-disable-next-line no-unmodified-loop-condition -- close() sets it
    while (!closing) {
      const error = await tryToConnect(consumer, topic)
      if (error === null || closing) return
      log.warn({ err: error }, 'kafka consumer is not connected; trying again')
      await sleep(reconnectMs)
    }
  }

  return {
    pause () { pausing = true },
    async close () {
      if (closing) return
      closing = true
      await connecting
      if (!consumer.isConnected()) return
      await new Promise<void>((resolve) => { pollEnded = resolve })
      commit()
      await new Promise<void>((resolve) => { consumer.disconnect(() => { resolve() }) })
    }
  }
}

function parseHint (value: Buffer | null): Hint | null {
  try {
    const hint = JSON.parse(value?.toString() ?? 'null') as Partial<Hint> | null
    if (typeof hint?.vendorId !== 'string' || typeof hint.jobId !== 'string') return null
    return { vendorId: hint.vendorId, jobId: hint.jobId }
  } catch {
    return null
  }
}
