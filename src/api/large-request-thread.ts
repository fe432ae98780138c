/**
 * The thread that answers large requests (api/graphql/large-requests.ts), seen from the one that hands them on. It is started when the
 * first one comes; should it die, of a heap that ran over for example, what it had in hand is SERVICE_UNAVAILABLE, and the next request
 * starts another.
 *
 * One request of a vendor (or user) at a time, two in all, so that one goes on while the other waits for the database, and whoever sends
 * many waits for itself. Bodies that wait are bounded, for each of them and for all.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Worker, type ResourceLimits } from 'node:worker_threads'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Logger } from 'pino'
import type { Principal } from '../domain/access.js'
import { limitExceeded, unavailable } from '../errors.js'
import type { Wake } from '../jobs/import-queue.js'
import type { AnswerLarge, LargeAnswer, LargeRequest } from './graphql/large-requests.js'

const maxRunning = 2
/** Bodies in hand, each of 16 MiB at most. */
const maxBytes = 64 * 1_024 * 1_024
const maxBytesOfOne = 32 * 1_024 * 1_024
/** Two of the largest take some 400 MB while they are answered. */
const resourceLimits: ResourceLimits = { maxOldGenerationSizeMb: 640 }
/** For what it has in hand, whose clients have gone. */
const closeTimeoutMs = 5_000

export type ToRequestThread = { type: 'request', id: number } & LargeRequest | { type: 'close' }

export type FromRequestThread =
  | { type: 'answer', id: number, answer: LargeAnswer }
  | { type: 'broke', id: number, error: Error }
  | { type: 'wake', topic: 'imports' | 'conversions', vendorId: string, jobId: string }

interface LargeRequestThreadOptions {
  /** The module that runs in it. */
  entry: URL
  workerData: unknown
  /** For what its operations have begun. */
  wake: Wake
  wakeConversion: Wake
  log: Logger
}

export interface LargeRequestThread {
  answer: AnswerLarge
  /** Requests in hand have a few seconds to end; new ones are SERVICE_UNAVAILABLE. */
  close (): Promise<void>
}

interface Waiting {
  resolve: (answer: LargeAnswer) => void
  reject: (error: Error) => void
}

interface Thread {
  worker: Worker
  waiting: Map<number, Waiting>
  exited: Promise<void>
}

export function createLargeRequestThread ({ entry, workerData, wake, wakeConversion, log }: LargeRequestThreadOptions): LargeRequestThread {
  const inTurn = createTurns()
  let current: Thread | null = null
  let closed = false
  let nextId = 0

  function start (): Thread {
    const worker = new Worker(entry, { workerData, resourceLimits })
    const waiting = new Map<number, Waiting>()
    const thread: Thread = { worker, waiting, exited: new Promise((resolve) => { worker.once('exit', () => { resolve() }) }) }
    const lose = (error: Error): void => {
      if (current === thread) current = null
      for (const { reject } of waiting.values()) reject(unavailable('The request could not be answered; try again later, or send fewer entries at once', error))
    }
    const die = (error: Error): void => {
      log.error({ err: error, requests: waiting.size }, 'the thread of large requests died')
      lose(error)
    }
    worker.on('message', (message: FromRequestThread) => { receive(waiting, message) })
    worker.on('error', die)
    worker.on('messageerror', (error) => {
      die(error)
      void worker.terminate()
    })
    worker.on('exit', () => { lose(new Error('the thread of large requests has ended')) })
    return thread
  }

  function receive (waiting: Map<number, Waiting>, message: FromRequestThread): void {
    if (message.type === 'wake') (message.topic === 'imports' ? wake : wakeConversion)(message.vendorId, message.jobId)
    else if (message.type === 'answer') waiting.get(message.id)?.resolve(message.answer)
    else waiting.get(message.id)?.reject(message.error)
  }

  async function ask (request: LargeRequest): Promise<LargeAnswer> {
    if (closed) throw unavailable('The service is shutting down; try again later')
    const { worker, waiting } = current ??= start()
    const id = nextId++
    try {
      return await new Promise<LargeAnswer>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ type: 'request', id, ...request } satisfies ToRequestThread, [request.body.buffer])
      })
    } finally {
      waiting.delete(id)
    }
  }

  async function close (): Promise<void> {
    closed = true
    const thread = current
    if (thread === null) return
    thread.worker.postMessage({ type: 'close' } satisfies ToRequestThread)
    const giveUp = new AbortController()
    await Promise.race([thread.exited, delay(closeTimeoutMs, undefined, { signal: giveUp.signal }).catch(() => {})])
    giveUp.abort()
    await thread.worker.terminate()
  }

  return {
    answer: async (request) => await inTurn(ownerOf(request.principal), request.body.length, async () => await ask(request)),
    close
  }
}

/** All keys of a vendor are one: it may have many. */
const ownerOf = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.userId}` : `vendor ${principal.vendorId}`

type InTurn = <T>(owner: string, bytes: number, work: () => Promise<T>) => Promise<T>

/** Runs work in turns: one of each owner stands in line with those of others. */
function createTurns (): InTurn {
  const line = pLimit(maxRunning)
  const owners = new Map<string, { line: LimitFunction, bytes: number }>()
  let bytesInHand = 0

  return async (name, bytes, work) => {
    const owner = owners.get(name) ?? { line: pLimit(1), bytes: 0 }
    if (owner.bytes + bytes > maxBytesOfOne) {
      throw limitExceeded(`Large requests that are being answered may have ${maxBytesOfOne} bytes in all; wait for answers before you send more`)
    }
    if (bytesInHand + bytes > maxBytes) throw unavailable('The service is overloaded; try again later')
    owners.set(name, owner)
    owner.bytes += bytes
    bytesInHand += bytes
    try {
      return await owner.line(async () => await line(work))
    } finally {
      owner.bytes -= bytes
      bytesInHand -= bytes
      if (owner.bytes === 0) owners.delete(name)
    }
  }
}
