/** Who may call, and for how long (decisions.md, Access). */
import t from 'tap'
import { createIntegrationKey, hashKey } from '../../src/domain/api-key.js'
import { testApi } from '../unit/api/test-api.js'

let nowMs = 0
const api = await testApi(t, { monotonicMs: () => nowMs })
const key = await api.keyOf('shop')
const query = '{ productImportJobs { nodes { jobId } } }'
const statusByRest = async (headers: Record<string, string>) =>
  (await api.app.inject({ url: '/api/v1/products/import/x', headers })).statusCode

t.test('without a credential: UNAUTHENTICATED in the body of a 200, data null', async (t) => {
  const { status, data, errors } = await api.graphql(null, query)
  t.equal(status, 200)
  t.equal(data, null)
  t.match(errors, [{ message: /X-Vendor-Api-Key/, path: ['productImportJobs'], extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('the schema may be read by anyone', async (t) => {
  const { data } = await api.graphql(null, '{ __schema { queryType { name } } }')
  t.equal(data.__schema.queryType.name, 'Query')
})

const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
for (const [what, wrong] of [['mistyped', mistyped], ['unknown', createIntegrationKey().key], ['not a', 'hello'], ['doubled', `${key}, ${key}`]] as const) {
  t.test(`${what} key: UNAUTHENTICATED, and 401 over REST`, async (t) => {
    t.match((await api.graphql(wrong, query)).errors, [{ message: 'The API key is not valid', extensions: { code: 'UNAUTHENTICATED' } }])
    t.equal(await statusByRest({ 'x-vendor-api-key': wrong }), 401)
  })
}

t.test('a key without the permission: FORBIDDEN for every operation, 403 over REST', async (t) => {
  const weak = await api.keyOf('weak', ['FITMENT_MANAGE'])
  const operations = [
    query, '{ productImportJob(jobId: "x") { status } }', '{ product(externalId: "x") { id } }', '{ products { totalCount } }',
    'mutation { upsertProducts(vendorId: "weak", products: []) { id } }', 'mutation { cancelProductImport(jobId: "x") { status } }',
    'mutation { processProductImport(input: { files: ["a.jsonl"], mode: UPDATE }) { status } }'
  ]
  for (const operation of operations) {
    t.match((await api.graphql(weak, operation)).errors, [{ message: /PRODUCT_MANAGE/, extensions: { code: 'FORBIDDEN' } }], operation)
  }
  t.equal(await statusByRest({ 'x-vendor-api-key': weak }), 403)
})

t.test('one refused field leaves its neighbours alone', async (t) => {
  const { data, errors } = await api.graphql(key, '{ mine: products { totalCount } job: productImportJob(jobId: "x") { status } }')
  t.strictSame([data, errors], [{ mine: { totalCount: 0 }, job: null }, undefined])
})

t.test('a revoked key is refused 5 s later at the latest', async (t) => {
  const revoked = await api.keyOf('revoked')
  t.equal((await api.graphql(revoked, query)).errors, undefined)
  const { integrationApiKeys } = api.repositories
  const { keyId } = await keyIdOf(revoked)
  await integrationApiKeys.revoke('revoked', keyId)
  nowMs += 5_000
  t.match((await api.graphql(revoked, query)).errors, [{ extensions: { code: 'UNAUTHENTICATED' } }])
})

t.test('the use of a key is recorded', async (t) => {
  const used = await api.keyOf('used')
  t.equal((await keyIdOf(used)).lastUsedAt, null)
  await api.graphql(used, query)
  for (let rounds = 0; (await keyIdOf(used)).lastUsedAt === null && rounds < 200; rounds++) await new Promise((resolve) => setTimeout(resolve, 10))
  t.type((await keyIdOf(used)).lastUsedAt, Date)
})

async function keyIdOf (text: string) {
  const record = await api.repositories.integrationApiKeys.findByHash(hashKey(text))
  return { keyId: record?._id ?? '', lastUsedAt: record?.lastUsedAt ?? null }
}
