/** What operators rely on: health, readiness, metrics, request ids and the log (spec/operations.md). */
import { MongoServerSelectionError, type TopologyDescription } from 'mongodb'
import t, { type Test } from 'tap'
import { createIntegrationKey } from '../../src/domain/api-key.js'
import type { Repositories } from '../../src/store/repositories.js'
import { testApi, testApp } from '../unit/api/test-api.js'
import { recordingLog } from '../support/log.js'

const away = new MongoServerSelectionError('connect ECONNREFUSED 10.0.0.7:27017', {} as TopologyDescription)

/** Repositories of a database that cannot be reached. */
const nowhere = new Proxy({}, {
  get: () => new Proxy({}, { get: () => async () => { throw away } })
}) as Repositories

t.test('healthz says ok, whatever else is down', async (t) => {
  const app = await testApp(t, nowhere)
  const response = await app.inject('/healthz')
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { status: 'ok' })
})

t.test('readyz is ready when every part answers', async (t) => {
  const response = await (await testApp(t, nowhere)).inject('/readyz')
  t.equal(response.statusCode, 200)
  t.strictSame(response.json(), { status: 'ready', checks: { database: 'ok', queue: 'ok', files: 'ok' } })
})

t.test('readyz names the part that is away, and nothing of its inside', async (t) => {
  const app = await testApp(t, nowhere, {
    dependencies: { checks: { database: async () => { throw away }, queue: () => { throw new Error('kafka-3.internal') }, files: async () => {} } }
  })
  const response = await app.inject('/readyz')
  t.equal(response.statusCode, 503)
  t.strictSame(response.json(), { status: 'unavailable', checks: { database: 'unavailable', queue: 'unavailable', files: 'ok' } })
})

t.test('where operators have a port of their own, readyz says whether, not what, and there are no metrics', async (t) => {
  const app = await testApp(t, nowhere, {
    servesOps: false, dependencies: { checks: { database: async () => { throw away }, queue: async () => {}, files: async () => {} } }
  })
  const response = await app.inject('/readyz')
  t.equal(response.statusCode, 503)
  t.strictSame(response.json(), { status: 'unavailable' })
  t.strictSame((await app.inject('/healthz')).json(), { status: 'ok' })
  t.equal((await app.inject('/metrics')).statusCode, 404)
})

t.test('readyz waits for no part longer than its limit', async (t) => {
  const app = await testApp(t, nowhere, {
    dependencies: { checks: { database: async () => { await new Promise(() => {}) }, queue: async () => {}, files: async () => {} } }
  })
  const before = performance.now()
  t.match((await app.inject('/readyz')).json(), { checks: { database: 'unavailable', queue: 'ok' } })
  t.ok(performance.now() - before < 4_000)
})

t.test('a database that is away: SERVICE_UNAVAILABLE, 503 over REST, and no word of where it is', async (t) => {
  const app = await testApp(t, nowhere)
  const headers = { 'x-vendor-api-key': createIntegrationKey().key }
  const graphql = await app.inject({ method: 'POST', url: '/graphql', headers, payload: { query: '{ products { totalCount } }' } })
  t.equal(graphql.statusCode, 200)
  t.match(graphql.json(), { data: null, errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
  const rest = await app.inject({ url: '/api/v1/products/import/x', headers })
  t.equal(rest.statusCode, 503)
  t.match(rest.json(), { success: false, error: { code: 'SERVICE_UNAVAILABLE' } })
  t.notMatch(graphql.body + rest.body, /10\.0\.0\.7/)
})

t.test('an unexpected error over REST: 500, masked', async (t) => {
  const api = await testApi(t, {
    repositories: (real) => ({ ...real, importJobs: { ...real.importJobs, find: async () => { throw new TypeError('x of undefined') } } })
  })
  const response = await api.app.inject({ url: '/api/v1/products/import/x', headers: { 'x-vendor-api-key': await api.keyOf('shop') } })
  t.equal(response.statusCode, 500)
  t.strictSame(response.json(), { success: false, error: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' } })
})

t.test('metrics count requests by declared routes only', async (t) => {
  const app = await testApp(t, nowhere)
  await app.inject('/healthz')
  for (const url of ['/a', '/b', '/graphql/c']) await app.inject({ method: 'DELETE', url })
  const response = await app.inject('/metrics')
  t.match(response.headers['content-type'], /^text\/plain/)
  t.match(response.body, /http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/)
  t.match(response.body, /http_request_duration_seconds_count\{method="other",route="unknown",status="404"\} 3/)
  t.notMatch(response.body, /"\/a"/)
})

async function requestIdFor (t: Test, given: string | undefined): Promise<string> {
  const app = await testApp(t, nowhere)
  const response = await app.inject({ url: '/nothing', headers: given === undefined ? {} : { 'request-id': given } })
  return String(response.headers['request-id'])
}

t.test('a sane request id is taken over, any other replaced', async (t) => {
  t.equal(await requestIdFor(t, 'trace-1_a.b:c'), 'trace-1_a.b:c')
  for (const given of [undefined, '', 'a b', 'x'.repeat(65), 'a"b', '{}']) {
    t.match(await requestIdFor(t, given), /^[0-9a-f-]{36}$/, given ?? 'none')
  }
})

t.test('the log names vendor and key id, and never a credential', async (t) => {
  const { log, entries } = recordingLog()
  const api = await testApi(t, { dependencies: { log } })
  const key = await api.keyOf('shop')
  await api.app.inject({
    method: 'POST',
    url: `/graphql?key=${key}`,
    headers: { 'x-vendor-api-key': key, authorization: `Bearer ${key}`, cookie: key },
    payload: { query: '{ products { totalCount } }' }
  })
  await api.app.inject({ url: `/api/v1/nothing?key=${key}`, headers: { 'x-vendor-api-key': key } })
  api.app.log.error({ headers: { 'x-vendor-api-key': key }, req: undefined, err: { headers: { authorization: key } } }, 'careless')
  t.ok(entries.some(({ msg, vendorId, keyId }) => msg === 'request completed' && vendorId === 'shop' && typeof keyId === 'string'))
  t.notMatch(JSON.stringify(entries), key)
})

t.test('responses carry the headers of a careful server', async (t) => {
  const { headers } = await (await testApp(t, nowhere)).inject('/healthz')
  t.match(headers, { 'x-content-type-options': 'nosniff', 'strict-transport-security': String, 'content-security-policy': String })
})

t.test('GraphiQL is not served', async (t) => {
  t.equal((await (await testApp(t, nowhere)).inject('/graphiql')).statusCode, 404)
})
