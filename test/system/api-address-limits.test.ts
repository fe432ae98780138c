/** One address cannot take the places of all: connections, requests under way, websockets (docs/security.md, "Limits"). */
import { once } from 'node:events'
import { createConnection, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { testDatabase } from '../support/database.js'
import { testApp, type TestApiOptions } from '../unit/api/test-api.js'

const { repositories } = await testDatabase(t)

async function listening (t: Test, options: TestApiOptions): Promise<{ app: FastifyInstance, port: number }> {
  const app = await testApp(t, repositories, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as AddressInfo).port }
}

/** From that address of this machine, with these bytes of a request. */
function connect (t: Test, port: number, localAddress: string, bytes: string): Socket {
  const socket = createConnection({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => { /* Told by what is read. */ })
  t.teardown(() => { socket.destroy() })
  socket.write(bytes)
  return socket
}

const half = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'
const whole = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

/** What comes back until the other side ends. */
const answerOf = async (socket: Socket): Promise<string> => await text(socket).catch(() => '')

t.test('an address with as many half-open requests as it may have gets no further connection; another one is served', async (t) => {
  const { app, port } = await listening(t, { addressLimits: { connections: 20, requests: 100, websockets: 100 } })
  const open = Array.from({ length: 20 }, () => connect(t, port, '127.0.0.1', half))
  for (let connected = 0; connected < open.length; connected++) await once(app.server, 'connection')
  t.equal(await answerOf(connect(t, port, '127.0.0.1', whole)), '')
  t.match(await answerOf(connect(t, port, '127.0.0.2', whole)), /^HTTP\/1\.1 200 /)
  open[0]?.destroy()
  const served = async (): Promise<boolean> => (await answerOf(connect(t, port, '127.0.0.1', whole))).startsWith('HTTP/1.1 200')
  while (!await served());
  t.pass('as soon as one of them has ended, the next is served')
})

t.test('connections of a trusted proxy are not counted: all its clients stand behind it', async (t) => {
  const { port } = await listening(t, { addressLimits: { connections: 1, requests: 100, websockets: 100 }, settings: { trustedProxies: ['127.0.0.0/8'] } })
  for (let n = 0; n < 3; n++) connect(t, port, '127.0.0.1', half)
  t.match(await answerOf(connect(t, port, '127.0.0.1', whole)), /^HTTP\/1\.1 200 /)
})

/** An app whose /readyz is under way until it is let go. */
async function withRequestsUnderWay (t: Test, settings: TestApiOptions['settings']) {
  let letGo = (): void => {}
  const until = new Promise<void>((resolve) => { letGo = resolve })
  const checks = { database: async () => { await until }, queue: async () => {}, files: async () => {} }
  const app = await testApp(t, repositories, { addressLimits: { connections: 100, requests: 3, websockets: 100 }, ...(settings === undefined ? {} : { settings }), dependencies: { checks } })
  const get = async (forwardedFor: string, url = '/healthz') => await app.inject({ url, headers: { 'x-forwarded-for': forwardedFor } })
  return { get, letGo }
}

t.test('behind a trusted proxy, requests under way count for the address that it names', async (t) => {
  const { get, letGo } = await withRequestsUnderWay(t, { trustedProxies: ['127.0.0.0/8'] })
  const underWay = [1, 2, 3].map(async () => await get('192.0.2.1', '/readyz'))
  const refused = await get('192.0.2.1')
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { success: false, error: { code: 'RATE_LIMITED', message: /at most 3 requests under way/ } })
  t.equal(refused.headers['retry-after'], '5')
  t.equal((await get('192.0.2.2')).statusCode, 200)
  letGo()
  await Promise.all(underWay)
  t.equal((await get('192.0.2.1')).statusCode, 200, 'places are left with the answer')
})

t.test('requests that wait on a connection for the answer of another one leave with it', async (t) => {
  const checks = { database: async () => await new Promise<never>(() => {}), queue: async () => {}, files: async () => {} }
  const { app, port } = await listening(t, { addressLimits: { connections: 100, requests: 2, websockets: 1 }, dependencies: { checks } })
  for (const first of ['GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n', 'GET /readyz HTTP/1.1\r\nhost: x\r\nupgrade: x\r\n\r\n']) {
    const connected = once(app.server, 'connection') as Promise<[Socket]>
    const next = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
    const socket = connect(t, port, '127.0.0.1', first + next + next)
    const [there] = await connected
    const closed = once(there, 'close')
    while ((await app.inject('/healthz')).statusCode !== 429) await setImmediate()
    socket.destroy()
    await closed
    t.strictSame((await Promise.all([app.inject('/healthz'), app.inject('/healthz')])).map(({ statusCode }) => statusCode), [200, 200])
  }
})

t.test('without one, nobody is believed to be somebody else', async (t) => {
  const { get, letGo } = await withRequestsUnderWay(t, undefined)
  const underWay = [1, 2, 3].map(async (n) => await get(`192.0.2.${n}`, '/readyz'))
  t.equal((await get('192.0.2.9')).statusCode, 429)
  letGo()
  await Promise.all(underWay)
})

t.test('an address has as many websockets as it may have, from their first byte to their last', async (t) => {
  const { port } = await listening(t, { addressLimits: { connections: 100, requests: 100, websockets: 2 } })
  const open = (localAddress: string): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { localAddress })
    t.teardown(() => { socket.terminate() })
    return socket
  }
  const refusal = async (socket: WebSocket): Promise<number> => await new Promise((resolve) => {
    socket.on('error', () => { /* Told by its status. */ })
    socket.once('unexpected-response', (_request, { statusCode }) => { resolve(statusCode ?? 0) })
    socket.once('open', () => { resolve(101) })
  })
  const [first, second] = [open('127.0.0.1'), open('127.0.0.1')]
  await Promise.all([once(first, 'open'), once(second, 'open')])
  t.equal(await refusal(open('127.0.0.1')), 429)
  t.equal(await refusal(open('127.0.0.2')), 101)
  first.terminate()
  while (await refusal(open('127.0.0.1')) !== 101);
  t.pass('as soon as one of them has ended, the next is opened')
})
