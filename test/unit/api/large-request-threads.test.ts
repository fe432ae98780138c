/** The threads of large requests: one may die, and what waits for it is bounded. */
import t, { type Test } from 'tap'
import { createLargeRequestThreads, type LargeRequestThreads } from '../../../src/api/large-request-threads.js'
import type { LargeAnswer } from '../../../src/api/graphql/limits/large-requests.js'
import { createReadGate } from '../../../src/store/reads/read-gate.js'
import { createLargeWork, ownerOfVendor } from '../../../src/threads/large-work.js'
import { eventually } from '../../support/eventually.js'
import { recordingLog } from '../../support/log.js'

const mebibyte = 1_024 * 1_024

interface TestThread extends LargeRequestThreads {
  /** What it was woken for. */
  woken: string[]
  logs: ReturnType<typeof recordingLog>['entries']
  ask (text: string, options?: { bytes?: number, vendorId?: string, keyId?: string, sent?: Promise<void> }): Promise<LargeAnswer>
  say (text: string): Promise<string>
}

function requestThread (t: Test, threads = 2, readGate = createReadGate(), largeWork = createLargeWork()): TestThread {
  const { log, entries } = recordingLog()
  const woken: string[] = []
  const thread = createLargeRequestThreads({
    entry: new URL('stub-request-thread.js', import.meta.url),
    data: null,
    threads,
    closeTimeoutMs: 100,
    wake: (vendorId, jobId) => { woken.push(`import ${vendorId} ${jobId}`) },
    wakeConversion: (vendorId, jobId) => { woken.push(`conversion ${vendorId} ${jobId}`) },
    readGate,
    largeWork,
    log
  })
  t.teardown(async () => { await thread.close() })
  const ask: TestThread['ask'] = async (text, { bytes = 0, vendorId = 'shop', keyId = 'k1', sent = Promise.resolve() } = {}) => await thread.answer({
    principal: { kind: 'integration-key', keyId, vendorId, permissions: new Set() },
    headers: {},
    remoteAddress: '127.0.0.1',
    body: [Uint8Array.from(Buffer.from(text.padEnd(bytes)))],
    traceparent: undefined
  }, sent)
  return { ...thread, woken, logs: entries, ask, say: async (text) => Buffer.from((await ask(text)).body).toString() }
}

t.test('requests side by side each get their own answer', async (t) => {
  const { say } = requestThread(t)
  t.strictSame(await Promise.all(['a', 'b', 'c'].map(say)), ['a!', 'b!', 'c!'])
})

t.test('what an operation has begun is woken', async (t) => {
  const { say, woken } = requestThread(t)
  await say('wake')
  await say('convert')
  t.strictSame(woken, ['import shop j1', 'conversion shop c1'])
})

t.test('a request that breaks is an error of its own alone', async (t) => {
  const { ask, say } = requestThread(t)
  const broken = t.rejects(ask('break'), { message: 'broke' })
  t.equal(await say('a'), 'a!')
  await broken
})

t.test('when a thread dies, its request is SERVICE_UNAVAILABLE, those of others go on, and the next request has another', async (t) => {
  const { ask, say, close, logs } = requestThread(t)
  const other = ask('never', { vendorId: 'slow' })
  other.catch(() => {})
  await t.rejects(ask('die'), { code: 'SERVICE_UNAVAILABLE', message: /send fewer entries/ })
  t.match(logs, [{ level: 50, msg: 'a thread died', pool: 'large requests', tasks: 1 }])
  t.equal(await say('a'), 'a!')
  const lost = t.rejects(other, { code: 'SERVICE_UNAVAILABLE' }, 'not before the end')
  await close()
  await lost
})

t.test('requests of one vendor are answered one after the other, whichever its key; others go on', async (t) => {
  const { ask, close } = requestThread(t)
  const held = ask('never', { keyId: 'k1' })
  const behind = ask('a', { keyId: 'k2' })
  let isAnswered = false
  behind.then(() => { isAnswered = true }, () => {})
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  t.notOk(isAnswered)
  const lost = Promise.all([t.rejects(held), t.rejects(behind, { message: /shutting down/ })])
  await close()
  await lost
})

t.test('a request of megabytes waits for what large work its vendor has elsewhere; smaller ones, and those of others, do not', async (t) => {
  const largeWork = createLargeWork()
  const over = await largeWork.begin(ownerOfVendor('shop'))
  const { ask } = requestThread(t, 2, createReadGate(), largeWork)
  t.match(await ask('a', { bytes: mebibyte }), { status: 200 })
  const large = ask('a', { bytes: 2 * mebibyte })
  let isAnswered = false
  void large.then(() => { isAnswered = true })
  t.match(await ask('a', { bytes: 2 * mebibyte, vendorId: 'other' }), { status: 200 })
  t.notOk(isAnswered)
  over()
  t.match(await large, { status: 200 })
})

t.test('a request of megabytes is over when it is answered, and when its thread dies', async (t) => {
  const largeWork = createLargeWork()
  const { ask } = requestThread(t, 2, createReadGate(), largeWork)
  await ask('a', { bytes: 2 * mebibyte });
  (await largeWork.begin(ownerOfVendor('shop')))()
  await t.rejects(ask('die', { bytes: 2 * mebibyte }), { code: 'SERVICE_UNAVAILABLE' })
  t.type(await largeWork.begin(ownerOfVendor('shop')), 'function')
})

