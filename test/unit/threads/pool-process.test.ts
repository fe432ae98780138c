/** Tasks that run by themselves, in a process of their own: whatever they do to it, nobody else is there. */
import t, { type Test } from 'tap'
import { startPoolProcess } from '../../../src/threads/pool-process.js'
import { stringKindsFlag } from '../../../src/threads/string-kinds.js'
import { createThreadPool, type ThreadPoolOptions } from '../../../src/threads/thread-pool.js'
import { eventually } from '../../support/eventually.js'
import { silent } from '../../support/log.js'
import type { PoisonTask } from './poison-tasks.js'
import { clingingTasks, never, poisonTasks } from './poisoned.js'

function start (t: Test, options: Partial<ThreadPoolOptions> = {}) {
  const pool = createThreadPool<PoisonTask, unknown, string, string>({
    name: 'alone', entry: poisonTasks, data: { of: 'the pool' }, threads: 1, tasksPerThread: 1, resourceLimits: { maxOldGenerationSizeMb: 64 }, log: silent, closeTimeoutMs: 100, startThread: startPoolProcess, ...options
  })
  t.teardown(pool.close)
  const run = async (owner: string, input: PoisonTask, signal = never): Promise<unknown> => await pool.run({ owner, input, signal })
  return { pool, run }
}

t.test('each task has a process of its own, which ends with it', async (t) => {
  const { run } = start(t)
  const pids = await Promise.all(['a', 'b', 'c'].map(async (owner) => await run(owner, { do: 'pid' }) as number))
  t.equal(new Set([process.pid, ...pids]).size, 4)
  await eventually('their end', () => pids.every((pid) => !isAlive(pid)))
})

t.test('code for strings stays compiled in it as in the service', async (t) => {
  const { run } = start(t)
  t.ok((await run('a', { do: 'flags' }) as string[]).includes(stringKindsFlag))
})

t.test('one that ends as it was told to, its task done, is no loss', async (t) => {
  const loss = await new Promise((resolve) => {
    const options = { entry: poisonTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 1_000, endedAfterMs: 10_000 }, onHeldUp: () => {}, onExit: resolve }
    startPoolProcess(options).run({ input: { do: 'answer', text: 'a' }, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve: () => {}, reject: () => {} })
  })
  t.equal(loss, null)
})

t.test('told to end, its task done, it has five seconds', async (t) => {
  let exit = (_loss: unknown): void => {}
  const exited = new Promise((resolve) => { exit = resolve })
  const process = startPoolProcess({ entry: clingingTasks, data: null, resourceLimits: {}, holdUp: { heldUpAfterMs: 60_000, endedAfterMs: 60_000 }, onHeldUp: () => {}, onExit: exit })
  t.teardown(async () => { await process.terminate() })
  await new Promise((resolve, reject) => { process.run({ input: null, transfer: [], signal: never, onTold: () => {}, onHoldUp: () => {}, resolve, reject }) })
  process.watch(5_000)
  t.match(await exited, { reason: 'ended', tasks: 0, error: { message: /^told to end, and still there/ } })
})

t.test('what cannot be sent to a process rejects, and its owner goes on', async (t) => {
  const { run } = start(t)
  await t.rejects(run('a', { do: 'answer', text: (() => {}) as unknown as string }), { message: /could not be cloned/ })
  t.equal(await run('a', { do: 'answer', text: 'a' }), 'a')
})

t.test('it is told what the pool was given, and talks with who began it', async (t) => {
  const { pool, run } = start(t)
  t.strictSame(await run('a', { do: 'data' }), { of: 'the pool' })
  t.equal(await pool.run({ owner: 'a', input: { do: 'ask', text: 'what?' }, signal: never, onTold: (question, tell) => { tell(`${question} that`) } }), 'what? that')
})

t.test('what it throws comes back, with its cause', async (t) => {
  await t.rejects(start(t).run('a', { do: 'break', text: 'broke' }), { message: 'broke', cause: { message: 'why' } })
})

t.test('what ends the whole process ends no other, and is this task\'s doing', async (t) => {
  const { run } = start(t)
  await t.rejects(run('a', { do: 'abort' }), { name: 'ThreadLost', reason: 'ended', blame: 'this', cause: { message: /SIGABRT/ } })
  t.equal(await run('a', { do: 'answer', text: 'a' }), 'a')
})

t.test('one that takes too much memory is told as such', async (t) => {
  await t.rejects(start(t).run('a', { do: 'allocate' }), { name: 'ThreadLost', reason: 'memory', blame: 'this', message: 'took too much memory' })
})

t.test('one that never gives way is ended', async (t) => {
  await t.rejects(start(t, { holdUp: { heldUpAfterMs: 200, endedAfterMs: 600 } }).run('a', { do: 'spin for ever' }), { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
})

t.test('one that is aborted ends with what it makes of it', async (t) => {
  const abort = new AbortController()
  const running = start(t).run('a', { do: 'wait' }, abort.signal)
  abort.abort(Object.assign(new Error('not wanted'), { name: 'NotWanted' }))
  await t.rejects(running, { message: 'aborted: NotWanted' })
})

t.test('what is told to a whole group of processes to end it is for the parent to heed, which drains', async (t) => {
  t.equal(await start(t).run('a', { do: 'get signals' }), 'still here')
})

t.test('closing ends what is under way', async (t) => {
  const { pool, run } = start(t)
  const lost = t.rejects(run('a', { do: 'wait' }), { name: 'ThreadLost' })
  await pool.close()
  await lost
})

function isAlive (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
