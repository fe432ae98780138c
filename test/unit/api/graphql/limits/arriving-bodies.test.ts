/** What large bodies may come to before they have arrived: a sender that opens many, and ends none, fills nothing. */
import { createConnection, type AddressInfo, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { eventually } from '../../../../support/eventually.js'
import { testApi } from '../../test-api.js'

const api = await testApi(t, {
  dependencies: { answerLarge: async () => ({ status: 200, body: Buffer.from('{"data":{}}'), changedKeys: [], changedUsers: [], refusals: [] }) }
})
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo
const keys = { shop: await api.keyOf('shop'), second: await api.keyOf('shop'), other: await api.keyOf('other') }
const mebibyte = 1_024 * 1_024

interface Sender { socket: Socket, answer: () => string }

/** The head of a request, and nothing of its body. */
async function begin (t: Test, key: string, length: number | 'chunked'): Promise<Sender> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  t.teardown(() => { socket.destroy() })
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => { text += part })
  const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
  socket.write(`POST /graphql HTTP/1.1\r\nhost: catalog\r\nx-vendor-api-key: ${key}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`)
  await new Promise((resolve) => { socket.once('connect', resolve) })
  return { socket, answer: () => text }
}

/** Whether a request of so many bytes is let in: then it is answered. */
async function send (key: string, bytes: number): Promise<{ status: number, text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST', headers: { 'x-vendor-api-key': key, 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ products { totalCount } }', variables: { x: 'x'.repeat(bytes) } })
  }).catch(() => null)
  // Refused before its body is read: the connection may end under who still sends it.
  return response === null ? { status: 0, text: '' } : { status: response.status, text: await response.text() }
}

for (const length of [16 * mebibyte, 'chunked'] as const) {
  t.test(`two bodies of 16 MiB may be on their way from one vendor (${length}), whichever its keys; others go on, and it again once they are gone`, async (t) => {
    const held: Sender[] = []
    const refused = await eventually('a refusal', async () => {
      // On a busy machine one of them may be turned away as any request is.
      for (const [index, key] of [keys.shop, keys.second].entries()) if (held[index]?.answer() !== '') held[index] = await begin(t, key, length)
      const third = await begin(t, keys.shop, mebibyte)
      await eventually('what becomes of it', () => third.answer() !== '' || third.socket.destroyed, 2_000).catch(() => {})
      third.socket.destroy()
      return third.answer() === '' ? null : third.answer()
    })
    t.match(refused, /^HTTP\/1\.1 429 /)
    t.match(refused, /LIMIT_EXCEEDED/)
    t.match(refused, /Large requests that are arriving may have 33554432 bytes in all/)
    t.match(await send(keys.other, mebibyte), { status: 200 })
    for (const { socket } of held) socket.destroy()
    await eventually('room again', async () => (await send(keys.shop, mebibyte)).status === 200)
  })
}

t.test('one that has arrived takes up nothing any more', async (t) => {
  for (let n = 0; n < 6; n++) t.match(await send(keys.shop, 10 * mebibyte), { status: 200 })
})

t.test('a small one needs no room', async (t) => {
  await Promise.all([begin(t, keys.shop, 16 * mebibyte), begin(t, keys.shop, 16 * mebibyte)])
  t.match(await send(keys.shop, 1_000), { status: 200 })
})
