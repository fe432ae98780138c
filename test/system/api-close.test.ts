/** Closing the API must not depend on the manners of its clients. */
import { once } from 'node:events'
import { createConnection, type AddressInfo, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import type { JobIssue } from '../../src/domain/issue.js'
import type { Repositories } from '../../src/store/repositories.js'
import { createGate } from '../support/eventually.js'
import { testApi, testApp, type TestApiOptions } from '../unit/api/test-api.js'

const api = await testApi(t)
const key = await api.keyOf('shop')
const jobId = await api.startJob('shop')
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

async function listen (t: Test, { repositories = api.repositories, ...options }: Omit<TestApiOptions, 'repositories'> & { repositories?: Repositories }) {
  const app = await testApp(t, repositories, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  async function connect (): Promise<Socket> {
    const socket = createConnection(port, '127.0.0.1')
    t.teardown(() => { socket.destroy() })
    socket.on('error', () => { /* being cut off is what it is here for */ })
    await once(socket, 'connect')
    return socket
  }
  return { app, port, connect }
}

async function * endlessIssues (): AsyncGenerator<JobIssue> {
  for (let line = 1; ; line++) yield { jobId, severity: 'error', file: 'a.jsonl', line, externalId: null, faults: [] } as unknown as JobIssue
}

t.test('a request whose body does not come does not hold it up', async (t) => {
  const { app, connect } = await listen(t, { closeGraceMs: 100 })
  const socket = await connect()
  const begun = once(app.server, 'request')
  socket.write('POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"query')
  await begun
  await app.close()
  t.pass('it is closed')
})

t.test('an answer that nobody reads does not hold it up', async (t) => {
  const repositories = { ...api.repositories, importIssues: { ...api.repositories.importIssues, stream: endlessIssues } }
  const { app, connect } = await listen(t, { closeGraceMs: 100, repositories })
  const socket = await connect()
  socket.write(`GET /api/v1/products/import/${jobId}/errors HTTP/1.1\r\nHost: a\r\nX-Vendor-API-Key: ${key}\r\n\r\n`)
  await once(socket, 'readable')
  await app.close()
  t.pass('it is closed')
})

t.test('a request under way is answered', async (t) => {
  const asked = createGate()
  const gate = createGate()
  const database = async (): Promise<void> => {
    asked.open()
    await gate.passed
  }
  const { app, port } = await listen(t, { dependencies: { checks: { database, queue: async () => {}, files: async () => {} } } })
  const answering = fetch(`http://127.0.0.1:${port}/readyz`)
  await asked.passed
  const closing = app.close()
  gate.open()
  t.equal((await answering).status, 200)
  await closing
})

t.test('a process that is about to end says so, and answers everything until it does, for the last time on each connection', async (t) => {
  const closing = new AbortController()
  const { port } = await listen(t, { closing: closing.signal })
  const ask = async (path: string): Promise<Response> => await fetch(`http://127.0.0.1:${port}${path}`)
  const before = await ask('/readyz')
  t.strictSame([before.status, before.headers.get('connection')], [200, 'keep-alive'])
  closing.abort()
  const after = await ask('/readyz')
  t.strictSame([after.status, after.headers.get('connection'), await after.json()], [503, 'close', { status: 'draining' }])
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/products/import/${jobId}`, { headers: { 'x-vendor-api-key': key } })
  t.strictSame([answer.status, answer.headers.get('connection')], [200, 'close'])
  t.equal((await ask('/healthz')).status, 200)
})

t.test('a subscriber that never answers the close does not hold it up', async (t) => {
  const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { headers: { 'x-vendor-api-key': key } })
  await new Promise((resolve) => { client.on('open', resolve) })
  const told = new Promise<void>((resolve) => {
    client.on('message', (data: Buffer) => {
      if (data.toString().includes('connection_ack')) {
        client.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: `subscription { productImportJobProgress(jobId: "${jobId}") { status } }` } }))
      }
      if (data.toString().includes('queued')) resolve()
    })
  })
  client.send(JSON.stringify({ type: 'connection_init' }))
  await told
  client.pause()
  // And one whose upgrade no route can answer.
  const silent = createConnection(port, '127.0.0.1')
  await once(silent, 'connect')
  silent.on('error', () => { /* being cut off is what it is here for */ })
  silent.write('POST /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  t.teardown(() => {
    client.terminate()
    silent.destroy()
  })
  const before = performance.now()
  await api.app.close()
  t.ok(performance.now() - before < 5_000)
})
