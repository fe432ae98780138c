import t from 'tap'
import { abortable } from '../../../../src/api/graphql/abortable.js'

const waitFor = async (signal: AbortSignal): Promise<void> => {
  await new Promise<void>((resolve) => { signal.addEventListener('abort', () => { resolve() }) })
}

t.test('return() ends a generator that waits', async (t) => {
  let ended = false
  const values = abortable(async function * (signal) {
    try {
      yield 1
      await waitFor(signal)
    } finally {
      ended = true
    }
  })
  t.equal((await values.next()).value, 1)
  const pending = values.next()
  await values.return?.()
  t.equal((await pending).done, true)
  t.equal(ended, true)
})

t.test('so does the signal from outside', async (t) => {
  const outside = new AbortController()
  const values = abortable(async function * (signal) {
    await waitFor(signal)
  }, outside.signal)
  const pending = values.next()
  outside.abort()
  t.equal((await pending).done, true)
})

t.test('an error reaches who reads', async (t) => {
  const values = abortable(async function * () { throw new Error('broken') })
  await t.rejects(values.next(), { message: 'broken' })
})
