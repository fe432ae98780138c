/**
 * The threads that answer large requests (api/graphql/limits/large-requests.ts), seen from the one that hands them on. The first is started when a
 * large request comes.
 *
 * Of each vendor (or user of several) one request is answered at a time, so whoever sends many waits for itself; each thread has one in hand, so nobody
 * else is lost with it when it dies, of a heap that ran over for example: it is SERVICE_UNAVAILABLE.
 *
 *   let in ─▶ waits for its owner's one before, and for enough of its answers to be read ─▶ is answered ─▶ is sent ─▶ over
 *
 * What is in hand is bounded in number and bytes (request-room.ts), first those of the body and then those of the answer that nobody has read yet.
 */
import type { ResourceLimits } from 'node:worker_threads'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import type { Wake } from '../jobs/import-queue.js'
import type { ReadGate } from '../store/reads/read-gate.js'
import { createRemoteReads, type ReadReply, type ReadRequest, type RemoteReads } from '../store/reads/remote-read-gate.js'
import { usedCores } from '../threads/cores.js'
import { poolThreadsWithOldSpace } from '../threads/old-space.js'
import { createLargeWork, largeRequestBytes, type LargeWork } from '../threads/large-work.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import { ThreadLost } from '../threads/thread-lost.js'
import { noSpan, type Span } from '../tracing/span.js'
import { retellSpans, type SpanMessage } from '../tracing/told-spans.js'
import { createThreadPool } from '../threads/thread-pool.js'
import { bytesOf, type AnswerLarge, type LargeAnswer, type LargeRequest } from './graphql/limits/large-requests.js'
import { createRequestRoom, roomOwner } from './request-room.js'

/**
 * One of the largest takes some 200 MB while it is answered. A request's text and what is read of it live for as long as the request, so a larger young
 * generation would only copy them once more.
 */
const resourceLimits: ResourceLimits = { maxOldGenerationSizeMb: 400, maxYoungGenerationSizeMb: 12 }
/** Answers of one owner that wait to be read; while there are more, none of its requests is begun. One answer has 32 Mi characters at most. */
const maxUnreadBytesOfOne = 16 * 1_024 * 1_024

/** What a request's operation has begun. */
export interface WakeMessage { topic: 'imports' | 'conversions', vendorId: string, jobId: string }

/** What a thread says while it answers a request, and what it is told. */
export type FromRequest = WakeMessage | ReadRequest | { span: SpanMessage }
export type ToRequest = ReadReply

interface LargeRequestThreadsOptions {
  /** The module that runs in them, and what it is given. */
  entry: URL
  data: unknown
  wake: Wake
  wakeConversion: Wake
  /** Of the process; of these threads alone when absent. */
  largeWork?: LargeWork
  /** Of the process: reads in the threads pass it as well. */
  readGate: Pick<ReadGate, 'run'>
  log: Logger
  metrics?: ThreadMetrics
  threads?: number
  closeTimeoutMs?: number
}

export interface LargeRequestThreads {
  answer: AnswerLarge
  /** Requests in hand have a few seconds to end; new ones are SERVICE_UNAVAILABLE. */
  close (): Promise<void>
}

/** What a thread keeps, and half as much again. By itself V8 would wait for 200, half of what there may be, as nearly all of a large request lives until it is answered. */
const initialOldSpaceMb = 48
const startThread = poolThreadsWithOldSpace(initialOldSpaceMb)

export function createLargeRequestThreads ({ wake, wakeConversion, readGate, largeWork = createLargeWork(), threads = usedCores, ...others }: LargeRequestThreadsOptions): LargeRequestThreads {
  const admission = createAdmission()
  const pool = createThreadPool<LargeRequest, LargeAnswer, FromRequest, ToRequest>({ name: 'large requests', threads, tasksPerThread: 1, resourceLimits, startThread, ...others })

  async function ask (owner: string, request: LargeRequest, span: Span): Promise<LargeAnswer> {
    const spans = retellSpans(span)
    let reads: RemoteReads | undefined
    try {
      return await pool.run({
        owner,
        input: request,
        transfer: request.body.map(({ buffer }) => buffer),
        // Who has gone does not read the answer, but what the request was to do is done.
        signal: new AbortController().signal,
        onTold (message, tell) {
          if ('read' in message) return (reads ??= createRemoteReads(readGate, tell)).asked(message)
          if ('span' in message) return spans.take(message.span)
          const { topic, vendorId, jobId } = message;
          (topic === 'imports' ? wake : wakeConversion)(vendorId, jobId, span)
        }
      })
    } catch (error) {
      if (error instanceof ThreadLost) throw unavailable('The request could not be answered; try again later, or send fewer entries at once', error)
      throw error
    } finally {
      reads?.end()
      spans.end()
    }
  }

  return {
    async answer (request, sent, span = noSpan) {
      const owner = roomOwner(request.principal)
      const bytes = bytesOf(request.body)
      const place = admission.admit(owner, bytes)
      let over = (): void => {}
      try {
        await place.turn()
        if (bytes > largeRequestBytes) over = await largeWork.begin(owner)
        const answer = await ask(owner, request, span)
        place.answered(answer.body.byteLength)
        void sent.then(place.leave)
        return answer
      } catch (error) {
        place.answered(0)
        place.leave()
        throw error
      } finally {
        over()
      }
    },
    async close () {
      const closed = pool.close()
      // They are refused by the pool.
      admission.letAllBegin()
      await closed
    }
  }
}

/** What one request takes up. */
interface Place {
  /** When those before it have been answered, and enough of their answers have been read. */
  turn (): Promise<void>
  /** Its body has gone; what it takes up is its answer. */
  answered (bytes: number): void
  leave (): void
}

interface Admission {
  /** Throws LIMIT_EXCEEDED or SERVICE_UNAVAILABLE where there is no room. */
  admit (owner: string, bytes: number): Place
  letAllBegin (): void
}

interface Owner {
  unreadBytes: number
  /** One is being answered. */
  isBusy: boolean
  /** Begin those that wait, in their order. */
  waiting: Array<() => void>
  requests: number
}

function createAdmission (): Admission {
  const room = createRequestRoom('being answered')
  const owners = new Map<string, Owner>()

  return {
    admit (name, bytesOfBody) {
      const stay = room.enter(name, bytesOfBody)
      const owner = owners.get(name) ?? { unreadBytes: 0, isBusy: false, waiting: [], requests: 0 }
      owners.set(name, owner)
      owner.requests += 1
      let unreadBytes = 0
      return {
        async turn () {
          await new Promise<void>((resolve) => {
            owner.waiting.push(resolve)
            beginNext(owner)
          })
        },
        answered (bytesOfAnswer) {
          stay.hold(bytesOfAnswer)
          unreadBytes = bytesOfAnswer
          owner.unreadBytes += bytesOfAnswer
          owner.isBusy = false
          beginNext(owner)
        },
        leave () {
          stay.leave()
          owner.unreadBytes -= unreadBytes
          owner.requests -= 1
          if (owner.requests === 0) owners.delete(name)
          else beginNext(owner)
        }
      }
    },
    letAllBegin () {
      for (const { waiting } of owners.values()) for (const begin of waiting.splice(0)) begin()
    }
  }
}

function beginNext (owner: Owner): void {
  if (owner.isBusy || owner.unreadBytes > maxUnreadBytesOfOne) return
  const begin = owner.waiting.shift()
  if (begin === undefined) return
  owner.isBusy = true
  begin()
}
