/** The thread of large requests: it may die, and what waits for it is bounded. */
import t, { type Test } from 'tap'
import { createLargeRequestThread, type LargeRequestThread } from '../../../src/api/large-request-thread.js'
import type { LargeAnswer } from '../../../src/api/graphql/large-requests.js'
import { recordingLog } from '../../support/log.js'

const mebibyte = 1_024 * 1_024

interface TestThread extends LargeRequestThread {
  /** What it was woken for. */
  woken: string[]
  logs: ReturnType<typeof recordingLog>['entries']
  ask (text: string, options?: { bytes?: number, vendorId?: string, keyId?: string }): Promise<LargeAnswer>
  say (text: string): Promise<string>
}

function requestThread (t: Test): TestThread {
  const { log, entries } = recordingLog()
  const woken: string[] = []
  const thread = createLargeRequestThread({
    entry: new URL('stub-request-thread.js', import.meta.url),
    workerData: null,
    wake: (vendorId, jobId) => { woken.push(`import ${vendorId} ${jobId}`) },
    wakeConversion: (vendorId, jobId) => { woken.push(`conversion ${vendorId} ${jobId}`) },
    log
  })
  t.teardown(async () => { await thread.close() })
  const ask: TestThread['ask'] = async (text, { bytes = 0, vendorId = 'shop', keyId = 'k1' } = {}) => await thread.answer({
    principal: { kind: 'integration-key', keyId, vendorId, permissions: new Set() },
    headers: {},
    remoteAddress: '127.0.0.1',
    body: Uint8Array.from(Buffer.from(text.padEnd(bytes)))
  })
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

t.test('when the thread dies, what it had in hand is SERVICE_UNAVAILABLE, it is told, and the next request has another', async (t) => {
  const { ask, say, logs } = requestThread(t)
  const lost = t.rejects(ask('never'), { code: 'SERVICE_UNAVAILABLE' })
  await t.rejects(ask('die', { vendorId: 'other' }), { code: 'SERVICE_UNAVAILABLE' })
  await lost
  t.match(logs, [{ level: 50, msg: 'the thread of large requests died', requests: 2, err: { message: 'died' } }])
  t.equal(await say('a'), 'a!')
})

t.test('requests of one vendor are answered one after the other, whichever its key; others go on', async (t) => {
  const { ask, say } = requestThread(t)
  const held = ask('never', { keyId: 'k1' })
  let isAnswered = false
  const behind = ask('a', { keyId: 'k2' }).then(() => { isAnswered = true })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  t.notOk(isAnswered)
  const lost = t.rejects(held)
  await t.rejects(ask('die', { vendorId: 'other' }))
  await lost
  await behind
  t.equal(await say('b'), 'b!')
})

t.test('one vendor may have 32 MiB in hand; others go on', async (t) => {
  const { ask } = requestThread(t)
  const first = ask('never', { bytes: 16 * mebibyte })
  const second = ask('a', { bytes: 16 * mebibyte, keyId: 'k2' })
  await t.rejects(ask('a'), { code: 'LIMIT_EXCEEDED', message: /may have 33554432 bytes in all/ })
  t.match(await ask('a', { vendorId: 'other' }), { status: 200 })
  const lost = t.rejects(first)
  await t.rejects(ask('die', { vendorId: 'other' }))
  await lost
  t.match(await second, { status: 200 })
  t.match(await ask('a', { bytes: 16 * mebibyte }), { status: 200 }, 'and it again, once they are over')
})

t.test('all together may have 64 MiB in hand', async (t) => {
  const { ask, close } = requestThread(t)
  const held = ['a', 'a', 'b', 'b'].map((vendorId) => ask('never', { bytes: 16 * mebibyte, vendorId }))
  await t.rejects(ask('a', { vendorId: 'c' }), { code: 'SERVICE_UNAVAILABLE', message: /overloaded/ })
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one, { code: 'SERVICE_UNAVAILABLE' }) }))
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

t.test('one that does not end is ended', async (t) => {
  const { say, close } = requestThread(t)
  t.equal(await say('stay'), 'stay!')
  await close()
  t.pass()
})
