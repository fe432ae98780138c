/** Recovery finds what no hint moves; that it sends hints again is in system/import-hints-are-only-hints. */
import t from 'tap'
import { startRecovery, type WaitingVendor } from '../../../src/jobs/recovery.js'
import { eventually } from '../../support/eventually.js'
import { silent } from '../../support/log.js'

t.test('a vendor that nothing has moved for long is looked at without Kafka, one that moves is not', async (t) => {
  const here: string[] = []
  let round = 0
  async function * waiting (): AsyncGenerator<WaitingVendor> {
    round += 1
    yield { vendorId: 'unheard', jobId: '1', mark: 'same' }
    yield { vendorId: 'at work', jobId: '2', mark: String(round) }
  }
  const recovery = startRecovery({
    waiting, wake: () => { /* no topic: the hint goes nowhere */ }, wakeHere: async (vendorId) => { here.push(vendorId) }, log: silent, everyMs: 5, stillMs: 20
  })
  t.teardown(async () => { await recovery.stop() })
  t.strictSame(here, [], 'not at once')
  await eventually('it is looked at', () => here.length > 0 && round > 10)
  t.strictSame([...new Set(here)], ['unheard'])
})

t.test('a worker that fails does not end recovery', async (t) => {
  let woken = 0
  async function * waiting (): AsyncGenerator<WaitingVendor> { yield { vendorId: 'v', jobId: '1', mark: 'same' } }
  const recovery = startRecovery({
    waiting,
    wake: () => {},
    wakeHere: async () => {
      woken += 1
      throw new Error('shutting down')
    },
    log: silent,
    everyMs: 5,
    stillMs: 5
  })
  t.teardown(async () => { await recovery.stop() })
  await eventually('it is woken again', () => woken > 1)
  t.ok(woken > 1)
})
