/** `service` is told to whoever runs an embedded set-up, on the machine itself, and to nobody else. */
import t from 'tap'
import { permissions } from '../../src/domain/access.js'
import { accessToken, answerOf, testApi } from '../unit/api/test-api.js'

const query = '{ service { parts { name isAvailable } workers { id } vendorsWaiting jobsQueued waitingSince lanes { vendorId queued running { jobId } } lastHour { imports failed lines } } viewer { isOperator } }'

const api = await testApi(t, { dependencies: { operatorId: 'local-operator' } })
const operator = { authorization: `Bearer ${await api.tokenOf('local-operator', [{ vendorId: 'shop', role: 'owner', permissions: [] }])}` }
const key = { 'x-vendor-api-key': await api.keyOf('shop', [...permissions]) }

interface Asking { remoteAddress?: string, app?: typeof api.app, query?: string }
const ask = async (headers: Record<string, string>, { remoteAddress = '127.0.0.1', app = api.app, query: text = query }: Asking = {}) =>
  answerOf(await app.inject({ method: 'POST', url: '/graphql', headers, payload: { query: text }, remoteAddress }))

t.test('the operator is told of parts, workers, what waits, and what has been done', async (t) => {
  await api.repositories.workers.beat('worker-1')
  const jobId = await api.startJob('shop')
  await api.endJob('shop', await api.startJob('shop'))
  for (const remoteAddress of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1']) {
    const { data, errors } = await ask(operator, { remoteAddress })
    t.equal(errors, undefined)
    t.match(data, {
      viewer: { isOperator: true },
      service: {
        parts: [{ name: 'database', isAvailable: true }, { name: 'queue', isAvailable: true }, { name: 'files', isAvailable: true }],
        workers: [{ id: 'worker-1' }],
        vendorsWaiting: 1,
        waitingSince: String,
        lanes: [{ vendorId: 'shop', queued: 2, running: null }],
        lastHour: { imports: 1, failed: 0, lines: 3 }
      }
    })
  }
  const { claim } = await api.repositories.lanes.claim('shop', 'worker-1') ?? { claim: null }
  t.match((await ask(operator)).data.service.lanes, [{ queued: 1, running: { jobId: claim?.jobId ?? jobId } }])
})

t.test('a part that is away is named, and the rest is told', async (t) => {
  const without = await testApi(t, { dependencies: { operatorId: 'local-operator', checks: { database: async () => {}, queue: async () => { throw new Error('away') }, files: async () => {} } } })
  await without.tokenOf('local-operator', [])
  const { data } = await ask(operator, { app: without.app })
  t.match(data.service, { parts: [{ isAvailable: true }, { name: 'queue', isAvailable: false }, { isAvailable: true }], lanes: [] })
})

t.test('nobody else is, from the same machine or from elsewhere', async (t) => {
  const clerk = await api.tokenOf('clerk', [{ vendorId: 'shop', role: 'owner', permissions: [] }])
  const ownKey = (await api.repositories.userApiKeys.create('local-operator', 'key', null)).key
  for (const [who, headers, more] of [
    ['a merchant\'s key with every permission', key, {}],
    ['an owner of a vendor', { authorization: `Bearer ${clerk}` }, {}],
    ['a key of the operator', { authorization: `Bearer ${ownKey}` }, {}],
    ['the operator from elsewhere', operator, { remoteAddress: '192.0.2.7' }],
    ['the operator from the same network', operator, { remoteAddress: '10.0.0.5' }],
    ...['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].map((name) => [`the operator through a proxy that says ${name}`, { ...operator, [name]: '127.0.0.1' }, {}] as const)
  ] as const) {
    const { data, errors } = await ask(headers, more)
    t.match(errors, [{ path: ['service'], extensions: { code: 'FORBIDDEN' } }], who)
    t.equal(data, null, who)
    const { data: { viewer } } = await ask(headers, { ...more, query: '{ viewer { isOperator } }' })
    t.equal(viewer.isOperator, false, who)
  }
})

t.test('a trusted proxy on the same machine makes nobody the operator', async (t) => {
  const behind = await testApi(t, { dependencies: { operatorId: 'local-operator' }, settings: { trustedProxies: ['127.0.0.1'] } })
  await behind.tokenOf('local-operator', [])
  t.match((await ask({ ...operator, 'x-forwarded-for': '192.0.2.7' }, { app: behind.app })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.match((await ask({ ...operator, 'x-forwarded-for': '127.0.0.1' }, { app: behind.app })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
})

t.test('where nothing is embedded there is no operator, whatever a user is called', async (t) => {
  const real = await testApi(t)
  await real.tokenOf('local-operator', [])
  t.match((await ask({ authorization: `Bearer ${await accessToken('local-operator')}` }, { app: real.app })).errors, [{ extensions: { code: 'FORBIDDEN' } }])
})
