/**
 * Threads for what is too heavy for the event loop that serves requests: imports, large requests, conversions. One pool for each, which does
 * for all of them once what is hard about threads:
 *
 * - Whose task goes next is decided owner by owner (threads/fair-queue): an owner, such as a vendor, has one task in the pool at a time.
 * - A task goes to the least busy thread that is not held up; a thread may run several, and talks with each.
 * - A thread that is held up is moved away from and, if need be, ended (threads/pool-thread). While it lasts another takes its place; should
 *   it come round after all, one thread too many is let go.
 * - A thread that has nothing to do for minutes ends, and its memory is the process's again; those that a pool begins with stay.
 * - A thread that dies takes with it only its own tasks, which reject with ThreadLost: it says whether it was theirs to blame. The
 *   next task has another thread.
 *
 * A thread's heap is bounded by `resourceLimits`, so that one that runs over ends the thread and not the process.
 */
import type { ResourceLimits, TransferListItem } from 'node:worker_threads'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { createFairQueue } from './fair-queue.js'
import { defaultHoldUpLimits, startPoolThread, type HoldUpLimits, type PoolThread, type PoolThreadOptions, type ThreadTask } from './pool-thread.js'
import type { ThreadMetrics } from './thread-metrics.js'

export interface ThreadPoolOptions {
  /** In logs and metrics. */
  name: string
  /** The module that runs in its threads; it calls serveTasks. */
  entry: URL
  /** For `threadData` in there; is cloned. */
  data: unknown
  /** At most. Those that take no more, being held up or about to end, do not count, and there are as many of those at most. */
  threads: number
  /** Started at once, for what cannot wait until a thread has started; the others when there is something to do. */
  threadsAtStart?: number
  tasksPerThread: number
  resourceLimits: ResourceLimits
  log: Logger
  metrics?: ThreadMetrics | undefined
  /** startPoolProcess makes each a process of its own, for one task. */
  startThread?: (options: PoolThreadOptions) => PoolThread
  holdUp?: HoldUpLimits
  /** Of a thread that has no task, until it ends. */
  idleTimeoutMs?: number
  /** What tasks in hand have to end in when the pool closes. */
  closeTimeoutMs?: number
}

export interface Task<Input, Up, Down> {
  /** Whose it is: of each one at a time. */
  owner: string
  input: Input
  /** Of the input, what is given away. */
  transfer?: readonly TransferListItem[]
  signal: AbortSignal
  /** What the task says, while it runs; `tell` answers it. */
  onTold?: (message: Up, tell: (message: Down) => void) => void
  /** The task does not come round for a second or more, over whatever its thread does; or it does again. */
  onHoldUp?: (isHeldUp: boolean) => void
}

export interface ThreadPool<Input, Result, Up = never, Down = never> {
  /**
   * Rejects with the signal's reason while the task waits, with what the task threw, without its class, and with ThreadLost. A task that runs is told
   * of an abort and ends by itself. SERVICE_UNAVAILABLE once the pool is closed, and where no thread can be started.
   */
  run (task: Task<Input, Up, Down>): Promise<Result>
  /** Those that wait reject; those in hand have a few seconds to end. */
  close (): Promise<void>
}

interface Waiting extends ThreadTask { owner: string }

const watchMs = 250
/** Beyond what an event loop of our own that is late may add: what it has missed is not the thread's silence. */
const maxCountedMs = 2 * watchMs
const defaultCloseTimeoutMs = 5_000
/** A thread starts in a third of a second, which somebody waits for; what it keeps is some 50 MB. */
const defaultIdleTimeoutMs = 300_000

