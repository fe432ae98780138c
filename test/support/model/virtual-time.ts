/**
 * Time as a seed makes it, for code that runs in this process: one event after the other, each with all that follows from it before the next
 * begins. Every event is somebody's: who dies has no more of them, who is held up has them later, and each reads a wall clock of its own.
 *
 * While it runs, timers, clocks and random numbers of the whole process are its own; so nothing else may wait for them meanwhile.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Random } from '../../../src/cli/sample-random.js'

/** A process: a worker, or a request to the API. */
export interface Actor {
  name: string
  /** Of its wall clock. */
  skewMs: number
  isDead: boolean
  /** Nothing of it goes on before. */
  heldUntilMs: number
  /** Its lane does not answer it before, and all else does. */
  deafUntilMs: number
  /** When its fence was asked about what it writes just now; Infinity: it was not. */
  fencedAtMs: number
}

interface Event {
  atMs: number
  /** Tells those of one instant apart. */
  order: number
  actor: Actor
  /** On its way already: happens whatever becomes of the actor. */
  isSent: boolean
  isOver: boolean
  run: () => void
}

export interface VirtualTime {
  readonly nowMs: number
  /** Whose event it is that happens. */
  readonly current: Actor
  actor (name: string, skewMs?: number): Actor
  after (delayMs: number, actor: Actor, run: () => void): void
  /** What has left the actor, and happens when it is dead. */
  sent (delayMs: number, actor: Actor, run: () => void): void
  /** Resolves when nothing is left to happen, `isOver` says so, or it is `untilMs`. */
  run (untilMs: number, isOver?: () => boolean): Promise<void>
}

const epochMs = Date.UTC(2026, 0, 1)
const real = {
  setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, Date,
  now: performance.now, random: Math.random, dateNow: Date.now, anySignal: AbortSignal.any
}

/** What code has imported by name, as a seed has it; null: the real ones. */
let imported: { delay: unknown, immediate: unknown, bytes: (count: number) => Buffer } | null = null
let isImportedReplaced = false

/** Once for all seeds of a thread: to tell all modules of it takes as long as a twentieth of a seed. */
function replaceImported (): void {
  if (isImportedReplaced) return
  isImportedReplaced = true
  const { setTimeout: delay, setImmediate: immediate } = timers
  const { randomBytes, randomUUID } = crypto
  const either = <T extends (...given: never[]) => unknown>(ours: () => unknown, theirs: T) => ((...given) => ((ours() ?? theirs) as T)(...given)) as T
  Object.assign(timers, { setTimeout: either(() => imported?.delay, delay), setImmediate: either(() => imported?.immediate, immediate) })
  Object.assign(crypto, {
    randomBytes: either(() => imported?.bytes, randomBytes as (count: number) => Buffer),
    randomUUID: either(() => imported === null ? undefined : () => imported?.bytes(16).toString('hex'), randomUUID)
  })
  syncBuiltinESMExports()
}

/** Node keeps a signal of several for as long as none of these is aborted, with all that listens to it: of a process that dies in a seed, for ever. */
function followAny (signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', () => { controller.abort(signal.reason) }, { once: true })
  }
  return controller.signal
}

export async function inVirtualTime<T> (random: Random, work: (time: VirtualTime) => Promise<T>): Promise<T> {
  const events: Event[] = []
  const nobody: Actor = { name: 'nobody', skewMs: 0, isDead: false, heldUntilMs: 0, deafUntilMs: 0, fencedAtMs: 0 }
  let nowMs = 0
  let order = 0
  let current = nobody

  function add (event: Event): Event {
    let low = 0
    for (let high = events.length; low < high;) {
      const middle = (low + high) >> 1
      const other = events[middle] as Event
      if (other.atMs > event.atMs || (other.atMs === event.atMs && other.order > event.order)) low = middle + 1
      else high = middle
    }
    events.splice(low, 0, event)
    return event
  }
  const put = (delayMs: number, actor: Actor, isSent: boolean, run: () => void): Event =>
    add({ atMs: nowMs + Math.max(0, delayMs), order: order++, actor, isSent, isOver: false, run })
  const timer = (run: () => void, delayMs = 0): Event => put(Math.max(1, delayMs), current, false, run)

  function interval (run: () => void, everyMs: number): Event {
    const event = timer(() => {
      run()
      event.atMs = nowMs + everyMs
      event.order = order++
      if (!event.isOver) add(event)
    }, everyMs)
    return event
  }
  const clear = (event: Event | undefined): void => { if (event !== undefined) event.isOver = true }

  async function delay<V> (delayMs: number, value?: V, { signal }: { signal?: AbortSignal } = {}): Promise<V | undefined> {
    return await new Promise((resolve, reject) => {
      const aborted = (): void => { reject(Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), { name: 'AbortError', code: 'ABORT_ERR' })) }
      if (signal?.aborted === true) return aborted()
      const onAbort = (): void => {
        clear(event)
        aborted()
      }
      const event = timer(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve(value)
      }, delayMs)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
  // Always happens: the turns of a thread are kept by module (engine/turn), whoever has asked.
  const immediate = (run: (...given: unknown[]) => void, ...given: unknown[]): Event => put(0, current, true, () => { run(...given) })
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => random.integer(0, 255)))

  const wallClock = (): number => epochMs + nowMs + current.skewMs
  const FakeDate = new Proxy(real.Date, {
    construct: (_target, given: [] | [number]) => given.length === 0 ? new real.Date(wallClock()) : new real.Date(...given)
  })

  function fake (): void {
    Object.assign(globalThis, { setTimeout: timer, clearTimeout: clear, setInterval: interval, clearInterval: clear, setImmediate: immediate, Date: FakeDate })
    imported = { delay, immediate: async () => { await new Promise<void>((resolve) => { immediate(() => { resolve() }) }) }, bytes }
    replaceImported()
    real.Date.now = wallClock
    AbortSignal.any = followAny
    performance.now = () => nowMs
    Math.random = random.fraction
  }
  function restore (): void {
    const { now, random, dateNow, anySignal, ...globals } = real
    Object.assign(globalThis, globals)
    imported = null
    real.Date.now = dateNow
    AbortSignal.any = anySignal
    performance.now = now
    Math.random = random
  }

  async function run (untilMs: number, isOver = (): boolean => false): Promise<void> {
    for (;;) {
      // All that follows from the last event: promises and ticks, and nothing that waits.
      await new Promise<void>((resolve) => { real.setImmediate(resolve) })
      // Asked before an event is taken: who runs on later needs it.
      if (isOver()) return
      let event: Event | undefined
      do event = events.pop()
      while (event !== undefined && (event.isOver || (event.actor.isDead && !event.isSent)))
      if (event === undefined) return
      if (event.atMs > untilMs) {
        add(event)
        return
      }
      nowMs = event.atMs
      if (event.actor.heldUntilMs > nowMs && !event.isSent) {
        event.atMs = event.actor.heldUntilMs
        add(event)
        continue
      }
      current = event.actor
      event.run()
    }
  }

  fake()
  try {
    return await work({
      get nowMs () { return nowMs },
      get current () { return current },
      actor: (name, skewMs = 0) => ({ name, skewMs, isDead: false, heldUntilMs: 0, deafUntilMs: 0, fencedAtMs: 0 }),
      after: (delayMs, actor, happen) => { put(delayMs, actor, false, happen) },
      sent: (delayMs, actor, happen) => { put(delayMs, actor, true, happen) },
      run
    })
  } finally {
    restore()
  }
}
