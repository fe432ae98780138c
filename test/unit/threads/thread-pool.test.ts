import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { startPoolThread, type PoolThread, type ThreadTask } from '../../../src/threads/pool-thread.js'
import { createThreadMetrics } from '../../../src/threads/thread-metrics.js'
import { createThreadPool, type ThreadPoolOptions } from '../../../src/threads/thread-pool.js'
import { eventually } from '../../support/eventually.js'
import { recordingLog } from '../../support/log.js'
import type { PoisonTask } from './poison-tasks.js'
import { never, poisonTasks, spinGate } from './poisoned.js'

function start (t: Test, options: Partial<ThreadPoolOptions> = {}) {
  const { log, entries } = recordingLog()
  const pool = createThreadPool<PoisonTask, unknown, string, string>({
    name: 'test', entry: poisonTasks, data: { of: 'the pool' }, threads: 1, tasksPerThread: 2, resourceLimits: { maxOldGenerationSizeMb: 32 }, log, closeTimeoutMs: 100, ...options
  })
  t.teardown(pool.close)
  const run = async (owner: string, input: PoisonTask, signal = never): Promise<unknown> => {
    const running = pool.run({ owner, input, signal })
    running.catch(() => {})
    return await running
  }
  return { pool, run, entries }
}
const answer = (text: string): PoisonTask => ({ do: 'answer', text })

t.test('tasks side by side each get their own answer', async (t) => {
  const { run } = start(t)
  t.strictSame(await Promise.all(['a', 'b', 'c', 'd'].map(async (owner) => await run(owner, answer(owner)))), ['a', 'b', 'c', 'd'])
})

t.test('an owner has one task at a time, others go on beside it', async (t) => {
  const { run } = start(t, { threads: 2, tasksPerThread: 4 })
  const abort = new AbortController()
  const held = run('a', { do: 'wait' }, abort.signal)
  held.catch(() => {})
  let isAnswered = false
  const behind = run('a', answer('a')).then(() => { isAnswered = true })
  t.equal(await run('b', answer('b')), 'b')
  t.notOk(isAnswered)
  abort.abort(new Error('enough'))
  await t.rejects(held, { message: 'aborted: Error' })
  await behind
})

t.test('a task that breaks rejects with what it says, and its owner goes on', async (t) => {
  const { run } = start(t)
  await t.rejects(run('a', { do: 'break', text: 'broke' }), { message: 'broke', cause: { message: 'why' } })
  t.equal(await run('a', answer('a')), 'a')
})

t.test('a task and who began it talk with each other', async (t) => {
  const { pool } = start(t)
  t.equal(await pool.run({ owner: 'a', input: { do: 'ask', text: 'what?' }, signal: never, onTold: (question, tell) => { tell(`${question} that`) } }), 'what? that')
})

t.test('a task that waits leaves when it is aborted; one that runs is told the name of the reason', async (t) => {
  const { run } = start(t)
  const abort = new AbortController()
  const running = run('a', { do: 'wait' }, abort.signal)
  const waiting = run('a', answer('late'), abort.signal)
  running.catch(() => {})
  waiting.catch(() => {})
  abort.abort(Object.assign(new Error('not wanted'), { name: 'NotWanted' }))
  await t.rejects(waiting, { name: 'NotWanted' })
  await t.rejects(running, { message: 'aborted: NotWanted' })
  await t.rejects(run('a', answer('never'), abort.signal), { name: 'NotWanted' })
  t.equal(await run('a', answer('a')), 'a')
})

t.test('a thread whose heap runs over dies alone: its task is blamed, those of others go on, the next has a new one', async (t) => {
  const { run, entries } = start(t, { threads: 2, tasksPerThread: 1 })
  const abort = new AbortController()
  const other = run('b', { do: 'wait' }, abort.signal)
  other.catch(() => {})
  await t.rejects(run('a', { do: 'allocate' }), { name: 'ThreadLost', reason: 'memory', blame: 'this', message: 'took too much memory' })
  abort.abort()
  await t.rejects(other, { message: 'aborted: AbortError' })
  t.equal(await run('a', answer('a')), 'a')
  t.match(entries.find(({ msg }) => msg === 'a thread died'), { level: 50, pool: 'test', reason: 'memory', tasks: 1, err: { code: 'ERR_WORKER_OUT_OF_MEMORY' } })
})

