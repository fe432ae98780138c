import t from 'tap'
import { createRemembered } from '../../../src/api/remembered.js'

function counting () {
  const state = { nowMs: 0, asked: 0, failing: false }
  const ask = createRemembered(async () => {
    state.asked++
    if (state.failing) throw new Error('no answer')
    return state.asked
  }, { forMs: 1_000, monotonicMs: () => state.nowMs })
  return { ask, state }
}

t.test('all who ask at once get one answer, and so do those who ask soon after', async (t) => {
  const { ask, state } = counting()
  t.strictSame(await Promise.all([ask(), ask(), ask()]), [1, 1, 1])
  state.nowMs = 999
  t.equal(await ask(), 1)
  t.equal(state.asked, 1)
})

t.test('after its time it is found out anew', async (t) => {
  const { ask, state } = counting()
  await ask()
  state.nowMs = 1_000
  t.strictSame(await Promise.all([ask(), ask()]), [2, 2])
})

t.test('a failure is told to all who asked, and not remembered', async (t) => {
  const { ask, state } = counting()
  state.failing = true
  for (const result of await Promise.allSettled([ask(), ask()])) t.equal(result.status, 'rejected')
  t.equal(state.asked, 1)
  state.failing = false
  t.equal(await ask(), 2)
})
