/** What one caller may send, and what a stranger may see (decisions.md, Access; docs/security.md). */
import { MongoNetworkError } from 'mongodb'
import t, { type Test } from 'tap'
import { createIntegrationKey } from '../../src/domain/api-key.js'
import type { Repositories } from '../../src/store/repositories.js'
import { testApi, testApp, type TestApiOptions } from '../unit/api/test-api.js'

const api = await testApi(t, { settings: { requestsPerMinute: 5 } })
const query = { query: '{ products { totalCount } }' }

/** One key is known here, which opens nothing; look-ups are counted. */
async function strangersApp (t: Test, settings: NonNullable<TestApiOptions['settings']> = {}, monotonicMs = () => 0) {
  const seen = { lookUps: 0 }
  const { key, hash } = createIntegrationKey()
  const record = { _id: 'k1', vendorId: 'shop', permissions: [], lastUsedAt: new Date(), revokedAt: null }
  const find = async (wanted: string) => { seen.lookUps++; return wanted === hash ? record : null }
  const keys = { findByHash: find, find }
  const app = await testApp(t, { ...api.repositories, integrationApiKeys: keys, userApiKeys: keys, users: keys } as unknown as Repositories, { settings, monotonicMs })
  const get = async (headers: Record<string, string>, url = '/api/v1/products/import/x') => await app.inject({ url, headers })
  return { app, get, seen, key }
}

t.test('a credential that sends too much: RATE_LIMITED with 429, and when to come back; others go on', async (t) => {
  const [busy, calm] = [await api.keyOf('shop'), await api.keyOf('shop')]
  const send = async (key: string, url = '/graphql') => await api.app.inject({ method: 'POST', url, headers: { 'x-vendor-api-key': key }, payload: query })
  const first = await send(busy)
  t.match(first.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': '4', 'ratelimit-reset': /^\d+$/ })
  for (let n = 0; n < 4; n++) t.equal((await send(busy)).statusCode, 200)
  const refused = await send(busy)
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { data: null, errors: [{ message: /^Too many requests/, extensions: { code: 'RATE_LIMITED' } }] })
  t.match(refused.headers, { 'ratelimit-remaining': '0', 'retry-after': /^\d+$/ })
  t.match((await send(busy, '/api/v1/products/import')).json(), { success: false, error: { code: 'RATE_LIMITED' } }, 'over REST, too')
  t.equal((await send(calm)).statusCode, 200)
})

t.test('probes and metrics are not counted with other requests; those that cost something are bounded for each address by themselves', async (t) => {
  const app = await testApp(t, api.repositories, { settings: { requestsPerMinute: 5, trustedProxies: ['127.0.0.0/8'] } })
  const statuses = async (url: string, from: string, times: number): Promise<Set<number>> => {
    const seen = new Set<number>()
    for (let n = 0; n < times; n++) seen.add((await app.inject({ url, headers: { 'x-forwarded-for': from } })).statusCode)
    return seen
  }
  for (const url of ['/readyz', '/metrics']) {
    t.strictSame(await statuses(url, '192.0.2.1', 600), new Set([200]), url)
    const refused = await app.inject({ url, headers: { 'x-forwarded-for': '192.0.2.1' } })
    t.equal(refused.statusCode, 429, url)
    t.match(refused.json(), { success: false, error: { code: 'RATE_LIMITED' } })
    t.match(refused.headers['retry-after'], /^\d+$/)
    t.strictSame(await statuses(url, '192.0.2.2', 1), new Set([200]), `${url} from elsewhere`)
  }
  t.strictSame(await statuses('/healthz', '192.0.2.1', 1_300), new Set([200]))
})

t.test('they are bounded also where other requests are not', async (t) => {
  const app = await testApp(t, api.repositories, { settings: { requestsPerMinute: 0 } })
  for (let n = 0; n < 600; n++) await app.inject('/readyz')
  t.equal((await app.inject('/readyz')).statusCode, 429)
})

t.test('a flood of readiness probes does not reach what they ask after', async (t) => {
  let asked = 0
  const checks = { database: async () => { asked++ }, queue: async () => {}, files: async () => {} }
  const app = await testApp(t, api.repositories, { dependencies: { checks } })
  await Promise.all(Array.from({ length: 50 }, async () => await app.inject('/readyz')))
  t.equal(asked, 1)
})

t.test('an address that keeps trying keys is refused, and its keys are no longer looked up; one that has worked before still works', async (t) => {
  let nowMs = 0
  const { get, seen, key } = await strangersApp(t, {}, () => nowMs)
  t.equal((await get({ 'x-vendor-api-key': key })).statusCode, 403)
  for (let n = 0; n < 1_200; n++) await get({ 'x-vendor-api-key': createIntegrationKey().key })
  const before = seen.lookUps
  t.equal((await get({ 'x-vendor-api-key': createIntegrationKey().key })).statusCode, 429)
  t.equal(seen.lookUps, before)
  t.equal((await get({}, '/healthz')).statusCode, 200)
  nowMs += 5_000 // its record has to be read anew
  t.equal((await get({ 'x-vendor-api-key': key })).statusCode, 403)
})

