/** What is refused is told to those who run the service: counted, in the log, and on the audit trail of the vendor (docs/security.md). */
import { Registry } from 'prom-client'
import t from 'tap'
import { createIntegrationKey, hashKey } from '../../src/domain/api-key.js'
import { recordingLog } from '../support/log.js'
import { testApi } from '../unit/api/test-api.js'

const { log, entries } = recordingLog()
const metrics = new Registry()
const api = await testApi(t, { dependencies: { log, metrics } })
const { integrationApiKeys, vendors, auditEvents } = api.repositories
for (const vendorId of ['shop', 'other']) await vendors.create(vendorId, vendorId)
const boss = await api.tokenOf('boss', [{ vendorId: 'shop', role: 'owner', permissions: [] }])

const query = '{ products { totalCount } }'
const told = (msg: string) => entries.filter((entry) => entry['msg'] === msg)
const counted = async (name: string, reason: string): Promise<number> =>
  (await metrics.getSingleMetric(name)?.get())?.values.find(({ labels }) => labels['reason'] === reason)?.value ?? 0

async function endedKey (): Promise<string> {
  const { key, record } = await integrationApiKeys.create('shop', 'ended', [])
  await integrationApiKeys.revoke('shop', record._id)
  return key
}

for (const [what, reason, headers] of [
  ['an unknown key', 'unknown-key', { 'x-vendor-api-key': createIntegrationKey().key }],
  ['a key that has been revoked', 'ended-key', { 'x-vendor-api-key': await endedKey() }],
  ['a token of somebody else', 'token', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
  ['a header without a token', 'form', { authorization: 'Basic Zm9vOmJhcg==' }]
] as const) {
  t.test(`${what} is counted and told once, without the secret`, async (t) => {
    entries.length = 0
    t.match((await api.send(headers, query)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
    t.equal(await counted('catalog_refused_credentials_total', reason), 1)
    t.match(told('a credential was refused'), [{ reason, address: '127.0.0.1', reqId: /.+/ }])
    t.equal(told('a credential was refused').length, 1)
    const [secret = ''] = Object.values(headers)
    const text = JSON.stringify(entries)
    for (const part of [secret, secret.replace(/^\w+ /, ''), hashKey(secret)]) t.notOk(text.includes(part))
  })
}

t.test('a request without a credential was refused none', async (t) => {
  entries.length = 0
  await api.send({}, query)
  t.strictSame(told('a credential was refused'), [])
})

for (const [what, reason, headers, operation] of [
  ['another vendor', 'vendor', async () => ({ 'x-vendor-api-key': await api.keyOf('shop') }), 'mutation { upsertProducts(vendorId: "other", products: []) { externalId } }'],
  ['a permission that is not held', 'permission', async () => ({ 'x-vendor-api-key': await api.keyOf('shop', []) }), 'mutation { upsertProducts(vendorId: "shop", products: []) { externalId } }'],
  ['what is for admins', 'admin', async () => ({ authorization: `Bearer ${await api.tokenOf('clerk', [{ vendorId: 'shop', role: 'member', permissions: [] }])}` }), '{ auditEvents(vendorId: "shop") { nodes { id } } }']
] as const) {
  t.test(`an operation on ${what} is counted, told, and on the vendor's audit trail`, async (t) => {
    entries.length = 0
    const before = await auditEvents.count('shop')
    t.match((await api.send(await headers(), operation)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
    t.equal(await counted('catalog_refused_operations_total', reason), 1)
    const [action = ''] = /upsertProducts|auditEvents/.exec(operation) ?? []
    t.match(told('an operation was refused'), [{ reason, action, reqId: /.+/, keyId: reason === 'admin' ? null : /.+/ }])
    t.equal(await auditEvents.count('shop') - before, 1)
    t.match((await auditEvents.page('shop', { first: 1, after: null })).nodes, [{ action, outcome: 'refused', code: 'FORBIDDEN' }])
    t.equal(await auditEvents.count('other'), 0, 'a vendor that is only named hears nothing of it')
  })
}

t.test('over REST, too', async (t) => {
  const before = await auditEvents.count('shop')
  const { statusCode } = await api.app.inject({ method: 'POST', url: '/api/v1/products/import', headers: { 'x-vendor-api-key': await api.keyOf('shop', []) }, payload: {} })
  t.equal(statusCode, 403)
  t.equal(await auditEvents.count('shop') - before, 1)
})

t.test('a flood of refusals is none in the log, nor on the audit trail; all are counted', async (t) => {
  const headers = { 'x-vendor-api-key': await api.keyOf('shop', []) }
  entries.length = 0
  const [before, countedBefore] = [await auditEvents.count('shop'), await counted('catalog_refused_operations_total', 'permission')]
  for (let n = 0; n < 200; n++) await api.send(headers, 'mutation { upsertProducts(vendorId: "shop", products: []) { externalId } }')
  t.equal(await counted('catalog_refused_operations_total', 'permission') - countedBefore, 200)
  t.equal(told('an operation was refused').length, 5)
  t.equal(await auditEvents.count('shop') - before, 10)
})

t.test('what is allowed is told of nowhere', async (t) => {
  entries.length = 0
  t.equal((await api.send({ authorization: `Bearer ${boss}` }, query)).errors, undefined)
  t.strictSame(entries.filter(({ msg }) => /refused/.test(String(msg))), [])
})
