/** The thread of large requests: it may die, and what waits for it is bounded. */
import t, { type Test } from 'tap'
import { createLargeRequestThread, type LargeRequestThread } from '../../../src/api/large-request-thread.js'
import type { LargeAnswer } from '../../../src/api/graphql/large-requests.js'
import { recordingLog } from './test-api.js'

const mebibyte = 1_024 * 1_024

interface TestThread extends LargeRequestThread {
  /** What it was woken for. */
  woken: string[]
  logs: ReturnType<typeof recordingLog>['lines']
  ask (text: string, options?: { bytes?: number, credential?: string }): Promise<LargeAnswer>
  say (text: string): Promise<string>
}

function requestThread (t: Test): TestThread {
  const { log, lines } = recordingLog()
  const woken: string[] = []
  const thread = createLargeRequestThread({
    entry: new URL('stub-request-thread.js', import.meta.url),
    workerData: null,
    wake: (vendorId, jobId) => { woken.push(`import ${vendorId} ${jobId}`) },
    wakeConversion: (vendorId, jobId) => { woken.push(`conversion ${vendorId} ${jobId}`) },
    log
  })
  t.teardown(async () => { await thread.close() })
  const ask: TestThread['ask'] = async (text, { bytes = 0, credential = 'k1' } = {}) =>
    await thread.answer({ credential, headers: {}, remoteAddress: '127.0.0.1', body: new Uint8Array(Buffer.from(text.padEnd(bytes))) })
  return { ...thread, woken, logs: lines, ask, say: async (text) => Buffer.from((await ask(text)).body).toString() }
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
  await t.rejects(ask('die'), { code: 'SERVICE_UNAVAILABLE' })
  await lost
  t.match(logs, [{ level: 50, msg: 'the thread of large requests died', requests: 2, err: { message: 'died' } }])
  t.equal(await say('a'), 'a!')
})

t.test('one credential may have 32 MiB in hand; others go on', async (t) => {
  const { ask } = requestThread(t)
  const held = [ask('never', { bytes: 16 * mebibyte }), ask('never', { bytes: 16 * mebibyte })]
  await t.rejects(ask('a'), { code: 'RATE_LIMITED', message: /may have 33554432 bytes in all/ })
  t.match(await ask('a', { credential: 'k2' }), { status: 200 })
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one) }))
  await t.rejects(ask('die', { credential: 'k2' }))
  await lost
  t.match(await ask('a', { bytes: 16 * mebibyte }), { status: 200 }, 'and it again, once they are over')
})

t.test('all together may have 64 MiB in hand', async (t) => {
  const { ask, close } = requestThread(t)
  const held = ['k1', 'k1', 'k2', 'k2'].map((credential) => ask('never', { bytes: 16 * mebibyte, credential }))
  await t.rejects(ask('a', { credential: 'k3' }), { code: 'SERVICE_UNAVAILABLE' })
  const lost = Promise.all(held.map(async (one) => { await t.rejects(one, { code: 'SERVICE_UNAVAILABLE' }) }))
  await close()
  await lost
})

t.test('one that was never needed closes', async (t) => {
  await requestThread(t).close()
  t.pass()
})