t.test('vendors take turns: one that sends many is not before one that sends one', async (t) => {
  const { ask } = requestThread(t, 1)
  const order: string[] = []
  const one = async (vendorId: string, name: string): Promise<void> => { await ask('a', { vendorId }).then(() => { order.push(name) }) }
  await Promise.all([one('shop', 's1'), one('shop', 's2'), one('shop', 's3'), one('second', 'b1'), one('third', 'c1')])
  t.strictSame(order, ['s1', 'b1', 'c1', 's2', 's3'])
})

t.test('one vendor may have 16 requests in hand; others go on', async (t) => {
  const { ask, close } = requestThread(t)
  const held = Array.from({ length: 16 }, async () => await ask('never'))
  await t.rejects(ask('a'), { code: 'LIMIT_EXCEEDED', message: /At most 16 large requests/ })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one, { code: 'SERVICE_UNAVAILABLE' }) }))
  await close()
  await lost
})

t.test('one vendor may have 32 MiB in hand; others go on', async (t) => {
  const { ask } = requestThread(t)
  const first = ask('a', { bytes: 16 * mebibyte })
  const second = ask('a', { bytes: 16 * mebibyte, keyId: 'k2' })
  await t.rejects(ask('a'), { code: 'LIMIT_EXCEEDED', message: /may have 33554432 bytes in all/ })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  t.match(await first, { status: 200 })
  t.match(await second, { status: 200 })
  t.match(await ask('a', { bytes: 16 * mebibyte }), { status: 200 }, 'and it again, once they are over')
})

t.test('all together may have 32 MiB that wait behind others of theirs; whoever has none in hand finds room', async (t) => {
  const { ask, close } = requestThread(t)
  const held = ['a', 'a', 'b', 'b'].map((vendorId) => ask('never', { bytes: 16 * mebibyte, vendorId }))
  held.push(ask('never', { vendorId: 'c' }))
  await t.rejects(ask('a', { vendorId: 'c', bytes: 1 }), { code: 'SERVICE_UNAVAILABLE', message: /overloaded/ })
  held.push(ask('never', { bytes: 16 * mebibyte, vendorId: 'd' }))
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one, { message: /not be answered|shutting down/ }) }))
  await close()
  await lost
})

t.test('a user of one vendor has the room of that vendor, of several its own', async (t) => {
  const { answer, ask, close } = requestThread(t)
  const by = async (...vendorIds: string[]): Promise<LargeAnswer> => await answer({
    principal: { kind: 'user', userId: 'ada', keyId: null, memberships: vendorIds.map((vendorId) => ({ vendorId, role: 'owner', permissions: [] })) } as never,
    headers: {},
    remoteAddress: '127.0.0.1',
    body: [Uint8Array.from(Buffer.from('a'))],
    traceparent: undefined
  }, new Promise(() => {}))
  const held = Array.from({ length: 16 }, async () => await ask('never'))
  await t.rejects(by('shop'), { code: 'LIMIT_EXCEEDED' })
  t.match(await by('shop', 'other'), { status: 200 })
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one) }))
  await close()
  await lost
})

t.test('an answer is in hand until it has been sent; while much of a vendor is, its next request is not begun', async (t) => {
  const { ask } = requestThread(t)
  const unread: Array<() => void> = []
  const sent = async (): Promise<void> => { await new Promise<void>((resolve) => { unread.push(resolve) }) }
  const large = async (): Promise<LargeAnswer> => await ask('large', { sent: sent() })
  await large()
  await large()
  let isBegun = false
  const next = ask('a').finally(() => { isBegun = true })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 }, 'others go on')
  t.notOk(isBegun)
  unread[0]?.()
  t.match(await next, { status: 200 })
  for (let n = 0; n < 15; n++) await ask('a', { sent: sent() })
  await t.rejects(ask('a'), { code: 'LIMIT_EXCEEDED', message: /At most 16/ })
})

t.test('a request that waits for its vendor\'s answers to be read ends when the threads do', async (t) => {
  const { ask, close } = requestThread(t)
  const never = new Promise<void>(() => {})
  await ask('large', { sent: never })
  await ask('large', { sent: never })
  const lost = t.rejects(ask('a'), { message: /shutting down/ })
  await close()
  await lost
})

t.test('once it is closed, requests are SERVICE_UNAVAILABLE', async (t) => {
  const { ask, say, close } = requestThread(t)
  t.equal(await say('a'), 'a!')
  await close()
  await t.rejects(ask('a'), { code: 'SERVICE_UNAVAILABLE', message: /shutting down/ })
})

t.test('one that was never needed closes', async (t) => {
  await requestThread(t).close()
  t.pass()
})

t.test('what a thread reads waits at the process\'s gate, and a thread that dies gives its places away', async (t) => {
  const gate = createReadGate()
  const { ask } = requestThread(t, 2, gate)
  const lost = t.rejects(ask('read and die', { vendorId: 'shop' }), { code: 'SERVICE_UNAVAILABLE' })
  await eventually('a read that is under way', () => gate.state().underWay === 1)
  t.match(gate.state(), { underWay: 1, owners: 1 })
  await lost
  await eventually('its end', () => gate.state().underWay === 0)
  t.match(gate.state(), { owners: 0, waiting: 0 })
})
