import { connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { readForCaller } from '../../../src/api/read-for-caller.js'
import { currentReader, type Reader } from '../../../src/store/reads/reader.js'
import { beginCollecting } from '../../../src/threads/collect-garbage.js'
import { eventually } from '../../support/eventually.js'

const turns = async (): Promise<void> => { for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => { setImmediate(resolve) }) }

for (const [how, isListening] of [['that comes over a connection', true], ['that was handed on to a thread', false]] as const) {
  t.test(`what lives longer than a request ${how} does not keep its body`, async (t) => {
    const app = Fastify()
    t.teardown(async () => { await app.close() })
    readForCaller(app)
    const kept: Reader[] = []
    const collected = new Set<number>()
    const bodies = new FinalizationRegistry<number>((n) => { collected.add(n) })
    app.post('/', async ({ body }) => {
      kept.push(currentReader() as Reader)
      bodies.register(body as object, kept.length)
      return {}
    })
    const body = JSON.stringify({ text: 'x'.repeat(1_000) })
    const headers = { 'content-type': 'application/json' }
    if (isListening) {
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      for (let n = 0; n < 2; n++) await (await fetch(url, { method: 'POST', headers, body })).text()
    } else {
      for (let n = 0; n < 2; n++) await app.inject({ method: 'POST', url: '/', headers, payload: body })
    }
    await turns()
    // The last one may still be in somebody's hands.
    await eventually('its body is collected', () => {
      beginCollecting()
      return collected.has(1)
    })
    t.equal(kept[0]?.isGone?.(), true)
  })
}

t.test('a request whose caller has gone knows it', async (t) => {
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  readForCaller(app)
  let reader: Reader | undefined
  const arrived = new Promise<void>((resolve) => {
    app.get('/', async () => {
      reader = currentReader()
      resolve()
      await new Promise(() => {})
    })
  })
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await arrived
  t.equal(reader?.isGone?.(), false)
  const closed = new Promise((resolve) => { socket.once('close', resolve) })
  socket.destroy()
  await closed
  await eventually('it is known', () => reader?.isGone?.() === true)
})
