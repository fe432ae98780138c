import { mock } from 'node:test'
import t from 'tap'
import { createAuthenticator } from '../../../../src/api/auth/authenticator.js'
import { createTokenVerifier } from '../../../../src/api/auth/token-verifier.js'
import type { IntegrationApiKey, User, UserApiKey } from '../../../../src/domain/access.js'
import { createIntegrationKey, createUserKey } from '../../../../src/domain/api-key.js'
import type { Repositories } from '../../../../src/store/repositories.js'
import { accessToken, tokenSecret } from '../test-api.js'
import { silent } from '../../../support/log.js'

const refused = { code: 'UNAUTHENTICATED' }

function setUp ({ key: keyChanges = {}, userKey: userKeyChanges = {} }: { key?: Partial<IntegrationApiKey>, userKey?: Partial<UserApiKey> } = {}) {
  const { key, ...stored } = createIntegrationKey()
  const { key: userKey, ...storedForUser } = createUserKey()
  const dates = { createdAt: new Date(0), lastUsedAt: null, revokedAt: null }
  const record: IntegrationApiKey = { _id: 'k1', vendorId: 'shop', name: 'n', ...stored, permissions: ['PRODUCT_MANAGE'], ...dates, ...keyChanges }
  const userRecord: UserApiKey = { _id: 'k2', userId: 'ada', name: 'n', ...storedForUser, ...dates, expiresAt: null, ...userKeyChanges }
  const ada: User = { _id: 'ada', email: 'ada@example.com', memberships: [{ vendorId: 'shop', role: 'member', permissions: ['VIEW_NPS'] }], createdAt: new Date(0) }
  const state = { nowMs: 1_000, lookUps: 0, touches: 0, failing: null as Error | null, users: new Map([['ada', ada]]) }
  const answer = <T>(record: T | null): T | null => {
    state.lookUps++
    if (state.failing !== null) throw state.failing
    return record
  }
  async function touch (): Promise<void> {
    state.touches++
    if (state.failing !== null) throw state.failing
  }
  const repositories = {
    integrationApiKeys: { findByHash: async (hash: string) => answer(hash === record.hash ? { ...record } : null), touch },
    userApiKeys: { findByHash: async (hash: string) => answer(hash === userRecord.hash ? { ...userRecord } : null), touch },
    users: { find: async (id: string) => answer(state.users.get(id) ?? null) }
  } as unknown as Repositories
  const authenticator = createAuthenticator({
    repositories,
    verifyToken: createTokenVerifier({ keys: { secret: tokenSecret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 }),
    log: silent,
    monotonicMs: () => state.nowMs
  })
  const authenticate = async (apiKey = key) => await authenticator.authenticate({ apiKey, authorization: undefined })
  const bearer = async (token = userKey) => await authenticator.authenticate({ apiKey: undefined, authorization: `Bearer ${token}` })
  return { authenticator, authenticate, bearer, key, userKey, record, userRecord, ada, state }
}

t.test('a known key gives its principal', async (t) => {
  const { authenticate } = setUp()
  t.strictSame(await authenticate(), { kind: 'integration-key', keyId: 'k1', vendorId: 'shop', permissions: new Set(['PRODUCT_MANAGE']) })
})

t.test('a key without the right checksum is refused without a look-up', async (t) => {
  const { authenticate, bearer, state } = setUp()
  for (const wrong of ['', 'svc_x', `svc_${'a'.repeat(49)}`]) await t.rejects(authenticate(wrong), refused)
  for (const wrong of ['svc_x', `svc_u_${'a'.repeat(49)}`]) await t.rejects(bearer(wrong), refused)
  t.equal(state.lookUps, 0)
})

t.test('a key is looked up once in a while, also when many ask at once', async (t) => {
  const { authenticate, state } = setUp()
  await Promise.all([authenticate(), authenticate(), authenticate()])
  await authenticate()
  t.equal(state.lookUps, 1)
  state.nowMs += 3_000
  await authenticate()
  t.equal(state.lookUps, 2)
})

t.test('a key is refused 5 s after its revoke, and at once when it was not remembered', async (t) => {
  const { authenticate, record, state } = setUp()
  await authenticate()
  record.revokedAt = new Date()
  state.nowMs += 3_000
  await t.rejects(authenticate(), refused)
  const fresh = setUp({ key: { revokedAt: new Date() } })
  await t.rejects(fresh.authenticate(), refused)
})

t.test('an integration key that has expired is refused, also while it is remembered', async (t) => {
  const expiresAt = new Date(Date.now() + 60_000)
  const { authenticate } = setUp({ key: { expiresAt } })
  t.match(await authenticate(), { keyId: 'k1' })
  t.intercept(Date, 'now', { value: () => expiresAt.getTime() })
  await t.rejects(authenticate(), refused)
})

t.test('a key that this process has revoked is refused at once', async (t) => {
  const { authenticator, authenticate, bearer, record, userRecord } = setUp()
  await authenticate()
  await bearer()
  for (const key of [record, userRecord]) {
    key.revokedAt = new Date()
    authenticator.forgetKey(key.hash)
  }
  await t.rejects(authenticate(), refused)
  await t.rejects(bearer(), refused)
})

t.test('a look-up that began before the revoke is not remembered after it', async (t) => {
  const { authenticator, authenticate, record } = setUp()
  const before = authenticate()
  record.revokedAt = new Date()
  authenticator.forgetKey(record.hash)
  await before
  await t.rejects(authenticate(), refused)
})

t.test('unknown keys are remembered, too', async (t) => {
  const { authenticate, state } = setUp()
  const { key } = createIntegrationKey()
  await t.rejects(authenticate(key), refused)
  await t.rejects(authenticate(key), refused)
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
  const { authenticate, state } = setUp({ key: { lastUsedAt: new Date() } })
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

t.test('a user\'s key and access token give the user, with the memberships it has now', async (t) => {
  const { bearer, ada, state } = setUp()
  t.strictSame(await bearer(), { kind: 'user', userId: 'ada', keyId: 'k2', memberships: ada.memberships })
  t.strictSame(await bearer(await accessToken('ada')), { kind: 'user', userId: 'ada', keyId: null, memberships: ada.memberships })
  state.users.set('ada', { ...ada, memberships: [] })
  state.nowMs += 3_000
  t.match(await bearer(), { memberships: [] })
})

t.test('an expired key is refused, also while it is remembered', async (t) => {
  const { bearer, userRecord } = setUp({ userKey: { expiresAt: new Date(Date.now() + 60_000) } })
  await bearer()
  await t.rejects(setUp({ userKey: { expiresAt: new Date(Date.now() - 1) } }).bearer(), refused)
  userRecord.expiresAt?.setTime(Date.now() - 1)
  await t.rejects(bearer(), refused)
})

t.test('a user who is gone is refused, by key and by token', async (t) => {
  const { bearer, state } = setUp()
  state.users.clear()
  await t.rejects(bearer(), refused)
  await t.rejects(bearer(await accessToken('ada')), refused)
})

t.test('a forged token costs no look-up', async (t) => {
  const { bearer, state } = setUp()
  for (const token of ['x', 'a.b.c', await accessToken('ada', { secret: 'another secret of 32 characters or so' })]) await t.rejects(bearer(token), refused)
  t.equal(state.lookUps, 0)
})

t.test('a key in the other kind\'s header is refused', async (t) => {
  const { authenticate, bearer, key, userKey } = setUp()
  await t.rejects(authenticate(userKey), refused)
  await t.rejects(bearer(key), refused)
})

t.test('no scheme but Bearer counts, whatever its case', async (t) => {
  const { authenticator, userKey } = setUp()
  for (const authorization of [`Basic ${userKey}`, userKey, 'Bearer', `Bearer ${userKey} x`, `Bearer${userKey}`]) {
    await t.rejects(authenticator.authenticate({ apiKey: undefined, authorization }), refused, authorization)
  }
  await t.resolves(authenticator.authenticate({ apiKey: undefined, authorization: `bearer ${userKey}` }))
})

t.test('an integration key wins over a bearer token', async (t) => {
  const { authenticator, key, userKey } = setUp()
  t.match(await authenticator.authenticate({ apiKey: key, authorization: `Bearer ${userKey}` }), { kind: 'integration-key' })
  await t.rejects(authenticator.authenticate({ apiKey: 'svc_x', authorization: `Bearer ${userKey}` }), refused)
})

t.test('who was just authenticated is recalled without asking anybody, and nobody else is', async (t) => {
  const { authenticator, authenticate, bearer, key, userKey, state } = setUp()
  const token = await accessToken('ada')
  const all = [
    { apiKey: key, authorization: undefined }, { apiKey: undefined, authorization: `Bearer ${userKey}` }, { apiKey: undefined, authorization: `Bearer ${token}` }
  ]
  for (const credentials of all) t.equal(authenticator.recall(credentials), null, 'not before')
  const principals = [await authenticate(), await bearer(), await bearer(token)]
  const { lookUps } = state
  t.strictSame(all.map((credentials) => authenticator.recall(credentials)), principals)
  t.equal(state.lookUps, lookUps)
  for (const credentials of [
    { apiKey: userKey, authorization: undefined }, { apiKey: token, authorization: undefined }, { apiKey: undefined, authorization: `Bearer ${key}` }, { apiKey: undefined, authorization: undefined },
    { apiKey: createIntegrationKey().key, authorization: `Bearer ${userKey}` }
  ]) t.equal(authenticator.recall(credentials), null)
})

t.test('nobody is recalled after 3 s, nor a key that has been changed here', async (t) => {
  const { authenticator, authenticate, bearer, key, record, userKey, state } = setUp()
  const token = await accessToken('ada')
  const all = [
    { apiKey: key, authorization: undefined }, { apiKey: undefined, authorization: `Bearer ${userKey}` }, { apiKey: undefined, authorization: `Bearer ${token}` }
  ]
  await Promise.all([authenticate(), bearer(), bearer(token)])
  state.nowMs += 3_000
  t.strictSame(all.map((credentials) => authenticator.recall(credentials)), [null, null, null])
  await authenticate()
  authenticator.forgetKey(record.hash)
  t.equal(authenticator.recall({ apiKey: key, authorization: undefined }), null)
})

t.test('a key or token that ends meanwhile is not recalled', async (t) => {
  const endsAt = new Date(Date.now() + 200)
  const { authenticator, bearer, userKey } = setUp({ userKey: { expiresAt: endsAt } })
  const token = await accessToken('ada', { expiresIn: '1s' })
  await Promise.all([bearer(), bearer(token)])
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 2_000 })
  t.teardown(() => { mock.timers.reset() })
  for (const credential of [userKey, token]) t.equal(authenticator.recall({ apiKey: undefined, authorization: `Bearer ${credential}` }), null)
})

t.test('a user that is gone is not recalled by a token that is still good', async (t) => {
  const { authenticator, bearer, state } = setUp()
  const token = await accessToken('ada')
  await bearer(token)
  state.users.clear()
  state.nowMs += 2_999
  await bearer()
  state.nowMs += 2
  await t.rejects(bearer(token), refused)
  t.equal(authenticator.recall({ apiKey: undefined, authorization: `Bearer ${token}` }), null)
})
