/**
 * The inside of a pool's thread: runs tasks side by side, hands messages to and fro, and beats, so that the pool sees from outside
 * whether this event loop comes round, and whose code it is in while it does not.
 */
import { createCrowdedLook } from './crowded-process.js'
import { beatMs, type ToThread } from './thread-messages.js'
import { openPort } from './thread-port.js'

export interface TaskContext<Up, Down> {
  /** Aborts with an error that has the name of the reason outside. */
  signal: AbortSignal
  tell (message: Up): void
  /** For what the pool's side tells this task; one listener. */
  onTold (listener: (message: Down) => void): void
  /**
   * "What runs from here until the event loop comes round is this task's." To be said before what may take long, again and again: who has
   * said so last is blamed when the event loop does not come round. Costs nanoseconds.
   */
  markRunning (): void
}

export interface TaskModule<Input, Result, Up, Down> {
  /** Rejections come out of the pool's `run`, without their class. */
  run (input: Input, context: TaskContext<Up, Down>): Promise<Result>
  /** When the pool closes and the tasks in hand have ended. The thread ends afterwards, unless something holds it. */
  close (): Promise<void>
}

const port = await openPort()

/** What the pool was given for its threads. */
export const threadData = <Data>(): Data => port.data as Data

interface TaskInHand {
  abort: AbortController
  listener: ((message: never) => void) | null
}

/** Once in a module that is a pool's entry; what came before is taken up. */
export function serveTasks<Input, Result, Up = never, Down = never> ({ run, close }: TaskModule<Input, Result, Up, Down>): void {
  const tasks = new Map<number, TaskInHand>()
  const running = new Set<Promise<void>>()
  let isMarked = false

  function mark (id: number): void {
    port.mark(id)
    if (isMarked) return
    isMarked = true
    setImmediate(() => {
      isMarked = false
      port.mark(0)
    })
  }

  async function runTask (id: number, input: Input): Promise<void> {
    const task: TaskInHand = { abort: new AbortController(), listener: null }
    tasks.set(id, task)
    mark(id)
    try {
      const result = await run(input, {
        signal: task.abort.signal,
        tell: (message) => { port.send({ type: 'told', id, message }) },
        onTold: (listener) => { task.listener = listener },
        markRunning: () => { mark(id) }
      })
      port.send({ type: 'result', id, result })
    } catch (error) {
      port.send({ type: 'broke', id, error: sendable(error) })
    } finally {
      tasks.delete(id)
    }
  }

  port.beat()
  const giveBackWhereCrowded = createCrowdedLook()
  setInterval(() => {
    port.beat()
    giveBackWhereCrowded()
  }, beatMs).unref()

  function begin (id: number, input: Input): void {
    const done = runTask(id, input).finally(() => { running.delete(done) })
    running.add(done)
  }

  port.listen((message: ToThread) => {
    if (message.type === 'run') begin(message.id, message.input as Input)
    else if (message.type === 'abort') tasks.get(message.id)?.abort.abort(Object.assign(new Error('aborted'), { name: message.reason }))
    else if (message.type === 'tell') tasks.get(message.id)?.listener?.(message.message as never)
    else void Promise.all(running).then(close).finally(() => { port.close() })
  })
}

/** What else hangs on an error may not be cloneable; and the causes of one end somewhere. */
function sendable (thrown: unknown, depth = 0): Error {
  const { message, stack, cause } = thrown instanceof Error ? thrown : new Error(String(thrown))
  const error = new Error(message, cause === undefined || depth === 4 ? undefined : { cause: sendable(cause, depth + 1) })
  return Object.assign(error, { stack })
}
