import t from 'tap'
import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb'
import { fatal, unavailable } from '../../../../src/errors.js'
import { createPatience } from '../../../../src/store/database/while-away.js'
import { silent } from '../../../support/log.js'

const signal = new AbortController().signal

/** Fails with each of these, then gives 'done'. */
function failing (...errors: Error[]): { operation: () => Promise<string>, calls: () => number } {
  let calls = 0
  return {
    calls: () => calls,
    async operation () {
      const error = errors[calls++]
      if (error !== undefined) throw error
      return 'done'
    }
  }
}

t.test('a database that is away is waited for, and each repetition is told before', async (t) => {
  let retries = 0
  const { operation, calls } = failing(new MongoNetworkError('gone'), new MongoServerError({ message: 'stepped down', code: 10107 }))
  t.equal(await createPatience(signal, silent, () => { retries += 1 })(operation), 'done')
  t.strictSame([calls(), retries], [3, 2])
})

const panic = new MongoServerError({ message: 'WiredTiger error: WtError { code: -31804, message: "WT_PANIC: WiredTiger library panic" }', code: 1 })
const internal = new MongoServerError({ message: 'internal server error', code: 1 })

t.test('storage that has given up is waited for, until its server has been restarted', async (t) => {
  const { operation, calls } = failing(panic, internal, new MongoNetworkError('restarting'), internal)
  t.equal(await createPatience(signal, silent)(operation), 'done')
  t.equal(calls(), 5)
})

t.test('a command that a server cannot do looks the same, and is not repeated for ever', async (t) => {
  const { operation, calls } = failing(internal, internal)
  await t.rejects(createPatience(signal, silent, undefined, 1)(operation), internal)
  t.equal(calls(), 2)
})

t.test('what may be had later is waited for', async (t) => {
  const { operation, calls } = failing(unavailable('others are faster'), unavailable('others are faster'))
  t.equal(await createPatience(signal, silent)(operation), 'done')
  t.equal(calls(), 3)
})

t.test('an operation that is too slow is repeated, but not for ever', async (t) => {
  const slow = (): Error => new MongoNetworkTimeoutError('connection 1 timed out')
  const once = failing(slow())
  t.equal(await createPatience(signal, silent)(once.operation), 'done')
  const always = failing(...Array.from({ length: 10 }, slow))
  await t.rejects(createPatience(signal, silent)(always.operation), { message: /timed out/ })
  t.equal(always.calls(), 3)
})

for (const [what, error] of Object.entries({
  'a duplicate key': new MongoServerError({ message: 'duplicate', code: 11000 }), 'a command that is wrong': new MongoServerError({ message: 'no', code: 2 }), 'a bug': new TypeError('x'),
  'what can never succeed': fatal('no')
})) {
  t.test(`${what} is not waited out`, async (t) => {
    const { operation, calls } = failing(error)
    await t.rejects(createPatience(signal, silent)(operation), error)
    t.equal(calls(), 1)
  })
}

t.test('an abort ends the waiting', async (t) => {
  const abort = new AbortController()
  const patience = createPatience(abort.signal, silent, () => { abort.abort(new Error('stop')) })
  const { operation, calls } = failing(...Array.from({ length: 100 }, () => new MongoNetworkError('gone')))
  await t.rejects(patience(operation))
  t.equal(calls(), 1)
})

t.test('nothing is begun after an abort', async (t) => {
  const { operation, calls } = failing()
  await t.rejects(createPatience(AbortSignal.abort(new Error('stop')), silent)(operation), new Error('stop'))
  t.equal(calls(), 0)
})