t.test('while the database is away nobody is counted as a stranger', async (t) => {
  const away = async (): Promise<never> => { throw new MongoNetworkError('away') }
  const keys = { findByHash: away, find: away }
  const app = await testApp(t, { ...api.repositories, integrationApiKeys: keys, userApiKeys: keys, users: keys } as unknown as Repositories)
  const { statusCode, headers } = await app.inject({ url: '/api/v1/products/import/x', headers: { 'x-vendor-api-key': createIntegrationKey().key } })
  t.equal(statusCode, 503)
  t.notOk('ratelimit-limit' in headers)
})

t.test('X-Forwarded-For is believed from trusted proxies only', async (t) => {
  const left = async (app: Awaited<ReturnType<typeof strangersApp>>, address: string) =>
    Number((await app.get({ 'x-forwarded-for': address }, '/nothing')).headers['ratelimit-remaining'])
  const open = await strangersApp(t)
  t.equal(await left(open, '192.0.2.1') - await left(open, '192.0.2.2'), 1, 'one address, whatever it says')
  const proxied = await strangersApp(t, { trustedProxies: ['127.0.0.0/8'] })
  t.equal(await left(proxied, '192.0.2.1') - await left(proxied, '192.0.2.2'), 0)
})

t.test('without CORS_ORIGINS no page may read an answer', async (t) => {
  const { app } = await strangersApp(t)
  const { headers } = await app.inject({ url: '/healthz', headers: { origin: 'https://dashboard.example.com' } })
  t.notOk('access-control-allow-origin' in headers)
  const preflight = await app.inject({ method: 'OPTIONS', url: '/graphql', headers: { origin: 'https://dashboard.example.com', 'access-control-request-method': 'POST' } })
  t.notOk('access-control-allow-origin' in preflight.headers)
})

t.test('with it those origins may, and no other; never with cookies', async (t) => {
  const { app } = await strangersApp(t, { corsOrigins: ['https://dashboard.example.com'] })
  const ask = async (origin: string) =>
    await app.inject({ method: 'OPTIONS', url: '/graphql', headers: { origin, 'access-control-request-method': 'POST' } })
  const { statusCode, headers } = await ask('https://dashboard.example.com')
  t.equal(statusCode, 204)
  t.match(headers, { 'access-control-allow-origin': 'https://dashboard.example.com', 'access-control-allow-headers': /x-vendor-api-key/, vary: /origin/i })
  t.notOk('access-control-allow-credentials' in headers)
  for (const origin of ['https://evil.example.com', 'null', 'https://dashboard.example.com.evil.example.com', 'http://dashboard.example.com']) {
    t.notOk('access-control-allow-origin' in (await ask(origin)).headers, origin)
  }
})

t.test('introspection can be switched off, and errors then suggest no names', async (t) => {
  const { app } = await strangersApp(t, { introspection: false })
  const send = async (text: string) => (await app.inject({ method: 'POST', url: '/graphql', payload: { query: text } }))
  const refused = await send('{ __schema { types { name } } }')
  t.equal(refused.statusCode, 400)
  t.match(refused.json(), { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  t.notMatch((await send('{ product { id } }')).body, 'externalIds')
  const misspelt = await send('{ prodct { id } }')
  t.match(misspelt.body, 'Cannot query field')
  t.notMatch(misspelt.body, /Did you mean/)
})

t.test('GraphiQL is served when it is asked for, with a policy of its own', async (t) => {
  const { app } = await strangersApp(t, { graphiql: true })
  const page = await app.inject('/graphiql')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], /script-src 'self' https:/)
  t.match((await app.inject('/graphiql/sw.js')).headers['content-security-policy'], /connect-src 'self' https:/, 'its worker loads what the page does')
  t.notMatch((await app.inject('/healthz')).headers['content-security-policy'], /script-src 'self' https:/)
})

t.test('hundreds of aliases below a long list are refused, also when its length is a variable', async (t) => {
  const key = await api.keyOf('cost')
  const aliases = Array.from({ length: 400 }, (_, n) => `a${n}: variants { id }`).join(' ')
  const asked = async (args: string, variables?: object) =>
    await api.graphql(key, `${variables === undefined ? '' : 'query ($n: Int)'} { products${args} { nodes { ${aliases} } } }`, variables)
  for (const answer of [await asked('(first: 200)'), await asked('(first: $n)', { n: 200 })]) {
    t.match(answer.errors, [{ message: /asks for too much/, extensions: { code: 'BAD_USER_INPUT' } }])
  }
})

t.test('next to empty products by the hundred thousand are refused before anything is made of them', async (t) => {
  const key = await api.keyOf('crowd')
  const products = Array.from({ length: 200_000 }, () => ({ externalId: 'a' }))
  const answer = await api.graphql(key, 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "crowd", products: $products) { id } }', { products })
  t.match(answer.errors, [{ message: /^The body must hold at most 200000 objects/, extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('the largest page with all of a product is not', async (t) => {
  const key = await api.keyOf('cost')
  const { errors } = await api.graphql(key, `{ products(first: 200) { totalCount hasNextPage endCursor nodes {
    id externalId name brandName externalUrl description publishedAt archived visibility categories tags createdAt updatedAt
    images { externalId url position } metafields { key value } fitmentTargets { id externalId label facetValues } sizeChart { id name body }
    variants { id externalId name sku upc inventory inventoryPolicy image { url } prices { price currency compareAtPrice } metafields { key value }
      fitmentTargets { id } sizeChart { id } inventoryByLocation { quantity storeLocation { id storeCode } } } } } }`)
  t.equal(errors, undefined)
})
