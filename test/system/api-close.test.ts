/** Closing the API must not depend on the manners of its clients. */
import { once } from 'node:events'
import { createConnection, type AddressInfo } from 'node:net'
import t from 'tap'
import WebSocket from 'ws'
import { testApi } from '../unit/api/test-api.js'

const api = await testApi(t)
const key = await api.keyOf('shop')
const jobId = await api.startJob('shop')
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

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
