/**
 * One thread of a pool, seen from outside: its tasks, whether its event loop comes round, and what becomes of the tasks when it does not.
 *
 *   beats ──no beat for 1 s──▶ held up ──no beat for 10 s──▶ terminated: every task is lost
 *     ▲                          │  the task in whose step it is stays; each other one is lost as soon as the hold-up has
 *     └────────a beat────────────┘  lasted as long as what it would lose, for elsewhere it begins anew; one that is aborted, at once
 *
 * So a small task does not wait for a stranger's, and an hour's work is not thrown away for a second. Once none is left here, nobody waits for
 * the thread, and it is terminated. Time in which the pool's own event loop did not come round does not count, nor does most of that in which
 * the thread had no processor (threads/silence).
 */
import type { ResourceLimits, TransferListItem } from 'node:worker_threads'
import { processorTimeMs, type KernelThread } from './kernel-thread.js'
import { createSilence } from './silence.js'
import { startThread } from './start-thread.js'
import { ThreadLost, type Blame, type LossReason } from './thread-lost.js'
import { beatAt, createThreadState, runningAt, tidAt, type FromThread, type ThreadStart, type ToThread } from './thread-messages.js'

/** Of the thread's own time (threads/silence). */
export interface HoldUpLimits {
  /** A whole collection of the largest heap takes less. */
  heldUpAfterMs: number
  endedAfterMs: number
}

/** What a thread (or process) that was told to end, and has no task any more, has for it: it closes its connections. */
export const endPatienceMs = 5_000

export const defaultHoldUpLimits: HoldUpLimits = { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }

