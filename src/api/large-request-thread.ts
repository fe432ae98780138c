/**
 * The thread that answers large requests (api/graphql/large-requests.ts), seen from the one that hands them on. It is started when the
 * first one comes; should it die, of a heap that ran over for example, what it had in hand is SERVICE_UNAVAILABLE, and the next request
 * starts another.
 *
 * Requests share it: while one waits for the database, another goes on. What they hold is bounded, for each credential and for all.
 */
import { Worker, type ResourceLimits } from 'node:worker_threads'
import type { Logger } from 'pino'
import { rateLimited, unavailable } from '../errors.js'
import type { Wake } from '../jobs/import-queue.js'
import type { AnswerLarge, LargeAnswer } from './graphql/large-requests.js'

/** Bodies in hand: four of the largest, which took up to 400 MB while they were answered. */
const maxBytes = 64 * 1_024 * 1_024
const maxBytesOfCredential = 32 * 1_024 * 1_024
const resourceLimits: ResourceLimits = { maxOldGenerationSizeMb: 640 }

export type ToRequestThread =
  | { type: 'request', id: number, headers: Record<string, string | string[] | undefined>, remoteAddress: string, body: Uint8Array<ArrayBuffer> }
  | { type: 'close' }

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
  /** Once no request waits any more. */
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
  const inHand = createBytesInHand()
  let current: Thread | null = null
  let nextId = 0

  function start (): Thread {
    const worker = new Worker(entry, { workerData, resourceLimits })
    const waiting = new Map<number, Waiting>()
    const thread: Thread = { worker, waiting, exited: new Promise((resolve) => { worker.once('exit', () => { resolve() }) }) }
    const lose = (error: Error): void => {
      if (current === thread) current = null
      for (const { reject } of waiting.values()) reject(unavailable('The request could not be answered; send fewer entries at once, or try again', error))
      waiting.clear()
    }
    worker.on('message', (message: FromRequestThread) => { receive(waiting, message) })
    worker.on('error', (error: Error) => {
      log.error({ err: error, requests: waiting.size }, 'the thread of large requests died')
      lose(error)
    })
    worker.on('exit', () => { lose(new Error('the thread of large requests has ended')) })
    return thread
  }

  function receive (waiting: Map<number, Waiting>, message: FromRequestThread): void {
    if (message.type === 'wake') return (message.topic === 'imports' ? wake : wakeConversion)(message.vendorId, message.jobId)
    const one = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'answer') one?.resolve(message.answer)
    else one?.reject(message.error)
  }

  const answer: AnswerLarge = async ({ credential, headers, remoteAddress, body }) => {
    const { length } = body
    inHand.take(credential, length)
    const { worker, waiting } = current ??= start()
    const id = nextId++
    try {
      return await new Promise<LargeAnswer>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ type: 'request', id, headers, remoteAddress, body } satisfies ToRequestThread, [body.buffer])
      })
    } finally {
      inHand.giveBack(credential, length)
    }
  }

  return {
    answer,
    async close () {
      current?.worker.postMessage({ type: 'close' } satisfies ToRequestThread)
      await current?.exited
    }
  }
}

/** A single body always fits. */
function createBytesInHand (): { take (credential: string, bytes: number): void, giveBack (credential: string, bytes: number): void } {
  const byCredential = new Map<string, number>()
  let total = 0

  function add (credential: string, bytes: number): void {
    total += bytes
    const own = (byCredential.get(credential) ?? 0) + bytes
    if (own === 0) byCredential.delete(credential)
    else byCredential.set(credential, own)
  }

  return {
    take (credential, bytes) {
      if ((byCredential.get(credential) ?? 0) + bytes > maxBytesOfCredential) {
        throw rateLimited(`Requests of one credential that are being answered may have ${maxBytesOfCredential} bytes in all; wait for answers before you send more`)
      }
      if (total + bytes > maxBytes) throw unavailable('The service is overloaded; try again later')
      add(credential, bytes)
    },
    giveBack (credential, bytes) { add(credential, -bytes) }
  }
}
