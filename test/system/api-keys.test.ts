/** Keys made and revoked over GraphQL, and the audit trail of it (decisions.md, Access). */
import t from 'tap'
import { createUserKey, hashKey, isIntegrationKey, isUserKey } from '../../src/domain/api-key.js'
import { eventually } from '../support/eventually.js'
import { accessToken, testApi } from '../unit/api/test-api.js'

let nowMs = 0
const api = await testApi(t, { monotonicMs: () => nowMs })
for (const vendorId of ['shop', 'other']) await api.repositories.vendors.create(vendorId, vendorId)
const bearer = (token: string, vendorId?: string) => ({ authorization: `Bearer ${token}`, ...vendorId === undefined ? {} : { 'x-vendor-id': vendorId } })
const owner = bearer(await api.tokenOf('olga', [{ vendorId: 'shop', role: 'owner', permissions: [] }]))
const admin = bearer(await api.tokenOf('adam', [{ vendorId: 'shop', role: 'admin', permissions: [] }]))
const member = bearer(await api.tokenOf('mia', [{ vendorId: 'shop', role: 'member', permissions: ['PRODUCT_MANAGE'] }]))
const stranger = bearer(await api.tokenOf('otto', [{ vendorId: 'other', role: 'owner', permissions: [] }]))

const createKey = 'mutation ($input: CreateIntegrationApiKeyInput!) { createIntegrationApiKey(input: $input) { key apiKey { id vendorId name hint permissions createdAt lastUsedAt revokedAt } } }'
const keyInput = (changes: object = {}) => ({ input: { vendorId: 'shop', name: 'sync', permissions: ['PRODUCT_MANAGE'], ...changes } })
const revokeKey = 'mutation ($id: ID!) { revokeIntegrationApiKey(id: $id) { id revokedAt } }'
const updateKey = 'mutation ($input: UpdateIntegrationApiKeyInput!) { updateIntegrationApiKey(input: $input) { name permissions } }'
const createOwn = 'mutation ($input: CreateUserApiKeyInput!) { createUserApiKey(input: $input) { key apiKey { id name hint expiresAt } } }'
const products = '{ products { totalCount } }'

interface Made { key: string, apiKey: { id: string, expiresAt: string | null } }

/** What one of the creating mutations answers. */
async function make (headers: Record<string, string>, query: string, variables: object): Promise<Made> {
  const { data } = await api.send(headers, query, variables)
  return Object.values(data as Record<string, Made>)[0] as Made
}

interface Event { id: string, at: string }
const eventsOf = async (headers: Record<string, string>, query: string): Promise<Event[]> =>
  (await api.send(headers, query)).data.auditEvents.nodes as Event[]

t.test('an owner makes an integration key, which works at once and is shown once', async (t) => {
  const { key, apiKey } = await make(owner, createKey, keyInput({ permissions: ['PRODUCT_MANAGE', 'VIEW_NPS', 'VIEW_NPS'] }))
  t.ok(isIntegrationKey(key))
  t.match(apiKey, { vendorId: 'shop', name: 'sync', hint: key.slice(-4), permissions: ['PRODUCT_MANAGE', 'VIEW_NPS'], lastUsedAt: null, revokedAt: null })
  t.equal((await api.graphql(key, products)).errors, undefined)
  const listed = await api.send(admin, '{ integrationApiKeys(vendorId: "shop") { id name hint } }')
  t.match(listed.data.integrationApiKeys, [{ id: apiKey.id }])
  t.notMatch(JSON.stringify(listed), key)
})