export function createThreadPool<Input, Result, Up = never, Down = never> (options: ThreadPoolOptions): ThreadPool<Input, Result, Up, Down> {
  const { name, entry, data, threads: maxThreads, threadsAtStart = 0, tasksPerThread, resourceLimits, metrics, startThread = startPoolThread, holdUp = defaultHoldUpLimits, idleTimeoutMs = defaultIdleTimeoutMs, closeTimeoutMs = defaultCloseTimeoutMs } = options
  const log = options.log.child({ pool: name })
  const queue = createFairQueue<Waiting>()
  const threads = new Set<PoolThread>()
  let isClosed = false

  function start (): PoolThread {
    const thread = startThread({
      entry,
      data,
      resourceLimits,
      holdUp,
      onHeldUp (blamed) {
        metrics?.heldUp.inc({ pool: name })
        log.warn({ tasks: thread.tasks, blamed }, 'a thread is held up')
      },
      onExit (loss) {
        threads.delete(thread)
        if (loss !== null) {
          metrics?.died.inc({ pool: name, reason: loss.reason })
          // With nothing in hand it has cost nobody anything: on a busy machine one that was told to end may be late for it.
          log[loss.tasks === 0 ? 'warn' : 'error']({ err: loss.error, reason: loss.reason, tasks: loss.tasks }, 'a thread died')
        }
        fill()
      }
    })
    threads.add(thread)
    return thread
  }

  /** Those that take more, the least busy first. */
  const fit = (): PoolThread[] => [...threads].filter(({ takesMore }) => takesMore).sort((one, other) => one.tasks - other.tasks)

  /** The least busy one that comes round, or a new one while there may be more. Throws where none can be started. */
  function pick (): PoolThread | null {
    const takers = fit()
    const [idlest] = takers
    if (idlest?.tasks !== 0 && takers.length < maxThreads && threads.size < 2 * maxThreads) return start()
    return idlest !== undefined && idlest.tasks < tasksPerThread ? idlest : null
  }

  /** What has come round was held up, and others have taken its place. */
  function letSurplusGo (): void {
    const takers = fit()
    for (const thread of takers.slice(0, Math.max(0, takers.length - maxThreads))) void thread.close()
  }

  const idleMs = new WeakMap<PoolThread, number>()

  /** The youngest first: those that the pool has begun with are the oldest. */
  function letIdleGo (elapsedMs: number): void {
    const takers = [...threads].filter(({ takesMore }) => takesMore)
    let surplus = takers.length - threadsAtStart
    for (const thread of takers.reverse()) {
      idleMs.set(thread, thread.tasks === 0 ? (idleMs.get(thread) ?? 0) + elapsedMs : 0)
      if (surplus-- > 0 && (idleMs.get(thread) ?? 0) >= idleTimeoutMs) void thread.close()
    }
  }

  function fill (): void {
    if (isClosed) return
    while (queue.isReady) {
      let thread: PoolThread | null
      try {
        thread = pick()
      } catch (error) {
        log.error({ err: error }, 'no thread could be started')
        refuse(error)
        continue
      }
      const task = thread === null ? undefined : queue.next()
      if (thread === null || task === undefined) return
      begin(thread, task)
    }
  }

  /** Whose turn it is; it is better told than left to wait for what may never be. */
  function refuse (cause: unknown): void {
    const task = queue.next()
    if (task === undefined) return
    queue.over(task.owner)
    task.reject(unavailable('The service has too much to do; try again later', cause))
  }

  function begin (thread: PoolThread, task: Waiting): void {
    const ended = <T>(settle: (value: T) => void) => (value: T): void => {
      queue.over(task.owner)
      settle(value)
      fill()
    }
    try {
      thread.run({ ...task, resolve: ended(task.resolve), reject: ended(task.reject) })
    } catch (error) {
      // What cannot be cloned.
      ended(task.reject)(error)
    }
  }

  async function run ({ owner, input, transfer = [], signal, onTold, onHoldUp = () => {} }: Task<Input, Up, Down>): Promise<Result> {
    signal.throwIfAborted()
    if (isClosed) throw closedError()
    return await new Promise<Result>((resolve, reject) => {
      const task: Waiting = { owner, input, transfer, signal, onTold: (onTold ?? (() => {})) as ThreadTask['onTold'], onHoldUp, resolve: resolve as ThreadTask['resolve'], reject }
      const leave = (): void => { if (queue.remove(owner, task)) reject(signal.reason as Error) }
      signal.addEventListener('abort', leave, { once: true })
      const settled = <T>(settle: (value: T) => void) => (value: T): void => {
        signal.removeEventListener('abort', leave)
        settle(value)
      }
      Object.assign(task, { resolve: settled(task.resolve), reject: settled(task.reject) })
      queue.add(owner, task)
      fill()
    })
  }

  let watchedAtMs = performance.now()
  const watch = setInterval(() => {
    const now = performance.now()
    const elapsedMs = Math.min(now - watchedAtMs, maxCountedMs)
    watchedAtMs = now
    for (const thread of threads) thread.watch(elapsedMs)
    letSurplusGo()
    letIdleGo(elapsedMs)
    // A thread that has come to itself may take some; one that has not makes room for another.
    fill()
  }, watchMs)
  watch.unref()
  metrics?.watch(name, () => ({ threads: threads.size, waiting: queue.waiting, running: [...threads].reduce((sum, { tasks }) => sum + tasks, 0) }))
  for (let started = 0; started < threadsAtStart; started++) start()

  async function close (): Promise<void> {
    isClosed = true
    for (const { reject } of queue.clear()) reject(closedError())
    const giveUp = setTimeout(() => { for (const thread of threads) void thread.terminate() }, closeTimeoutMs)
    await Promise.all([...threads].map(async (thread) => { await thread.close() }))
    clearTimeout(giveUp)
    clearInterval(watch)
    metrics?.unwatch(name)
  }

  return { run, close }
}

const closedError = (): Error => unavailable('The service is shutting down; try again later')
