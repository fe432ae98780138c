/** A thread that is held up: who is moved away from it and when, and who is blamed. Time passes here as the test says. */
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { startPoolThread, type PoolThread, type PoolThreadOptions } from '../../../src/threads/pool-thread.js'
import { processorTimeMs } from '../../../src/threads/kernel-thread.js'
import { eventually } from '../../support/eventually.js'
import type { PoisonTask } from './poison-tasks.js'
import { clingingTasks, never, poisonTasks, spinGate } from './poisoned.js'

interface Watched {
  thread: PoolThread
  run (task: PoisonTask, signal?: AbortSignal): Promise<unknown>
  heldUp: boolean[]
  /** What tasks were told of it. */
  told: boolean[]
  ended: string[]
}

/** Has a task that spins, of which the thread has not been told anything yet. */
async function heldUpThread (t: Test, { marked = true, before = async () => {}, behind: next, signal = never, processorTime = () => null }: {
  marked?: boolean, before?: (watched: Watched) => Promise<void>, behind?: PoisonTask, signal?: AbortSignal, processorTime?: PoolThreadOptions['processorTime']
} = {}) {
  const heldUp: boolean[] = []
  const told: boolean[] = []
  const ended: string[] = []
  const thread = startPoolThread({
    entry: poisonTasks,
    data: null,
    resourceLimits: {},
    holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 },
    processorTime,
    onHeldUp: (blamed) => { heldUp.push(blamed) },
    onExit: (loss) => { ended.push(`${loss?.reason} ${loss?.tasks}`) }
  })
  t.teardown(async () => { await thread.terminate() })
  const run = async (input: PoisonTask, signal = never): Promise<unknown> => {
    const promise = new Promise((resolve, reject) => { thread.run({ input, transfer: [], signal, onTold: () => {}, onHoldUp: (isHeldUp) => { told.push(isHeldUp) }, resolve, reject }) })
    promise.catch(() => {})
    return await promise
  }
  const watched = { thread, run, heldUp, told, ended }
  await run({ do: 'answer', text: 'it has started' })
  await before(watched)
  const { gate, begun, end } = spinGate()
  t.teardown(end)
  const small = run({ do: 'wait' })
  const spun = run({ do: 'spin', gate, marked }, signal)
  const behind = next === undefined ? Promise.resolve() : run(next)
  small.catch(() => {})
  spun.catch(() => {})
  behind.catch(() => {})
  await begun()
  // What it has beaten so far is seen.
  thread.watch(0)
  return { ...watched, small, spun, behind, release: end }
}

/** As heldUpThread, beside a task that has run for half a minute; `behind` is in the line behind the one that spins. */
async function heldUpBesideOld (t: Test, { behind, signal = never }: { behind?: PoisonTask, signal?: AbortSignal } = {}) {
  const abort = new AbortController()
  let old: Promise<unknown> = Promise.resolve()
  const watched = await heldUpThread(t, {
    ...behind === undefined ? {} : { behind },
    signal,
    before: async ({ thread, run }) => {
      old = run({ do: 'wait' }, abort.signal)
      old.catch(() => {})
      thread.watch(30_000)
    }
  })
  return { ...watched, old, endOld: () => { abort.abort() } }
}

t.test('after a second without a beat it counts as held up, and as free when it beats again', async (t) => {
  // With none left in hand it would be ended, did it not beat before it is looked at.
  const { thread, spun, release, heldUp, old, endOld } = await heldUpBesideOld(t)
  thread.watch(999)
  t.ok(thread.takesMore)
  thread.watch(1)
  thread.watch(1)
  t.notOk(thread.takesMore)
  t.strictSame(heldUp, [true], 'told once, and that it is known by whom')
  release()
  t.equal(await spun, 'spun')
  await eventually('a beat', () => {
    thread.watch(0)
    return thread.takesMore
  })
  endOld()
  await t.rejects(old)
})

t.test('tasks are told when their thread is held up, and when it comes round', async (t) => {
  const { thread, old, endOld, spun, release, told } = await heldUpBesideOld(t)
  thread.watch(999)
  t.strictSame(told, [])
  thread.watch(1)
  t.strictSame(told, [true, true, true], 'each of the three that it has')
  release()
  await spun
  await eventually('a beat', () => {
    thread.watch(0)
    return thread.takesMore
  })
  t.strictSame(told.slice(3), [false])
  endOld()
  await t.rejects(old)
})