t.test('of several tasks on a thread that dies none is blamed: it is not known whose fault it was', async (t) => {
  const { run } = start(t)
  const beside = run('b', { do: 'wait' })
  beside.catch(() => {})
  await t.rejects(run('a', { do: 'exit' }), { name: 'ThreadLost', reason: 'ended', blame: 'unknown' })
  await t.rejects(beside, { name: 'ThreadLost', reason: 'ended', blame: 'unknown' })
  t.equal(await run('b', answer('b')), 'b')
})

t.test('a thread that is held up gets no more tasks, and another takes its place', async (t) => {
  const started: PoolThread[] = []
  const { run } = start(t, {
    tasksPerThread: 8,
    startThread (options) {
      const thread = startPoolThread({ ...options, processorTime: () => null })
      started.push(thread)
      // Time passes as the test says, not the machine.
      return Object.create(thread, { watch: { value: () => {} } }) as PoolThread
    }
  })
  const { gate, begun, end } = spinGate()
  t.teardown(end)
  const spun = run('a', { do: 'spin', gate, marked: true })
  await begun()
  const beside = run('b', answer('b'))
  started[0]?.watch(0)
  started[0]?.watch(1_000)
  await t.rejects(beside, { name: 'ThreadLost', reason: 'held-up', blame: 'another' }, 'one that was on its way there is given back')
  t.equal(await run('b', answer('b')), 'b')
  t.equal(started.length, 2)
  end()
  t.equal(await spun, 'spun')
})

t.test('a task that does not give way for too long is ended, and blamed', async (t) => {
  const { run } = start(t, { holdUp: { heldUpAfterMs: 200, endedAfterMs: 400 } })
  const { gate } = spinGate()
  await t.rejects(run('a', { do: 'spin', gate, marked: true }), { name: 'ThreadLost', reason: 'held-up', blame: 'this' })
  t.equal(await run('a', answer('a')), 'a')
})

t.test('what cannot be sent to a thread rejects, and its owner goes on', async (t) => {
  const { run } = start(t)
  await t.rejects(run('a', { do: 'answer', text: (() => {}) as unknown as string }), { name: 'DataCloneError' })
  t.equal(await run('a', answer('a')), 'a')
})

t.test('threads are told what the pool was given for them', async (t) => {
  t.strictSame(await start(t).run('a', { do: 'data' }), { of: 'the pool' })
})

t.test('once it is closed nothing begins; what waits rejects, and a task that does not end is ended', async (t) => {
  const { pool, run } = start(t)
  const held = run('a', { do: 'wait' })
  const waiting = run('a', answer('a'))
  held.catch(() => {})
  waiting.catch(() => {})
  await run('b', answer('b'))
  const closed = pool.close()
  await t.rejects(waiting, { code: 'SERVICE_UNAVAILABLE', message: /shutting down/ })
  await t.rejects(run('b', answer('b')), { code: 'SERVICE_UNAVAILABLE' })
  await t.rejects(held, { name: 'ThreadLost' })
  await closed
})

t.test('a thread that ends with nothing in hand, be it by force, is no error', async (t) => {
  const { pool, entries } = start(t, {
    startThread: ({ onExit }) => ({
      tasks: 0, takesMore: true, run: () => {}, watch: () => {}, terminate: async () => {},
      close: async () => { onExit({ reason: 'ended', error: new Error('told to end, and still there'), tasks: 0 }) }
    }),
    threadsAtStart: 1
  })
  await pool.close()
  t.match(entries.filter(({ msg }) => msg === 'a thread died'), [{ level: 40, tasks: 0 }])
})

t.test('its figures are to be had', async (t) => {
  const registry = new Registry()
  const { pool, run } = start(t, { threads: 2, tasksPerThread: 1, metrics: createThreadMetrics(registry) })
  const abort = new AbortController()
  const held = run('a', { do: 'wait' }, abort.signal)
  held.catch(() => {})
  const waiting = run('a', answer('a'))
  await t.rejects(run('b', { do: 'exit' }))
  const text = await registry.metrics()
  t.match(text, 'catalog_threads{pool="test"} 1')
  t.match(text, 'catalog_thread_tasks_running{pool="test"} 1')
  t.match(text, 'catalog_thread_tasks_waiting{pool="test"} 1')
  t.match(text, 'catalog_thread_deaths_total{pool="test",reason="ended"} 1')
  abort.abort()
  await t.rejects(held)
  await waiting
  await pool.close()
  t.notMatch(await registry.metrics(), 'catalog_threads{pool="test"}')
})