t.test('a revoke over the API counts at once in the same process', async (t) => {
  const { key, apiKey: { id } } = await make(admin, createKey, keyInput())
  t.equal((await api.graphql(key, products)).errors, undefined)
  const first = await api.send(admin, revokeKey, { id })
  t.type(first.data.revokeIntegrationApiKey.revokedAt, 'string')
  t.match((await api.graphql(key, products)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
  t.strictSame(await api.send(admin, revokeKey, { id }), first, 'again is harmless')
})

t.test('permissions and names are edited, and count at once; what is left out or null stays', async (t) => {
  const { key, apiKey: { id } } = await make(owner, createKey, keyInput())
  const input = { id, permissions: ['VIEW_PII'], name: null }
  t.strictSame((await api.send(owner, updateKey, { input })).data.updateIntegrationApiKey, { name: 'sync', permissions: ['VIEW_PII'] })
  t.match((await api.graphql(key, products)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.strictSame((await api.send(owner, updateKey, { input: { id, name: 'new' } })).data.updateIntegrationApiKey, { name: 'new', permissions: ['VIEW_PII'] })
  t.match((await api.send(owner, updateKey, { input: { id, name: ' ' } })).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'name' } }])
})

t.test('members, keys and other vendors manage no integration keys', async (t) => {
  const key = await api.keyOf('shop', ['PRODUCT_MANAGE'])
  for (const headers of [member, stranger, { 'x-vendor-api-key': key }]) {
    for (const [query, variables] of [[createKey, keyInput()], ['{ integrationApiKeys(vendorId: "shop") { id } }', {}], ['{ auditEvents(vendorId: "shop") { totalCount } }', {}]] as const) {
      t.match((await api.send(headers, query, variables)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
    }
  }
})

t.test('another vendor\'s key is not found, and stays as it is', async (t) => {
  const key = await api.keyOf('shop')
  const record = await api.repositories.integrationApiKeys.findByHash(hashKey(key))
  const id = record?._id
  t.match((await api.send(stranger, revokeKey, { id })).errors, [{ extensions: { code: 'NOT_FOUND' } }])
  t.match((await api.send(stranger, updateKey, { input: { id, permissions: [] } })).errors, [{ extensions: { code: 'NOT_FOUND' } }])
  t.strictSame(await api.repositories.integrationApiKeys.findByHash(hashKey(key)), record)
})

t.test('a user\'s key is the user, as its permissions are now', async (t) => {
  const { key, apiKey } = await make(member, createOwn, { input: { name: 'script' } })
  t.ok(isUserKey(key))
  t.match(apiKey, { name: 'script', hint: key.slice(-4), expiresAt: null })
  t.equal((await api.send(bearer(key), products)).errors, undefined)
  await api.repositories.users.grant('mia', { vendorId: 'shop', role: 'member', permissions: [] })
  nowMs += 5_000
  t.match((await api.send(bearer(key), products)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  await api.repositories.users.grant('mia', { vendorId: 'shop', role: 'member', permissions: ['PRODUCT_MANAGE'] })
  nowMs += 5_000
  t.equal((await api.send(bearer(key), products)).errors, undefined)
  t.match((await api.send(member, '{ userApiKeys { name hint revokedAt } }')).data.userApiKeys, [{ name: 'script', hint: key.slice(-4), revokedAt: null }])
  t.strictSame((await api.send(owner, '{ userApiKeys { name } }')).data.userApiKeys, [], 'nobody else sees it')
})

t.test('a user\'s key ends with its revoke, at once, and only its user can revoke it', async (t) => {
  const { key, apiKey: { id } } = await make(owner, createOwn, { input: { name: 'short-lived' } })
  const revoke = 'mutation ($id: ID!) { revokeUserApiKey(id: $id) { revokedAt } }'
  t.match((await api.send(admin, revoke, { id })).errors, [{ extensions: { code: 'NOT_FOUND' } }])
  t.equal((await api.send(bearer(key), products)).errors, undefined)
  t.equal((await api.send(bearer(key), revoke, { id })).errors, undefined)
  t.match((await api.send(bearer(key), products)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('a user\'s key expires', async (t) => {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const { key, apiKey } = await make(owner, createOwn, { input: { name: 'brief', expiresAt: expiresAt.toISOString() } })
  t.equal(apiKey.expiresAt, expiresAt.toISOString())
  t.equal((await api.send(bearer(key), products)).errors, undefined)
  t.intercept(Date, 'now', { value: () => expiresAt.getTime() })
  t.match((await api.send(bearer(key), products)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('an integration key expires: refused from then on, and listed with when it ends and was last used', async (t) => {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const { key, apiKey } = await make(owner, createKey, keyInput({ expiresAt: expiresAt.toISOString() }))
  t.equal((await api.graphql(key, products)).errors, undefined)
  const keys = async () => (await api.send(admin, '{ integrationApiKeys(vendorId: "shop") { id expiresAt createdBy lastUsedAt } }')).data.integrationApiKeys as Array<{ id: string, lastUsedAt: string | null }>
  const listed = async () => (await keys()).find(({ id }) => id === apiKey.id)
  await eventually('the use is recorded', async () => typeof (await listed())?.lastUsedAt === 'string')
  t.match(await listed(), { expiresAt: expiresAt.toISOString(), createdBy: 'olga' })
  t.intercept(Date, 'now', { value: () => expiresAt.getTime() })
  t.match((await api.graphql(key, products)).errors, [{ message: 'The API key is not valid', extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('an integration key that would end in the past is refused, and so is a time that is none', async (t) => {
  for (const expiresAt of ['2020-01-01T00:00:00Z', new Date().toISOString(), 'tomorrow']) {
    t.match((await api.send(owner, createKey, keyInput({ expiresAt }))).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], expiresAt)
  }
  t.match((await make(owner, createKey, keyInput({ expiresAt: null }))), { key: String })
})

t.test('revoking a user\'s key says which working integration keys its user has made, to it and on the audit trail of their vendor', async (t) => {
  const vendorAdmin = (vendorId: string) => ({ vendorId, role: 'admin' as const, permissions: [] })
  const mallory = bearer(await api.tokenOf('mallory', [vendorAdmin('shop'), vendorAdmin('other')]))
  const { apiKey: { id } } = await make(mallory, createOwn, { input: { name: 'stolen' } })
  const works = await make(mallory, createKey, keyInput({ name: 'left behind' }))
  const ended = await make(mallory, createKey, keyInput({ name: 'ended' }))
  await api.send(owner, revokeKey, { id: ended.apiKey.id })
  const elsewhere = await make(mallory, createKey, keyInput({ vendorId: 'other' }))
  await make(owner, createKey, keyInput({ name: 'another person\'s' }))
  await api.repositories.users.grant('mallory', { vendorId: 'other', role: 'member', permissions: [] })
  nowMs += 5_000
  const revoke = 'mutation ($id: ID!) { revokeUserApiKey(id: $id) { revokedAt integrationApiKeys { id name vendorId revokedAt } } }'
  const { data } = await api.send(mallory, revoke, { id })
  t.strictSame(data.revokeUserApiKey.integrationApiKeys, [{ id: works.apiKey.id, name: 'left behind', vendorId: 'shop', revokedAt: null }])
  for (const [headers, vendorId, left] of [[owner, 'shop', works], [stranger, 'other', elsewhere]] as const) {
    const [event] = (await api.send(headers, 'query ($v: ID!) { auditEvents(vendorId: $v, first: 1) { nodes { action targetId relatedIds outcome } } }', { v: vendorId })).data.auditEvents.nodes as object[]
    t.strictSame(event, { action: 'revokeUserApiKey', targetId: id, relatedIds: [left.apiKey.id], outcome: 'DONE' })
  }
  const [listed] = (await api.send(mallory, '{ userApiKeys { integrationApiKeys { id } } }')).data.userApiKeys as object[]
  t.strictSame(listed, { integrationApiKeys: null })
})

t.test('a key in the past, without a name, or made with a key is refused', async (t) => {
  t.match((await api.send(owner, createOwn, { input: { name: 'late', expiresAt: '2020-01-01' } })).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'expiresAt' } }])
  t.match((await api.send(owner, createOwn, { input: { name: '' } })).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'name' } }])
  const { key } = await make(owner, createOwn, { input: { name: 'parent' } })
  t.match((await api.send(bearer(key), createOwn, { input: { name: 'child' } })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
})

t.test('no key makes or widens a key, not even an owner\'s; a person does, and is told so', async (t) => {
  const { apiKey: { id } } = await make(owner, createKey, keyInput())
  const own = bearer((await make(owner, createOwn, { input: { name: 'stolen' } })).key)
  const refused = [{ message: /takes a person's access token/, extensions: { code: 'FORBIDDEN' } }]
  for (const headers of [own, { 'x-vendor-api-key': await api.keyOf('shop') }]) {
    t.match((await api.send(headers, createKey, keyInput())).errors, refused)
    t.match((await api.send(headers, updateKey, { input: { id, permissions: ['VIEW_PII'] } })).errors, refused)
    t.match((await api.send(headers, updateKey, { input: { id, name: 'other' } })).errors, refused)
    t.match((await api.send(headers, createOwn, { input: { name: 'child' } })).errors, refused)
  }
  const listed = (await api.send(owner, '{ integrationApiKeys(vendorId: "shop") { id name permissions } }')).data.integrationApiKeys as Array<{ id: string }>
  t.match(listed.find((key) => key.id === id), { name: 'sync', permissions: ['PRODUCT_MANAGE'] })
  t.equal((await api.send(own, revokeKey, { id })).errors, undefined, 'it may end one')
})

t.test('an integration key is no user', async (t) => {
  const key = await api.keyOf('shop')
  t.match((await api.graphql(key, '{ userApiKeys { id } }')).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.match((await api.graphql(key, createOwn, { input: { name: 'x' } })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
})

t.test('a user of several vendors says which; the argument wins over the header', async (t) => {
  const both = await api.tokenOf('bea', [{ vendorId: 'shop', role: 'member', permissions: ['PRODUCT_MANAGE'] }, { vendorId: 'other', role: 'member', permissions: [] }])
  t.match((await api.send(bearer(both), products)).errors, [{ message: /X-Vendor-Id/, extensions: { code: 'BAD_USER_INPUT' } }])
  t.equal((await api.send(bearer(both, 'shop'), products)).errors, undefined)
  t.match((await api.send(bearer(both, 'other'), products)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.equal((await api.send(bearer(both, 'other'), '{ products(vendorId: "shop") { totalCount } }')).errors, undefined)
  t.match((await api.send(bearer(both, 'shop'), '{ products(vendorId: "other") { totalCount } }')).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  for (const vendorId of ['nowhere', '', '{"$ne":1}']) {
    t.match((await api.send(bearer(both), 'query ($v: ID!) { products(vendorId: $v) { totalCount } }', { v: vendorId })).errors, [{ extensions: { code: 'FORBIDDEN' } }], vendorId)
  }
  const status = async (vendorId: string) => (await api.app.inject({ url: '/api/v1/products/import/x', headers: bearer(both, vendorId) })).statusCode
  t.strictSame([await status('shop'), await status('other')], [404, 403])
})

t.test('a user of no vendor can do nothing at one', async (t) => {
  const nobody = bearer(await api.tokenOf('nora', []))
  t.match((await api.send(nobody, products)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.strictSame((await api.send(nobody, '{ userApiKeys { id } }')).data, { userApiKeys: [] })
})

t.test('an access token of an unknown user is refused', async (t) => {
  t.match((await api.send(bearer(await accessToken('ghost')), products)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
  t.match((await api.send(bearer(createUserKey().key), products)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('a vendor cannot have keys without end', async (t) => {
  const { integrationApiKeys } = api.repositories
  await api.repositories.vendors.create('greedy', 'greedy')
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 20 }, async () => await integrationApiKeys.create('greedy', 'n', [])))
  await t.rejects(integrationApiKeys.create('greedy', 'n', []), { code: 'LIMIT_EXCEEDED' })
})

const trail = '{ auditEvents(vendorId: "shop", first: 200) { nodes { id at vendorId actor userId keyId action targetId outcome code } totalCount hasNextPage endCursor } }'

t.test('the audit trail names who, what, when and how it ended, and never a secret', async (t) => {
  const { key, apiKey: { id } } = await make(owner, createKey, keyInput({ name: 'audited' }))
  await api.graphql(key, 'mutation { processProductImport(input: { files: ["a.jsonl"], mode: UPDATE }) { jobId } }')
  await api.send(owner, revokeKey, { id: 'nothing' })
  const nodes = await eventsOf(admin, trail)
  const [missed, started, created] = nodes
  t.match(created, { vendorId: 'shop', actor: 'USER', userId: 'olga', keyId: null, action: 'createIntegrationApiKey', targetId: id, outcome: 'DONE', code: null })
  t.match(started, { actor: 'INTEGRATION_KEY', userId: null, keyId: id, action: 'processProductImport', targetId: /^[0-9a-f-]{36}$/, outcome: 'DONE' })
  t.match(missed, { action: 'revokeIntegrationApiKey', targetId: 'nothing', outcome: 'REFUSED', code: 'NOT_FOUND' })
  t.ok(Math.abs(Date.parse(created?.at ?? '') - Date.now()) < 60_000)
  t.notMatch(JSON.stringify(nodes), key)
})

t.test('imports started over REST are on it, too; products sent directly are not', async (t) => {
  const key = await api.keyOf('shop')
  await api.app.inject({ method: 'POST', url: '/api/v1/products/import', headers: { 'x-vendor-api-key': key }, payload: { files: ['rest.jsonl'], mode: 'UPDATE' } })
  await api.graphql(key, 'mutation { upsertProducts(vendorId: "shop", products: []) { id } }')
  t.match((await eventsOf(admin, trail))[0], { action: 'processProductImport', outcome: 'DONE' })
})

t.test('a user\'s own keys are on the trail of every vendor it belongs to', async (t) => {
  const both = bearer(await api.tokenOf('ben', [{ vendorId: 'shop', role: 'member', permissions: [] }, { vendorId: 'other', role: 'admin', permissions: [] }]))
  await api.send(both, createOwn, { input: { name: 'own' } })
  for (const headers of [owner, stranger]) {
    const vendorId = headers === owner ? 'shop' : 'other'
    t.match((await eventsOf(headers, trail.replace('shop', vendorId)))[0], { vendorId, userId: 'ben', action: 'createUserApiKey', outcome: 'DONE' })
  }
})

t.test('the trail is read page by page, newest first; a cursor of another vendor is refused', async (t) => {
  const page = async (cursor: string | null, vendorId = 'shop', headers = owner) =>
    await api.send(headers, 'query ($v: ID!, $c: String) { auditEvents(vendorId: $v, first: 2, cursor: $c) { nodes { id at } hasNextPage endCursor totalCount } }', { v: vendorId, c: cursor })
  const whole = (await api.send(owner, trail)).data.auditEvents as { nodes: Event[], totalCount: number, endCursor: string }
  const seen: string[] = []
  for (let cursor: string | null = null, more = true; more;) {
    const found: { nodes: Array<{ id: string }>, hasNextPage: boolean, endCursor: string, totalCount: number } = (await page(cursor)).data.auditEvents
    t.equal(found.totalCount, whole.totalCount)
    seen.push(...found.nodes.map(({ id }) => id))
    cursor = found.endCursor
    more = found.hasNextPage
  }
  t.strictSame(seen, whole.nodes.map(({ id }) => id))
  t.match((await page(whole.endCursor, 'other', stranger)).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'cursor' } }])
  t.match((await page('x')).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
})
