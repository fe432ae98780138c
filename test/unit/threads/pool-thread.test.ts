/** A thread that is held up: who is moved away from it and when, and who is blamed. Time passes here as the test says. */
import t, { type Test } from 'tap'
import { startPoolThread, type PoolThread } from '../../../src/threads/pool-thread.js'
import { eventually } from '../../support/eventually.js'
import type { PoisonTask } from './poison-tasks.js'
import { never, poisonTasks, spinGate } from './poisoned.js'

interface Watched {
  thread: PoolThread
  run (task: PoisonTask, signal?: AbortSignal): Promise<unknown>
  heldUp: boolean[]
  ended: string[]
}

/** Has a task that spins, of which the thread has not been told anything yet. */
async function heldUpThread (t: Test, { marked = true, before = async () => {}, signal = never }: { marked?: boolean, before?: (watched: Watched) => Promise<void>, signal?: AbortSignal } = {}) {
  const heldUp: boolean[] = []
  const ended: string[] = []
  const thread = startPoolThread({
    entry: poisonTasks,
    data: null,
    resourceLimits: {},
    holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 },
    onHeldUp: (blamed) => { heldUp.push(blamed) },
    onExit: ({ reason, tasks }) => { ended.push(`${reason} ${tasks}`) }
  })
  t.teardown(async () => { await thread.terminate() })
  const run = async (input: PoisonTask, signal = never): Promise<unknown> => {
    const promise = new Promise((resolve, reject) => { thread.run({ input, transfer: [], signal, onTold: () => {}, resolve, reject }) })
    promise.catch(() => {})
    return await promise
  }
  const watched = { thread, run, heldUp, ended }
  await run({ do: 'answer', text: 'it has started' })
  await before(watched)
  const { gate, begun, end } = spinGate()
  t.teardown(end)
  const small = run({ do: 'wait' })
  const spun = run({ do: 'spin', gate, marked }, signal)
  small.catch(() => {})
  spun.catch(() => {})
  await begun()
  // What it has beaten so far is seen.
  thread.watch(0)
  return { ...watched, small, spun, release: end }
}

t.test('after a second without a beat it counts as held up, and as free when it beats again', async (t) => {
  const { thread, spun, release, heldUp } = await heldUpThread(t)
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
  await t.rejects(spun, { name: 'ThreadLost', reason: 'held-up', blame: 'this', message: 'a step of it took too long' })
  await eventually('its end', () => ended.length > 0)
  t.strictSame(ended, ['held-up 2'])
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

t.test('a thread that loads its modules is not held up', async (t) => {
  const thread = startPoolThread({ entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1, endedAfterMs: 2 }, onHeldUp: () => {}, onExit: () => {} })
  t.teardown(async () => { await thread.terminate() })
  thread.watch(60_000)
  t.ok(thread.takesMore)
})