/** A task on a thread. Exactly one of `resolve` and `reject` is called, once. */
export interface ThreadTask {
  input: unknown
  transfer: readonly TransferListItem[]
  signal: AbortSignal
  onTold: (message: unknown, tell: (message: unknown) => void) => void
  /** Its thread is held up, or comes round again. */
  onHoldUp: (isHeldUp: boolean) => void
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export interface PoolThreadOptions {
  entry: URL
  data: unknown
  resourceLimits: ResourceLimits
  holdUp: HoldUpLimits
  /** For how long a thread has had a processor; null: not known. */
  processorTime?: (thread: KernelThread) => number | null
  /** It has been held up; `blamed` whether it is known by which task. */
  onHeldUp: (blamed: boolean) => void
  /** Its tasks are lost by then. `null` where it has ended as it was told to and had none. */
  onExit: (loss: ThreadLoss | null) => void
}

export interface ThreadLoss { reason: LossReason, error: Error | null, tasks: number }

export interface PoolThread {
  readonly tasks: number
  /** It may be given another task: it is neither held up nor about to end. */
  readonly takesMore: boolean
  run (task: ThreadTask): void
  /** To be called every so many milliseconds. */
  watch (elapsedMs: number): void
  /** It takes no more and ends by itself, once its tasks have, or is ended some seconds later; resolves when it has. */
  close (): Promise<void>
  terminate (): Promise<void>
}

interface InHand extends ThreadTask {
  ageMs: number
  onAbort: () => void
}

export function startPoolThread (options: PoolThreadOptions): PoolThread {
  const { entry, data, resourceLimits, holdUp, processorTime = processorTimeMs, onHeldUp, onExit } = options
  const state = createThreadState()
  const worker = startThread(entry, { data, state } satisfies ThreadStart, resourceLimits)
  const inHand = new Map<number, InHand>()
  /** Given back, and not known to have ended in there. */
  const givenBack = new Set<number>()
  let nextId = 1
  let beats = 0
  const silence = createSilence(() => {
    const tid = Atomics.load(state, tidAt)
    return tid === 0 ? null : processorTime({ pid: process.pid, tid })
  })
  let isHeldUp = false
  /** Why it is being ended, where that is known. */
  let ending: { reason: LossReason, error: Error } | null = null
  let isClosing = false
  /** Told to end, and with nothing in hand. */
  let endingMs = 0
  const exited = new Promise<void>((resolve) => { worker.once('exit', () => { resolve() }) })
  const tell = (message: ToThread, transfer: readonly TransferListItem[] = []): void => { worker.postMessage(message, transfer) }

  worker.on('message', (message: FromThread) => {
    if (message.type === 'beat') return
    const task = inHand.get(message.id)
    if (message.type === 'told') return task?.onTold(message.message, (answer) => { tell({ type: 'tell', id: message.id, message: answer }) })
    givenBack.delete(message.id)
    if (task !== undefined) remove(message.id, task)
    // Whatever it was is over. It is not to be known at the next look only: who comes next would have another thread begun.
    if (isHeldUp && inHand.size === 0 && givenBack.size === 0) comeRound()
    if (message.type === 'result') task?.resolve(message.result)
    else task?.reject(message.error)
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    ending ??= { reason: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended', error }
  })
  worker.on('messageerror', (error) => {
    ending ??= { reason: 'ended', error }
    void worker.terminate()
  })
  worker.once('exit', () => {
    const { reason, error } = ending ?? { reason: 'ended', error: null }
    const tasks = inHand.size
    const guilty = (reason === 'held-up' ? runningTask() : null) ?? aloneTask()
    for (const id of [...inHand.keys()]) lose(id, reason, guilty, error)
    onExit(isClosing && tasks === 0 && ending === null ? null : { reason, error, tasks })
  })

  /** null where several run, or one that was given back may run yet. */
  function aloneTask (): number | null {
    const [id = null] = inHand.keys()
    return inHand.size === 1 && givenBack.size === 0 ? id : null
  }

  /** Whose step the thread is in; null where nobody has said. */
  function runningTask (): number | null {
    const id = Atomics.load(state, runningAt)
    return id === 0 ? null : id
  }

  function remove (id: number, task: InHand): InHand {
    inHand.delete(id)
    task.signal.removeEventListener('abort', task.onAbort)
    return task
  }

  function lose (id: number, reason: LossReason, guilty: number | null, cause: unknown): void {
    const task = inHand.get(id)
    const blame: Blame = guilty === null ? 'unknown' : guilty === id ? 'this' : 'another'
    if (task !== undefined) remove(id, task).reject(new ThreadLost(reason, blame, cause))
  }

  function tellOfHoldUp (isHeldUpNow: boolean): void {
    isHeldUp = isHeldUpNow
    for (const { onHoldUp } of inHand.values()) onHoldUp(isHeldUpNow)
  }

  function comeRound (): void {
    silence.broken()
    if (isHeldUp) tellOfHoldUp(false)
  }

  function watch (elapsedMs: number): void {
    if (isClosing && inHand.size === 0) endingMs += elapsedMs
    if (endingMs >= endPatienceMs) return end(`told to end, and still there after ${endingMs} ms`, 'ended')
    const seen = Atomics.load(state, beatAt)
    // Not before the first beat: to load its modules may take a while on a busy machine.
    const isSilent = seen === beats && seen > 0
    beats = seen
    if (!isSilent) comeRound()
    const countedMs = isSilent ? silence.lasts(elapsedMs) : elapsedMs
    for (const task of inHand.values()) task.ageMs += countedMs
    if (silence.ms < holdUp.heldUpAfterMs) return
    const stuckIn = runningTask()
    if (!isHeldUp) {
      onHeldUp(stuckIn !== null)
      tellOfHoldUp(true)
    }
    if (silence.ms >= holdUp.endedAfterMs) return endSilent()
    if (stuckIn === null) return
    giveBack(stuckIn)
    if (inHand.size === 0) endSilent()
  }

  /** The thread hears of it when it comes round; until then nobody here listens to what those tasks say. */
  function giveBack (stuckIn: number): void {
    for (const [id, task] of inHand) {
      // Its age counts the hold-up as well.
      const isMoved = id !== stuckIn && task.ageMs <= 2 * silence.ms
      if (!isMoved && !task.signal.aborted) continue
      if (!task.signal.aborted) tell({ type: 'abort', id, reason: 'ThreadLost' })
      givenBack.add(id)
      lose(id, 'held-up', stuckIn, null)
    }
  }

  const endSilent = (): void => { end(`no sign of life for ${Math.round(silence.ms)} ms of its own`, 'held-up') }

  function end (why: string, reason: LossReason): void {
    ending ??= { reason, error: new Error(why) }
    void worker.terminate()
  }

  return {
    get tasks () { return inHand.size },
    get takesMore () { return !isHeldUp && !isClosing && ending === null },
    run (task) {
      const id = nextId++
      const onAbort = (): void => { tell({ type: 'abort', id, reason: nameOf(task.signal.reason) }) }
      // Throws where the input cannot be cloned.
      tell({ type: 'run', id, input: task.input }, task.transfer)
      inHand.set(id, { ...task, ageMs: 0, onAbort })
      task.signal.addEventListener('abort', onAbort, { once: true })
    },
    watch,
    async close () {
      if (!isClosing) tell({ type: 'close' })
      isClosing = true
      await exited
    },
    async terminate () {
      await worker.terminate()
      await exited
    }
  }
}

export const nameOf = (reason: unknown): string => reason instanceof Error ? reason.name : 'Error'