t.test('once nothing is left in a thread that was held up it takes more, whether or not it is looked at', async (t) => {
  const { thread, small, spun, release, heldUp } = await heldUpThread(t)
  thread.watch(1_000)
  await t.rejects(small, { name: 'ThreadLost' })
  t.notOk(thread.takesMore)
  release()
  t.equal(await spun, 'spun')
  await eventually('that it takes more', () => thread.takesMore)
  thread.watch(999)
  t.strictSame(heldUp, [true], 'a second begins anew')
})

t.test('a small task beside the one that holds it up is given back, not blamed', async (t) => {
  const { thread, small, spun, release } = await heldUpThread(t)
  thread.watch(1_000)
  await t.rejects(small, { name: 'ThreadLost', reason: 'held-up', blame: 'another' })
  t.equal(thread.tasks, 1)
  release()
  t.equal(await spun, 'spun', 'who held it up goes on')
})

t.test('one that has long run waits for as long as it would lose', async (t) => {
  let old: Promise<unknown> = Promise.resolve()
  const { thread } = await heldUpThread(t, {
    before: async ({ thread, run }) => {
      old = run({ do: 'wait' })
      old.catch(() => {})
      thread.watch(3_000)
    }
  })
  thread.watch(1_500)
  t.equal(thread.tasks, 2, 'the old one, and the one that holds it up')
  thread.watch(1_499)
  t.equal(thread.tasks, 2)
  thread.watch(1)
  await t.rejects(old, { name: 'ThreadLost', reason: 'held-up', blame: 'another' })
  t.equal(thread.tasks, 1)
})

t.test('after ten seconds it is ended, and the task in whose step it is is blamed', async (t) => {
  const { thread, spun, ended } = await heldUpThread(t)
  thread.watch(10_000)
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this', message: 'took too long over a single step' })
  await eventually('its end', () => ended.length > 0)
  t.strictSame(ended, ['held-up 2'])
})

t.test('a step on a machine that leaves it no core is not blamed: what it has worked counts, whatever the clock says', async (t) => {
  let workedMs = 0
  const { thread, spun, release, heldUp, ended } = await heldUpThread(t, { processorTime: () => workedMs })
  const pass = (clockMs: number, ownMs: number): void => {
    workedMs += ownMs
    thread.watch(clockMs)
  }
  pass(5_000, 600)
  t.strictSame(heldUp, [])
  pass(5_000, 600)
  t.strictSame(heldUp, [true])
  for (let n = 0; n < 7; n++) pass(5_000, 1_000)
  release()
  t.equal(await spun, 'spun')
  t.strictSame(ended, [])
})

t.test('a step that works for ten seconds is ended, however long that takes', async (t) => {
  let workedMs = 0
  const { thread, spun } = await heldUpThread(t, { processorTime: () => workedMs })
  for (let n = 0; n < 10; n++) {
    workedMs += 1_000
    thread.watch(2_000)
  }
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
})

t.test('a step that waits without working is ended as well, after ten times as long', async (t) => {
  const { thread, spun } = await heldUpThread(t, { processorTime: () => 0 })
  thread.watch(99_000)
  t.ok(thread.tasks > 0)
  thread.watch(1_000)
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
})

t.test('a thread\'s own work is to be had of the system', { skip: process.platform !== 'linux' }, async (t) => {
  const seen: Array<number | null> = []
  const { thread, spun, release } = await heldUpThread(t, { processorTime: (of) => { const ms = processorTimeMs(of); seen.push(ms); return ms } })
  // It spins meanwhile, and nobody says for how long.
  await eventually('work', () => {
    thread.watch(0)
    return (seen.at(-1) ?? 0) > (seen[0] ?? Infinity)
  })
  release()
  await spun
})

t.test('where nobody has said whose step it is, nobody is moved, and nobody is blamed at the end', async (t) => {
  const { thread, small, spun, heldUp } = await heldUpThread(t, { marked: false })
  thread.watch(5_000)
  t.equal(thread.tasks, 2)
  t.strictSame(heldUp, [false])
  thread.watch(5_000)
  await t.rejects(small, { name: 'ThreadLost', reason: 'held-up', blame: 'unknown' })
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'unknown' })
})

t.test('one that holds it up and is not wanted any more is not waited for', async (t) => {
  const abort = new AbortController()
  const { thread, spun } = await heldUpThread(t, { signal: abort.signal })
  abort.abort()
  thread.watch(1_000)
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
})

t.test('one that is cancelled while it holds up the thread is given back at once, and a long run beside it goes on', async (t) => {
  const abort = new AbortController()
  const { thread, spun, old, endOld, release } = await heldUpBesideOld(t, { signal: abort.signal })
  abort.abort()
  thread.watch(1_000)
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
  t.equal(thread.tasks, 1)
  release()
  endOld()
  await t.rejects(old, { message: 'aborted: AbortError' })
})

