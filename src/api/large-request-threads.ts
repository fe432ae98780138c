/**
 * The threads that answer large requests (api/graphql/large-requests.ts), seen from the one that hands them on. The first is started when a
 * large request comes.
 *
 * Of each vendor (or user) one request is answered at a time, so whoever sends many waits for itself; each thread has one in hand, so nobody else is
 * lost with it when it dies, of a heap that ran over for example: it is SERVICE_UNAVAILABLE. What waits is bounded in number and bytes, for each
 * vendor and for all.
 */
import { availableParallelism } from 'node:os'
import type { ResourceLimits } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Principal } from '../domain/access.js'
import { limitExceeded, unavailable } from '../errors.js'
import type { Wake } from '../jobs/import-queue.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import { ThreadLost } from '../threads/thread-lost.js'
import { createThreadPool } from '../threads/thread-pool.js'
import type { AnswerLarge, LargeAnswer, LargeRequest } from './graphql/large-requests.js'

/** One for each core, but two at least: one goes on while the other waits for the database. */
const defaultThreads = Math.min(4, Math.max(2, availableParallelism()))
/** One of the largest takes some 200 MB while it is answered. */
const resourceLimits: ResourceLimits = { maxOldGenerationSizeMb: 400 }
/** Those in hand and those that wait, of one vendor or user. */
const maxRequestsOfOne = 16
/** Bodies in hand, each of 16 MiB at most. */
const maxBytes = 64 * 1_024 * 1_024
const maxBytesOfOne = 32 * 1_024 * 1_024

/** What a request's operation has begun. */
export interface WakeMessage { topic: 'imports' | 'conversions', vendorId: string, jobId: string }

interface LargeRequestThreadsOptions {
  /** The module that runs in them, and what it is given. */
  entry: URL
  data: unknown
  wake: Wake
  wakeConversion: Wake
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

export function createLargeRequestThreads ({ wake, wakeConversion, threads = defaultThreads, ...others }: LargeRequestThreadsOptions): LargeRequestThreads {
  const admit = createAdmission()
  const pool = createThreadPool<LargeRequest, LargeAnswer, WakeMessage>({ name: 'large requests', threads, tasksPerThread: 1, resourceLimits, ...others })

  async function ask (owner: string, request: LargeRequest): Promise<LargeAnswer> {
    try {
      return await pool.run({
        owner,
        input: request,
        transfer: [request.body.buffer],
        // Who has gone does not read the answer, but what the request was to do is done.
        signal: new AbortController().signal,
        onTold: ({ topic, vendorId, jobId }) => { (topic === 'imports' ? wake : wakeConversion)(vendorId, jobId) }
      })
    } catch (error) {
      if (error instanceof ThreadLost) throw unavailable('The request could not be answered; try again later, or send fewer entries at once', error)
      throw error
    }
  }

  return {
    async answer (request) {
      const owner = ownerOf(request.principal)
      const leave = admit(owner, request.body.length)
      try {
        return await ask(owner, request)
      } finally {
        leave()
      }
    },
    close: pool.close
  }
}

/** All keys of a vendor are one: it may have many. */
const ownerOf = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.userId}` : `vendor ${principal.vendorId}`

/** Lets in what there is room for, and gives what lets it out again. */
function createAdmission (): (name: string, bytes: number) => () => void {
  const owners = new Map<string, { requests: number, bytes: number }>()
  let bytesInHand = 0

  return (name, bytes) => {
    const owner = owners.get(name) ?? { requests: 0, bytes: 0 }
    if (owner.requests >= maxRequestsOfOne) throw limitExceeded(`At most ${maxRequestsOfOne} large requests may wait for their answers; wait for answers before you send more`)
    if (owner.bytes + bytes > maxBytesOfOne) {
      throw limitExceeded(`Large requests that are being answered may have ${maxBytesOfOne} bytes in all; wait for answers before you send more`)
    }
    if (bytesInHand + bytes > maxBytes) throw unavailable('The service is overloaded; try again later')
    owners.set(name, owner)
    owner.requests += 1
    owner.bytes += bytes
    bytesInHand += bytes
    return () => {
      owner.requests -= 1
      owner.bytes -= bytes
      bytesInHand -= bytes
      if (owner.requests === 0) owners.delete(name)
    }
  }
}
