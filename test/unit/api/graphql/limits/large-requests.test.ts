/** What is handed on to who answers large requests, and what becomes of the answer. */
import { setImmediate } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import { Registry } from 'prom-client'
import t from 'tap'
import { unavailable } from '../../../../../src/errors.js'
import type { AnswerLarge, LargeRequest } from '../../../../../src/api/graphql/limits/large-requests.js'
import { testApi } from '../../test-api.js'

const elsewhere: AnswerLarge = async () =>
  ({ status: 200, body: Buffer.from('{"data":{"answered":"elsewhere"}}'), changedKeys: [], changedUsers: [], refusals: [] })
const metrics = new Registry()
const handedOn: LargeRequest[] = []
let answerLarge = elsewhere

const api = await testApi(t, {
  dependencies: {
    metrics,
    async answerLarge (request, sent) {
      handedOn.push(request)
      return await answerLarge(request, sent)
    }
  }
})
const auth = { 'x-vendor-api-key': await api.keyOf('shop') }
const query = '{ products { totalCount } }'
const large = { query, variables: { x: 'x'.repeat(256 * 1_024) } }

async function post (body: object | string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  return await api.app.inject({ method: 'POST', url: '/graphql', headers: { 'content-type': 'application/json', ...headers }, payload })
}

t.beforeEach(() => {
  handedOn.length = 0
  answerLarge = elsewhere
})

t.test('a body over 256 KiB is handed on as it came, with what its sender says of itself', async (t) => {
  const { statusCode, headers, body } = await post(large, { ...auth, 'request-id': 'r-1', 'x-vendor-id': 'shop', host: 'catalog.example.com' })
  t.match({ statusCode, body: JSON.parse(body) as unknown }, { statusCode: 200, body: { data: { answered: 'elsewhere' } } })
  t.match(headers, { 'content-type': 'application/json; charset=utf-8', 'request-id': 'r-1', 'cache-control': 'no-store', 'ratelimit-limit': /\d/ })
  const [request] = handedOn
  t.match(request, { principal: { kind: 'integration-key', vendorId: 'shop' }, remoteAddress: '127.0.0.1', headers: { ...auth, 'x-vendor-id': 'shop', 'request-id': 'r-1', host: 'catalog.example.com' } })
  t.notOk('content-length' in (request?.headers ?? {}))
  t.strictSame(JSON.parse(Buffer.concat(request?.body ?? []).toString()), large)
})

t.test('a request without an id of its own is handed on with the one it is answered with', async (t) => {
  const { headers } = await post(large, auth)
  t.equal(handedOn[0]?.headers['request-id'], headers['request-id'])
})

t.test('a small body with many objects in its variables is handed on, too', async (t) => {
  await post({ query, variables: { x: Array.from({ length: 500 }, () => ({})) } }, auth)
  t.equal(handedOn.length, 1)
})

t.test('all others are answered here', async (t) => {
  for (const body of [{ query }, { query, variables: { x: 'x'.repeat(200 * 1_024) } }, { query, variables: { x: Array.from({ length: 150 }, () => ({})) } }]) {
    t.match((await post(body, auth)).json(), { data: { products: { totalCount: 0 } } })
  }
  t.equal(handedOn.length, 0)
})

t.test('what is not an operation is refused here: no JSON, a list, no body', async (t) => {
  for (const body of ['{', '[]', '"x"', 'null', '', '{"__proto__":{}}', '['.repeat(100_000), `{"query":"{ __typename }","x":${'['.repeat(100)}${']'.repeat(100)}}`]) t.equal((await post(body, auth)).statusCode, 400, body.slice(0, 50))
  t.equal(handedOn.length, 0)
})

t.test('strangers\' large requests go nowhere', async (t) => {
  for (const body of [large, { query, variables: { x: Array.from({ length: 500 }, () => ({})) } }]) {
    const response = await post(body)
    t.match({ status: response.statusCode, body: response.json<unknown>() }, { status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } })
  }
  t.equal(handedOn.length, 0)
})

t.test('the answer keeps its status', async (t) => {
  answerLarge = async (request) => ({ ...await elsewhere(request, Promise.resolve()), status: 400 })
  t.equal((await post(large, auth)).statusCode, 400)
})

t.test('a key that was changed elsewhere is read anew here', async (t) => {
  const permitted = '{ storeLocations(vendorId: "shop") { storeCode } }'
  const { key, record } = await api.repositories.integrationApiKeys.create('shop', 'test', ['PRODUCT_MANAGE'])
  const own = { 'x-vendor-api-key': key }
  t.match((await post({ query: permitted }, own)).json(), { errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  answerLarge = async (request) => {
    await api.repositories.integrationApiKeys.update('shop', record._id, { permissions: ['STORE_LOCATION_MANAGE'] })
    return { ...await elsewhere(request, Promise.resolve()), changedKeys: [record.hash] }
  }
  await post(large, auth)
  t.match((await post({ query: permitted }, own)).json(), { data: { storeLocations: [] } })
})

t.test('where nobody can answer it is told as all errors are', async (t) => {
  answerLarge = async () => { throw unavailable('no room') }
  const response = await post(large, auth)
  t.equal(response.statusCode, 503)
  t.match(response.json(), { data: null, errors: [{ message: 'no room', extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
})

t.test('what was refused elsewhere is counted here', async (t) => {
  answerLarge = async (request, sent) => ({ ...await elsewhere(request, sent), refusals: ['one', 'one', 'other'] })
  await post(large, auth)
  const text = await metrics.metrics()
  t.match(text, 'catalog_refused_operations_total{reason="one"} 2')
  t.match(text, 'catalog_refused_operations_total{reason="other"} 1')
})

t.test('who answers is told when the answer has been sent, or will not be', async (t) => {
  let told: Promise<void> | undefined
  const isTold = async (): Promise<boolean> => await Promise.race([told?.then(() => true), setImmediate(false)]) === true
  answerLarge = async (request, sent) => {
    told = sent
    t.notOk(await isTold())
    return await elsewhere(request, sent)
  }
  await post(large, auth)
  t.ok(await isTold())
})