t.test('one that is cancelled beside the one that holds up the thread is given back at once, however long it has run', async (t) => {
  const { thread, spun, old, endOld, release } = await heldUpBesideOld(t)
  endOld()
  thread.watch(1_000)
  await t.rejects(old, { name: 'ThreadLost', reason: 'held-up', blame: 'another' })
  release()
  t.equal(await spun, 'spun')
})

t.test('one that was given back and holds up the thread yet is to blame, not the only one that is left', async (t) => {
  const next = spinGate()
  t.teardown(next.end)
  const { thread, spun, old, behind, release } = await heldUpBesideOld(t, { behind: { do: 'spin', gate: next.gate, marked: true } })
  thread.watch(1_000)
  await t.rejects(behind, { name: 'ThreadLost', reason: 'held-up', blame: 'another' })
  release()
  t.equal(await spun, 'spun')
  await next.begun()
  thread.watch(1_000)
  thread.watch(1_000)
  t.equal(thread.tasks, 1, 'what has long run is not thrown away for a second')
  thread.watch(10_000)
  await t.rejects(old, { name: 'ThreadLost', reason: 'held-up', blame: 'another' })
})

t.test('one that dies takes no more from the moment that this is known', async (t) => {
  const taken: boolean[] = []
  const keep = (worker: Worker): void => { worker.once('error', () => { taken.push(thread.takesMore) }) }
  process.once('worker', keep)
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: { maxOldGenerationSizeMb: 32 }, holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }, onHeldUp: () => {}, onExit: () => {} })
  await t.rejects(new Promise((resolve, reject) => { thread.run({ input: { do: 'allocate' }, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) }), { name: 'ThreadLost', reason: 'memory' })
  t.strictSame(taken, [false])
})

t.test('told to end, it takes no more, and ends when its tasks have: nothing is lost', async (t) => {
  const abort = new AbortController()
  const losses: unknown[] = []
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }, onHeldUp: () => {}, onExit: (loss) => { losses.push(loss) } })
  const running = new Promise((resolve, reject) => { thread.run({ input: { do: 'wait' }, transfer: [], signal: abort.signal, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) })
  const ended = thread.close()
  t.notOk(thread.takesMore)
  abort.abort()
  await t.rejects(running, { message: 'aborted: AbortError' })
  await ended
  t.strictSame(losses, [null])
})

t.test('told to end, with nothing in hand, it has five seconds', async (t) => {
  const losses: unknown[] = []
  const thread = startPoolThread({ entry: clingingTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 60_000, endedAfterMs: 60_000 }, onHeldUp: () => {}, onExit: (loss) => { losses.push(loss) } })
  t.teardown(async () => { await thread.terminate() })
  await new Promise((resolve, reject) => { thread.run({ input: null, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) })
  thread.watch(60_000)
  const ended = thread.close()
  thread.watch(4_999)
  t.strictSame(losses, [])
  thread.watch(1)
  await ended
  t.match(losses, [{ reason: 'ended', tasks: 0, error: { message: /^told to end, and still there/ } }])
})

t.test('a message of its thread that cannot be read ends the thread: nobody waits for what it said', async (t) => {
  const started: Worker[] = []
  process.once('worker', (worker) => { started.push(worker) })
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }, onHeldUp: () => {}, onExit: () => {} })
  const waiting = new Promise((resolve, reject) => { thread.run({ input: { do: 'wait' }, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) })
  await eventually('the thread', () => started.length === 1)
  started[0]?.emit('messageerror', new Error('cannot be read'))
  await t.rejects(waiting, { name: 'ThreadLost', reason: 'ended', cause: { message: 'cannot be read' } })
})

t.test('a message to its thread that cannot be read ends the thread: no task waits for what it was told', async (t) => {
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }, onHeldUp: () => {}, onExit: () => {} })
  t.teardown(async () => { await thread.terminate() })
  await t.rejects(new Promise((resolve, reject) => { thread.run({ input: { do: 'misread' }, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) }),
    { name: 'ThreadLost', reason: 'ended', cause: { message: 'cannot be read' } })
})

t.test('a thread that loads its modules is not held up', async (t) => {
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1, endedAfterMs: 2 }, onHeldUp: () => {}, onExit: () => {} })
  t.teardown(async () => { await thread.terminate() })
  thread.watch(60_000)
  t.ok(thread.takesMore)
})
