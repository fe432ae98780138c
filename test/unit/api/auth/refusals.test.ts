import t from 'tap'
import { createRefusals } from '../../../../src/api/auth/refusals.js'
import type { Principal } from '../../../../src/domain/access.js'
import { forbidden, unauthenticated } from '../../../../src/errors.js'
import { recordingLog } from '../../../support/log.js'

function setUp () {
  const { log, entries } = recordingLog()
  const audited: string[] = []
  const state = { nowMs: 0 }
  const refusals = createRefusals({ auditEvents: { refused: async (vendorId) => { audited.push(vendorId) } }, metrics: undefined, monotonicMs: () => state.nowMs })
  const operation = async (vendorId: string, keyId: string): Promise<void> => {
    const by: Principal = { kind: 'integration-key', keyId, vendorId, permissions: new Set() }
    await refusals.operation(by, { action: 'upsertProducts', vendorId, target: undefined }, forbidden('No'), log)
  }
  const credential = (ip: string): void => { refusals.credential({ ip, log }, unauthenticated('No', { reason: 'unknown-key' })) }
  return { operation, credential, audited, entries, state }
}

t.test('a vendor with many keys takes no place of another on the audit trail', async (t) => {
  const { operation, audited } = setUp()
  for (let key = 0; key < 500; key++) for (let n = 0; n < 10; n++) await operation('loud', `k${key}`)
  await operation('quiet', 'k')
  t.equal(audited.filter((vendorId) => vendorId === 'loud').length, 100, 'and has a bound of its own')
  t.equal(audited.at(-1), 'quiet')
})

t.test('a vendor has its audit trail back a minute later', async (t) => {
  const { operation, audited, state } = setUp()
  for (let key = 0; key < 100; key++) for (let n = 0; n < 10; n++) await operation('loud', `k${key}`)
  audited.length = 0
  state.nowMs = 60_000
  await operation('loud', 'k0')
  t.strictSame(audited, ['loud'])
})

t.test('the log says how many were left out, also of those who are not in it', async (t) => {
  const { credential, operation, entries, state } = setUp()
  for (let n = 0; n < 1_000; n++) {
    credential(`198.51.100.${n % 250}`)
    await operation('shop', `k${n}`)
  }
  t.equal(entries.length, 200)
  entries.length = 0
  state.nowMs = 60_000
  credential('203.0.113.1')
  await operation('shop', 'k')
  t.match(entries, [{ msg: 'a credential was refused', leftOut: 0, leftOutOfAll: 900 }, { msg: 'an operation was refused', leftOut: 0, leftOutOfAll: 900 }])
})
