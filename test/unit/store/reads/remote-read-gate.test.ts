/** Both ends of a gate that is in another thread, without the thread between them. */
import t from 'tap'
import { rateLimited } from '../../../../src/errors.js'
import { createReadGate, type ReadGate } from '../../../../src/store/reads/read-gate.js'
import { createRemoteReadGate, createRemoteReads, type RemoteReadGate, type RemoteReads } from '../../../../src/store/reads/remote-read-gate.js'
import { createGate, eventually } from '../../../support/eventually.js'

interface Thread { gate: RemoteReadGate, main: RemoteReads }

/** One thread more that reads through this gate. */
function threadOf (gate: Pick<ReadGate, 'run'>): Thread {
  const remote: RemoteReadGate = createRemoteReadGate((request) => { main.asked(request) })
  const main = createRemoteReads(gate, (reply) => { queueMicrotask(() => { remote.replied(reply) }) })
  return { gate: remote, main }
}

/** One whose time the test makes pass, and to which the way to the database takes none. */
async function clockedGate () {
  let nowMs = 0
  const gate = createReadGate({ monotonicMs: () => nowMs })
  await gate.run('nobody', 'way', async () => {})
  return {
    gate,
    /** One read of this thread that takes so long, alone; resolves when that is known. */
    async learn (thread: Thread, owner: string, shape: string, ms: number): Promise<void> {
      await thread.gate.run(owner, shape, async () => { nowMs += ms })
      await eventually('its end', () => gate.state().underWay === 0)
    }
  }
}

/** A read that takes until it is let go of. */
function slowRead () {
  const gate = createGate()
  let isUnderWay = false
  return {
    isUnderWay: () => isUnderWay,
    end: gate.open,
    command: async (): Promise<string> => {
      isUnderWay = true
      await gate.passed
      return 'read'
    }
  }
}

t.test('reads of all threads share the places of one gate: costly ones are a few in all', async (t) => {
  const { gate, learn } = await clockedGate()
  const threads = Array.from({ length: 5 }, () => threadOf(gate))
  for (const [n, thread] of threads.entries()) await learn(thread, `vendor ${n}`, 'search', 500)
  const reads = threads.map(slowRead)
  const all = threads.map(async (thread, n) => await thread.gate.run(`vendor ${n}`, 'search', reads[n]?.command ?? (async () => '')))
  await eventually('the first reads', () => reads.filter(({ isUnderWay }) => isUnderWay()).length >= 4)
  t.match(gate.state(), { underWay: 4, waiting: 1 })
  t.equal(reads.filter(({ isUnderWay }) => isUnderWay()).length, 4)
  for (const { end } of reads) end()
  t.strictSame(await Promise.all(all), ['read', 'read', 'read', 'read', 'read'])
  await eventually('their end', () => gate.state().owners === 0)
  t.match(gate.state(), { underWay: 0, waiting: 0 })
})

t.test('a thread that ends gives its places away, and what it waits for is never begun', async (t) => {
  const { gate, learn } = await clockedGate()
  const [lost, other] = [threadOf(gate), threadOf(gate)]
  await learn(lost, 'shop', 'search', 500)
  const [held, never, next] = [slowRead(), slowRead(), slowRead()]
  void lost.gate.run('shop', 'search', held.command)
  void lost.gate.run('shop', 'search', never.command).catch(() => {})
  const after = other.gate.run('shop', 'search', next.command)
  await eventually('the read', held.isUnderWay)
  t.match(gate.state(), { underWay: 1, waiting: 2 })
  lost.main.end()
  await eventually('the other thread\'s turn', next.isUnderWay)
  next.end()
  t.equal(await after, 'read')
  t.notOk(never.isUnderWay())
  await eventually('their end', () => gate.state().owners === 0)
  t.match(gate.state(), { underWay: 0, waiting: 0 })
})

t.test('a read that fails gives its place away, and fails with what the database said', async (t) => {
  const gate = createReadGate()
  await t.rejects(threadOf(gate).gate.run('shop', 'search', async () => { throw new Error('no such host') }), { message: 'no such host' })
  await eventually('its place', () => gate.state().underWay === 0)
})

t.test('a refusal comes through, and says when to come again', async (t) => {
  const { gate } = threadOf({ run: async () => { throw rateLimited('Too many', { retryAfterSeconds: 7 }) } })
  await t.rejects(gate.run('shop', 'search', async () => 'read'), { code: 'RATE_LIMITED', message: 'Too many', retryAfterSeconds: 7 })
})

t.test('once its request has ended a thread reads nothing more for it', async (t) => {
  const { gate } = threadOf({ run: async () => await new Promise(() => {}) })
  const waiting = t.rejects(gate.run('shop', 'search', async () => 'read'), { code: 'SERVICE_UNAVAILABLE' })
  gate.end()
  await waiting
  await t.rejects(gate.run('shop', 'search', async () => 'read'), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('what a read costs in a thread says nothing of what one like it costs in the main thread', async (t) => {
  const { gate, learn } = await clockedGate()
  await learn(threadOf(gate), 'shop', 'product', 500)
  const reads = Array.from({ length: 3 }, slowRead)
  const all = reads.map(async ({ command }) => await gate.run('shop', 'product', command))
  await eventually('all of them', () => reads.every(({ isUnderWay }) => isUnderWay()))
  t.equal(gate.state().underWay, 3)
  for (const { end } of reads) end()
  await Promise.all(all)
})