/** A pool whose threads do nothing: each is as busy, and as much held up, as the test says. */
function startIdle (t: Test, options: Partial<ThreadPoolOptions> = {}) {
  const threads: Array<{ tasks: number, takesMore: boolean }> = []
  const { run } = start(t, {
    startThread ({ onExit }) {
      const thread = {
        tasks: 0,
        takesMore: true,
        run () { thread.tasks += 1 },
        watch () {},
        async close () {
          thread.takesMore = false
          onExit(null)
        },
        terminate: async () => {}
      }
      threads.push(thread)
      return thread
    },
    ...options
  })
  return { threads, begin: (owner: string) => { run(owner, answer(owner), new AbortController().signal).catch(() => {}) } }
}

t.test('threads that are held up leave those in their place no more tasks than each may have', async (t) => {
  const { threads, begin } = startIdle(t, { threads: 2, tasksPerThread: 1 })
  for (const owner of ['a', 'b']) begin(owner)
  for (const thread of threads) thread.takesMore = false
  for (const owner of ['c', 'd']) begin(owner)
  t.strictSame(threads.map(({ tasks }) => tasks), [1, 1, 1, 1])
  const [, , third] = threads
  if (third !== undefined) third.takesMore = false
  begin('e')
  t.strictSame(threads.map(({ tasks }) => tasks), [1, 1, 1, 1])
})

t.test('once threads that were held up come round, there are no more than there may be: the least busy ones go', async (t) => {
  const { threads, begin } = startIdle(t, { threads: 2, tasksPerThread: 2 })
  for (const owner of ['a', 'b']) begin(owner)
  for (const thread of threads) thread.takesMore = false
  for (const owner of ['c', 'd']) begin(owner)
  for (const thread of threads) thread.takesMore = true
  const [first, , , fourth] = threads
  if (first !== undefined) first.tasks = 0
  if (fourth !== undefined) fourth.tasks = 0
  await eventually('their end', () => threads.filter(({ takesMore }) => takesMore).length === 2)
  t.strictSame(threads.map(({ takesMore }) => takesMore), [false, true, true, false])
})

t.test('threads that have nothing to do end, but for those that the pool has begun with', async (t) => {
  const { threads, begin } = startIdle(t, { threads: 3, threadsAtStart: 1, tasksPerThread: 1, idleTimeoutMs: 1 })
  for (const owner of ['a', 'b', 'c']) begin(owner)
  t.strictSame(threads.map(({ tasks }) => tasks), [1, 1, 1])
  const [first, second, third] = threads
  if (first !== undefined) first.tasks = 0
  if (third !== undefined) third.tasks = 0
  await eventually('its end', () => third?.takesMore === false)
  t.strictSame(threads.map(({ takesMore }) => takesMore), [true, true, false])
  if (second !== undefined) second.tasks = 0
  await eventually('its end', () => second?.takesMore === false)
  t.equal(first?.takesMore, true)
})

t.test('where no thread can be started, the task that needs one is refused, and is not run later', async (t) => {
  let isFull = true
  const given: unknown[] = []
  const { run, entries } = start(t, {
    startThread (options) {
      if (isFull) throw new Error('no more threads')
      const thread = startPoolThread(options)
      return Object.create(thread, { run: { value: (task: ThreadTask) => { given.push(task.input); thread.run(task) } } }) as PoolThread
    }
  })
  await t.rejects(run('a', answer('a1')), { code: 'SERVICE_UNAVAILABLE', cause: { message: 'no more threads' } })
  t.match(entries.find(({ msg }) => msg === 'no thread could be started'), { level: 50, pool: 'test', err: { message: 'no more threads' } })
  isFull = false
  t.equal(await run('a', answer('a2')), 'a2')
  t.strictSame(given, [answer('a2')])
})

t.test('threads that it begins with are there before there is a task', async (t) => {
  const workers: unknown[] = []
  const keep = (worker: unknown): void => { workers.push(worker) }
  process.on('worker', keep)
  t.teardown(() => { process.off('worker', keep) })
  start(t, { threads: 2, threadsAtStart: 1 })
  await eventually('a thread', () => workers.length > 0)
  t.equal(workers.length, 1)
})
