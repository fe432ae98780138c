/**
 * How the inside of a pool's thread, or process, is reached: what it was given, its messages, and how it shows that it lives. A module that runs
 * tasks is the same in both.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { kernelThreadId } from './kernel-thread.js'
import { beatAt, runningAt, tidAt, type FromThread, type ThreadStart, type ToThread } from './thread-messages.js'

export interface ThreadPort {
  data: unknown
  beat (): void
  /** Whose code runs; 0 for nobody's. */
  mark (taskId: number): void
  send (message: FromThread): void
  /** Once; what came before is handed over then. */
  listen (listener: (message: ToThread) => void): void
  /** Lets the thread or process end. */
  close (): void
}

export const openPort = async (): Promise<ThreadPort> => parentPort === null ? await openProcessPort() : openThreadPort(parentPort)

function openThreadPort (port: MessagePort): ThreadPort {
  const { data, state } = workerData as ThreadStart
  Atomics.store(state, tidAt, kernelThreadId() ?? 0)
  return {
    data,
    beat () { Atomics.add(state, beatAt, 1) },
    mark (taskId) { state[runningAt] = taskId },
    send (message) { port.postMessage(message) },
    listen (listener) {
      port.on('message', listener)
      // Of a message that cannot be read it is not known whose it was: no task waits for ever if the thread ends.
      port.on('messageerror', (error: Error) => { throw error })
    },
    close () { port.close() }
  }
}

/** The first message is the data. Its parent may end at any time, and then nobody waits for what it does. */
async function openProcessPort (): Promise<ThreadPort> {
  if (process.send === undefined) throw new Error('This module is run by a thread pool only')
  process.once('disconnect', () => { process.exit() })
  // A terminal, or systemd, sends these to the whole group of processes. They are for the parent, which drains, and then ends this one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const early: ToThread[] = []
  let hand = (message: ToThread): void => { early.push(message) }
  const data = await new Promise((resolve) => {
    process.once('message', (first) => {
      process.on('message', (message) => { hand(message as ToThread) })
      resolve(first)
    })
  })
  return {
    data,
    beat () { process.send?.({ type: 'beat' } satisfies FromThread) },
    mark () {},
    send (message) { process.send?.(message) },
    listen (listener) {
      hand = listener
      for (const message of early.splice(0)) listener(message)
    },
    close () { process.exit() }
  }
}
