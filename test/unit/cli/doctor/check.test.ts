import t from 'tap'
import { examine, fail, ok, warn, type Check, type Outcome } from '../../../../src/cli/doctor/check.js'

const check = (name: string, outcome: Outcome | (() => Promise<Outcome>), more: Partial<Check> = {}): Check =>
  ({ name, limitMs: 60_000, fix: `mend ${name}`, run: async () => typeof outcome === 'function' ? await outcome() : outcome, ...more })

t.test('checks run one after the other, and each says what came of it', async (t) => {
  t.strictSame(await examine({ checks: [check('a', ok('fine')), check('b', warn('slow', 'hurry')), check('c', fail('missing', 'make it'))] }), [
    { name: 'a', status: 'ok', detail: 'fine', fix: null },
    { name: 'b', status: 'warn', detail: 'slow', fix: 'hurry' },
    { name: 'c', status: 'fail', detail: 'missing', fix: 'make it' }
  ])
})

t.test('a check that throws has failed, in one line, and is mended by its own fix', async (t) => {
  t.strictSame(await examine({ checks: [check('a', async () => { throw new Error('no\n  such thing') })] }),
    [{ name: 'a', status: 'fail', detail: 'no such thing', fix: 'mend a' }])
})

t.test('a check that hangs has failed when its time is over, and the next one is tried', async (t) => {
  let aborted = false
  const hangs = check('a', ok(''), {
    limitMs: 20,
    run: async (signal) => await new Promise<Outcome>(() => { signal.addEventListener('abort', () => { aborted = true }) })
  })
  t.strictSame(await examine({ checks: [hangs, check('b', ok('fine'))] }), [
    { name: 'a', status: 'fail', detail: 'no answer within 0.02 s', fix: 'mend a' }, { name: 'b', status: 'ok', detail: 'fine', fix: null }
  ])
  t.ok(aborted, 'and is told to end')
})

t.test('behind a gate that is shut, and an end, nothing is tried', async (t) => {
  const never = check('never', async () => { t.fail('it was tried'); return ok('') })
  t.strictSame((await examine({ checks: [check('gate', fail('shut', 'open it'), { gate: true }), never] })).map(({ name }) => name), ['gate'])
  t.strictSame(await examine({ checks: [check('end', { ...ok('nothing'), ends: true }), never] }), [{ name: 'end', status: 'ok', detail: 'nothing', fix: null }])
  t.equal((await examine({ checks: [check('gate', warn('ajar', 'open it'), { gate: true }), check('next', ok(''))] })).length, 2)
})

t.test('the area is closed, and one that cannot be takes nothing away from the findings', async (t) => {
  let closed = 0
  const close = async (): Promise<void> => {
    closed++
    throw new Error('stuck')
  }
  t.equal((await examine({ checks: [check('a', ok('fine'))], close })).length, 1)
  t.equal(closed, 1)
})
