import pino from 'pino'
import t from 'tap'
import { createAuthenticator } from '../../../../src/api/auth/authenticator.js'
import type { IntegrationApiKey } from '../../../../src/domain/access.js'
import { createIntegrationKey } from '../../../../src/domain/api-key.js'
import type { IntegrationApiKeys } from '../../../../src/store/integration-api-keys.js'

function setUp (changes: Partial<IntegrationApiKey> = {}) {
  const { key, hash, hint } = createIntegrationKey()
  const record: IntegrationApiKey = {
    _id: 'k1', vendorId: 'shop', name: 'n', hash, hint, permissions: ['PRODUCT_MANAGE'], createdAt: new Date(0), lastUsedAt: null, revokedAt: null, ...changes
  }
  const state = { nowMs: 1_000, lookUps: 0, touches: 0, failing: null as Error | null }
  const keys: IntegrationApiKeys = {
    create: async () => { throw new Error('not expected') },
    revoke: async () => { throw new Error('not expected') },
    async findByHash (wanted) {
      state.lookUps++
      if (state.failing !== null) throw state.failing
      return wanted === hash ? { ...record } : null
    },
    async touch () {
      state.touches++
      if (state.failing !== null) throw state.failing
    }
  }
  const authenticator = createAuthenticator({ keys, log: pino({ level: 'silent' }), monotonicMs: () => state.nowMs })
  const authenticate = async (apiKey = key) => await authenticator.authenticate({ apiKey, authorization: undefined })
  return { authenticator, authenticate, record, state }
}

t.test('a known key gives its caller', async (t) => {
  const { authenticate } = setUp()
  t.strictSame(await authenticate(), { kind: 'integration-key', keyId: 'k1', vendorId: 'shop', permissions: new Set(['PRODUCT_MANAGE']) })
})

t.test('a key without the right checksum is refused without a look-up', async (t) => {
  const { authenticate, state } = setUp()
  for (const wrong of ['', 'svc_x', `svc_${'a'.repeat(49)}`]) await t.rejects(authenticate(wrong), { code: 'UNAUTHENTICATED' })
  t.equal(state.lookUps, 0)
})

t.test('a key is looked up once in a while, also when many ask at once', async (t) => {
  const { authenticate, state } = setUp()
  await Promise.all([authenticate(), authenticate(), authenticate()])
  await authenticate()
  t.equal(state.lookUps, 1)
  state.nowMs += 5_000
  await authenticate()
  t.equal(state.lookUps, 2)
})

t.test('a key is refused 5 s after its revoke, and at once when it was not remembered', async (t) => {
  const { authenticate, record, state } = setUp()
  await authenticate()
  record.revokedAt = new Date()
  state.nowMs += 5_000
  await t.rejects(authenticate(), { code: 'UNAUTHENTICATED' })
  const fresh = setUp({ revokedAt: new Date() })
  await t.rejects(fresh.authenticate(), { code: 'UNAUTHENTICATED' })
})

t.test('unknown keys are remembered, too', async (t) => {
  const { authenticate, state } = setUp()
  const { key } = createIntegrationKey()
  await t.rejects(authenticate(key), { code: 'UNAUTHENTICATED' })
  await t.rejects(authenticate(key), { code: 'UNAUTHENTICATED' })
  t.equal(state.lookUps, 1)
})

t.test('a flood of unknown keys does not push the known ones out', async (t) => {
  const { authenticate, state } = setUp()
  await authenticate()
  for (let n = 0; n < 1_100; n++) await authenticate(createIntegrationKey().key).catch(() => { /* refused, as it should be */ })
  const before = state.lookUps
  await authenticate()
  t.equal(state.lookUps, before)
})

t.test('a look-up that failed is not remembered', async (t) => {
  const { authenticate, state } = setUp()
  state.failing = new Error('away')
  await t.rejects(authenticate(), { message: 'away' })
  state.failing = null
  await t.resolves(authenticate())
})

t.test('a use is recorded at most once a minute', async (t) => {
  const { authenticate, state } = setUp()
  await authenticate()
  await authenticate()
  t.equal(state.touches, 1)
  state.nowMs += 60_000
  await authenticate()
  t.equal(state.touches, 2)
})

t.test('a use that another process has just recorded is not recorded again', async (t) => {
  const { authenticate, state } = setUp({ lastUsedAt: new Date() })
  await authenticate()
  t.equal(state.touches, 0)
})

t.test('a use that cannot be recorded refuses nobody', async (t) => {
  const { authenticate, authenticator, state } = setUp()
  const answer = authenticate()
  process.nextTick(() => { state.failing = new Error('away') })
  await t.resolves(answer)
  await t.resolves(authenticator.close())
})
