/** A connection is kept for an answer that is being made, not for one that nobody reads. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createConnection, type AddressInfo, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createHttpServer } from '../../../src/api/http-server.js'
import { silent } from '../../support/log.js'

/** Both ends of a connection over which something was asked, and what is to answer it. */
async function asked (t: Test, text = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'): Promise<{ socket: Socket, response: ServerResponse }> {
  let told: (response: ServerResponse) => void = () => {}
  const answering = new Promise<ServerResponse>((resolve) => { told = resolve })
  const server = createHttpServer({ log: silent, trustedProxies: [], maxConnectionsOfOne: 10 })((_request, response) => { told(response) }, {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = once(server, 'connection') as Promise<[Socket]>
  // Nothing is read from it.
  const client = createConnection((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.write(text)
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  const [socket] = await connected
  t.ok(server.timeout > 0, 'a connection over which nothing happens is looked at')
  return { socket, response: await answering }
}

t.test('an answer of which nothing is read for long is cut off', async (t) => {
  const { socket, response } = await asked(t)
  response.write(Buffer.alloc(16 * 1_024 * 1_024))
  while (socket.writableLength === 0) await setImmediate()
  socket.emit('timeout')
  t.ok(socket.destroyed)
})

t.test('one that is still being made is waited for', async (t) => {
  const { socket, response } = await asked(t)
  socket.emit('timeout')
  t.notOk(socket.destroyed)
  response.end('there')
  await once(response, 'finish')
})

t.test('a connection over which nothing is asked is closed', async (t) => {
  const { socket, response } = await asked(t)
  response.end('there')
  await once(response, 'close')
  socket.emit('timeout')
  t.ok(socket.destroyed)
})
