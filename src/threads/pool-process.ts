/**
 * A process of its own for one task, in the place of a pool's thread: for one that has been lost before, and may be one that V8 ends not its thread
 * but its whole process over. Nothing runs beside it or before it, so whatever becomes of the process is this task's doing.
 *
 *   started ─▶ the task ─▶ its result ─▶ told to end ─▶ ended        no beat for ten seconds of its own, or aborted or told to end and still there after five ─▶ SIGKILL
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { processorTimeMs } from './kernel-thread.js'
import { createSilence } from './silence.js'
import { stringKindsFlag } from './string-kinds.js'
import { ThreadLost, type LossReason } from './thread-lost.js'
import type { FromThread, ToThread } from './thread-messages.js'
import { endPatienceMs, nameOf, type PoolThread, type PoolThreadOptions, type ThreadTask } from './pool-thread.js'

const abortPatienceMs = 5_000
/** V8 says at the end of a long report why it has ended the process. */
const maxLastWords = 16_384
const outOfMemory = /heap out of memory|Allocation failed/

export function startPoolProcess ({ entry, data, resourceLimits: { maxOldGenerationSizeMb = 512 }, holdUp, processorTime = processorTimeMs, onHeldUp, onExit }: PoolThreadOptions): PoolThread {
  const child = fork(fileURLToPath(entry), [], { execArgv: [`--max-old-space-size=${maxOldGenerationSizeMb}`, stringKindsFlag], serialization: 'advanced', stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  let task: ThreadTask | null = null
  let begun = false
  let beats = 0
  // Its main thread, which is numbered as the process.
  const silence = createSilence(() => child.pid === undefined ? null : processorTime({ pid: child.pid, tid: child.pid }))
  let abortedMs = 0
  let endingMs = 0
  let isHeldUp = false
  let isSilent = false
  let isClosing = false
  let lastWords = ''
  let fault: Error | null = null
  const exited = new Promise<void>((resolve) => { child.once('exit', () => { resolve() }).once('error', () => { resolve() }) })
  // A process that has ended is told of by its exit.
  const send = (message: unknown): void => { child.send(message as object, () => {}) }

  send(data)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { lastWords = (lastWords + text).slice(-maxLastWords) })
  child.on('message', (message: FromThread) => {
    if (message.type === 'beat') {
      beats += 1
      silence.broken()
      if (isSilent) tellOfHoldUp(false)
      return
    }
    if (task === null) return
    if (message.type === 'told') return task.onTold(message.message, (answer) => { send({ type: 'tell', id: message.id, message: answer } satisfies ToThread) })
    const { resolve, reject } = settle(task)
    letEnd()
    if (message.type === 'result') resolve(message.result)
    else reject(message.error)
  })
  child.on('error', (error) => {
    fault ??= error
    end(null)
  })
  // Not `exit`: what it has written last is read by then.
  child.once('close', (code, signal) => { end(code === 0 ? null : new Error(`ended by ${signal ?? `exit code ${code}`}: ${lastWords.trim()}`)) })

  function settle (settled: ThreadTask): ThreadTask {
    settled.signal.removeEventListener('abort', abort)
    task = null
    return settled
  }

  function letEnd (): void {
    isClosing = true
    send({ type: 'close' } satisfies ToThread)
  }

  function tellOfHoldUp (isSilentNow: boolean): void {
    isSilent = isSilentNow
    task?.onHoldUp(isSilentNow)
  }

  function abort (): void {
    send({ type: 'abort', id: 1, reason: nameOf(task?.signal.reason) } satisfies ToThread)
  }

  let isOver = false
  function end (error: Error | null): void {
    if (isOver) return
    isOver = true
    const reason: LossReason = isHeldUp ? 'held-up' : outOfMemory.test(lastWords) ? 'memory' : 'ended'
    const tasks = task === null ? 0 : 1
    const isAsTold = isClosing && tasks === 0 && fault === null
    if (task !== null) settle(task).reject(new ThreadLost(reason, 'this', fault ?? error))
    onExit(isAsTold ? null : { reason, error: fault ?? error, tasks })
  }

  return {
    get tasks () { return task === null ? 0 : 1 },
    get takesMore () { return !begun },
    run (given) {
      // Throws where the input cannot be cloned.
      send({ type: 'run', id: 1, input: given.input } satisfies ToThread)
      begun = true
      task = given
      given.signal.addEventListener('abort', abort, { once: true })
    },
    watch (elapsedMs) {
      if (isClosing) endingMs += elapsedMs
      if (endingMs >= endPatienceMs) {
        fault ??= new Error(`told to end, and still there after ${endingMs} ms`)
        child.kill('SIGKILL')
      }
      // Not before the first beat: to load its modules may take a while on a busy machine.
      if (task === null || beats === 0) return
      if (task.signal.aborted) abortedMs += elapsedMs
      silence.lasts(elapsedMs)
      if (silence.ms >= holdUp.heldUpAfterMs && !isSilent) tellOfHoldUp(true)
      if (silence.ms >= holdUp.endedAfterMs && !isHeldUp) {
        isHeldUp = true
        onHeldUp(true)
      }
      if (isHeldUp || abortedMs >= abortPatienceMs) child.kill('SIGKILL')
    },
    async close () {
      if (task === null) letEnd()
      await exited
    },
    async terminate () {
      child.kill('SIGKILL')
      await exited
    }
  }
}
