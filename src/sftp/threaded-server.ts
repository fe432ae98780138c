/**
 * The built-in SFTP server in a thread of its own, seen from the one that starts it: what SSH's encryption costs is nobody else's wait.
 *
 *   starting ──▶ listening ──dies (heap, native code, a fault of ssh2)──▶ waits ──▶ starting, on the same port
 *      └─ the first time: an error, as of a port that is taken          └─ close ──▶ drained ──▶ ended
 *
 * A thread that dies takes its connections with it, as a crash would: clients see them break, what they had uploaded by half is
 * discarded when the next one starts, and the worker's reads go on where they were.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker, type ResourceLimits } from 'node:worker_threads'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import type { SftpServer } from './server.js'

/** What the thread's module is to say once it listens; a failure to start it throws. */
export type FromSftpThread = Pick<SftpServer, 'address' | 'hostKeyFingerprint' | 'otherHostKeyFingerprints'>
/** To be heeded by closing the server and the port that this came from. */
export type ToSftpThread = 'close'

interface ThreadedSftpServerOptions {
  /** The module that runs in the thread. */
  entry: URL
  /** Its `workerData`, for a server on this port; 0 = any free one, which is kept from then on. */
  dataFor: (port: number) => unknown
  port: number
  log: Logger
  resourceLimits?: ResourceLimits
  /** Before the first new start; doubled for each that follows, to `maxRestartDelayMs`. */
  restartDelayMs?: number
}

export interface ThreadedSftpServer extends Pick<SftpServer, 'address' | 'hostKeyFingerprint' | 'otherHostKeyFingerprints' | 'close'> {
  /** Throws SERVICE_UNAVAILABLE while there is no server. */
  check (): void
}

/**
 * With 256 connections, each with its windows full, the heap has some 60 MB; buffers are not part of it. Those that are done with stay until what is young is collected, and little
 * else is made here.
 */
const defaultResourceLimits: ResourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 }
const maxRestartDelayMs = 10_000
/** Having lived for so long, it did not die of its start. */
const soundAfterMs = 60_000
/** Longer than the server allows itself; the thread is ended then. */
const closeTimeoutMs = 8_000

interface Thread {
  worker: Worker
  started: FromSftpThread
  exited: Promise<unknown>
}

/** Rejects when the first thread cannot start its server. */
export async function startThreadedSftpServer (options: ThreadedSftpServerOptions): Promise<ThreadedSftpServer> {
  const { entry, dataFor, log, resourceLimits = defaultResourceLimits, restartDelayMs = 100 } = options
  const closing = new AbortController()
  let current: Thread | null = null

  async function start (port: number): Promise<Thread> {
    const worker = new Worker(entry, { workerData: dataFor(port), resourceLimits })
    const exited = new Promise((resolve) => { worker.once('exit', resolve) })
    // Before it listens this is why it does not start; afterwards, why it is about to exit.
    worker.on('error', (error) => { if (current?.worker === worker) log.error({ err: error }, 'the thread of the SFTP server died') })
    const end = (): void => { void worker.terminate() }
    // What it has said is lost, and it says it once.
    worker.on('messageerror', end)
    closing.signal.addEventListener('abort', end, { once: true })
    try {
      const [started] = await Promise.race([
        once(worker, 'message') as Promise<[FromSftpThread]>,
        exited.then(() => { throw new Error('the thread of the SFTP server has ended') })
      ])
      return { worker, started, exited }
    } finally {
      // From here on it is asked to end.
      closing.signal.removeEventListener('abort', end)
    }
  }

  const first = await start(options.port)
  const { address, hostKeyFingerprint, otherHostKeyFingerprints } = first.started
  current = first

  async function keepRunning (): Promise<void> {
    let delayMs = restartDelayMs
    for (let thread: Thread | null = first; thread !== null;) {
      const sinceMs = performance.now()
      await thread.exited
      current = null
      if (performance.now() - sinceMs > soundAfterMs) delayMs = restartDelayMs
      for (thread = null; thread === null && !closing.signal.aborted; delayMs = Math.min(2 * delayMs, maxRestartDelayMs)) {
        log.error({ delayMs }, 'the SFTP server is gone; it is started again')
        thread = await startAfter(delayMs)
      }
    }
  }

  /** Makes it the current one. null: it could not be started, or is not wanted any more. */
  async function startAfter (delayMs: number): Promise<Thread | null> {
    try {
      await delay(delayMs, undefined, { signal: closing.signal })
      const thread = await start(address.port)
      if (!closing.signal.aborted) {
        // In the same turn: close() ends the current one, and finds either none or this.
        current = thread
        return thread
      }
      await thread.worker.terminate()
    } catch (error) {
      if (!closing.signal.aborted) log.error({ err: error }, 'the SFTP server could not be started again')
    }
    return null
  }
  const kept = keepRunning()

  async function close (): Promise<void> {
    closing.abort()
    const thread = current
    if (thread !== null) {
      thread.worker.postMessage('close' satisfies ToSftpThread)
      const inTime = await Promise.race([thread.exited.then(() => true), delay(closeTimeoutMs, false, { ref: false })])
      if (!inTime) await thread.worker.terminate()
    }
    await kept
  }

  let closed: Promise<void> | undefined
  return {
    address,
    hostKeyFingerprint,
    otherHostKeyFingerprints,
    check () {
      if (current === null) throw unavailable('The SFTP server has died and is being started again')
    },
    close: async () => await (closed ??= close())
  }
}
