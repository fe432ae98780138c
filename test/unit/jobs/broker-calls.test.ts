import t from 'tap'
import { createBrokerCalls } from '../../../src/jobs/broker-calls.js'
import { createGate } from '../../support/eventually.js'

const never = new AbortController().signal

t.test('who asks the same shares one call and its answer; what is asked later is asked anew', async (t) => {
  const { ask } = createBrokerCalls()
  let calls = 0
  const call = async (): Promise<number> => ++calls
  t.strictSame(await Promise.all([ask('a', call), ask('a', call)]), [1, 1])
  t.equal(await ask('a', call), 2)
})

t.test('one call is under way at a time, whatever it asks', async (t) => {
  const { ask, inTurn } = createBrokerCalls()
  let underWay = 0
  let most = 0
  const call = async (): Promise<void> => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay -= 1
  }
  await Promise.all([ask('a', call), ask('b', call), inTurn(call, never), ask('c', call), inTurn(call, never)])
  t.equal(most, 1)
})

t.test('where no answer came nobody asks for a while, whatever it is: all are told that error', async (t) => {
  let nowMs = 0
  const { ask } = createBrokerCalls({ pauseMs: 5_000, monotonicMs: () => nowMs })
  const away = new Error('away')
  const noAnswer = async (): Promise<never> => { throw away }
  const notExpected = async (): Promise<never> => { throw new Error('It was asked') }
  const failed = t.rejects(ask('a', noAnswer), away)
  await t.rejects(ask('b', notExpected), away, 'it had waited for its turn')
  await failed
  nowMs = 4_999
  await t.rejects(ask('a', notExpected), away)
  nowMs = 5_000
  t.equal(await ask('a', async () => 'there'), 'there')
})

t.test('who stops waiting for its turn is let go at once, and its call is not made', async (t) => {
  const { inTurn } = createBrokerCalls()
  const gate = createGate()
  const first = inTurn(async () => { await gate.passed }, never)
  const abort = new AbortController()
  let isMade = false
  const second = inTurn(async () => { isMade = true }, abort.signal)
  abort.abort(new Error('closing'))
  await t.rejects(second, { message: 'closing' })
  gate.open()
  await first
  await inTurn(async () => {}, never)
  t.notOk(isMade)
})

t.test('a call that has begun goes on to its end', async (t) => {
  const { inTurn } = createBrokerCalls()
  const abort = new AbortController()
  t.equal(await inTurn(async () => {
    abort.abort(new Error('closing'))
    return 'answer'
  }, abort.signal), 'answer')
})
