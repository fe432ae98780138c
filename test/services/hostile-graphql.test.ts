/** Strangers and merchants who mean harm over HTTP: the service refuses them and goes on answering others (docs/security.md). */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { allowedGrowthBytes, residentBytes, stillServes } from './under-attack.js'

const service = await startServiceProcess(t)
const vendor = await createVendor(service)
const { hostname, port } = new URL(service.url)
const before = await residentBytes(service)

const send = async (query: string): Promise<{ status: number, code: string }> => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'x-vendor-api-key': vendor.apiKey }, body: JSON.stringify({ query })
  })
  const { errors = [] } = await response.json() as { errors?: Array<{ extensions: { code: string } }> }
  return { status: response.status, code: errors[0]?.extensions.code ?? '' }
}

const documents: Array<[string, string]> = [
  ['depth 1,000', `${'{ products { nodes '.repeat(500)}{ id }${' } }'.repeat(500)}`],
  ['10,000 aliases', `{ ${Array.from({ length: 10_000 }, (_, n) => `a${n}: products { totalCount }`).join(' ')} }`],
  ['2,000 short aliases', `{ ${Array.from({ length: 1_900 }, (_, n) => `a${n}:__typename`).join(' ')} }`],
  ['a fragment cycle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'],
  ['fragments that double', `{ ...f0 } ${Array.from({ length: 40 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`).join(' ')} fragment f40 on Query { __typename }`],
  ['1,000 directives', `{ __typename ${'@include(if: true) '.repeat(1_000)} }`],
  ['a list literal 10,000 deep', `{ products(first: ${'['.repeat(10_000)}${']'.repeat(10_000)}) { totalCount } }`],
  ['introspection in circles', `{ __schema { types { ${'fields { type { '.repeat(20)}name${' } }'.repeat(20)} } } }`]
]

for (const [what, text] of documents) {
  t.test(`${what}: refused`, async (t) => {
    t.strictSame(await send(text), { status: 400, code: 'BAD_USER_INPUT' })
    await stillServes(t, service, vendor, what)
  })
}

t.test('a body of 50 MB is not read to its end, with a key or without', async (t) => {
  for (const headers of [{}, { 'x-vendor-api-key': vendor.apiKey }]) {
    const post = request({ hostname, port, path: '/graphql', method: 'POST', headers: { ...headers, 'content-type': 'application/json', 'content-length': 50 * 1_024 ** 2 } })
    // The server answers and hangs up while we are still sending.
    post.on('error', () => {})
    const answered = once(post, 'response') as Promise<[{ statusCode: number, resume: () => void }]>
    post.write(Buffer.alloc(1_024 ** 2, 'x'))
    const [response] = await answered
    response.resume()
    post.destroy()
    t.ok([200, 400, 401, 413].includes(response.statusCode), String(response.statusCode))
  }
  await stillServes(t, service, vendor, 'large bodies')
})

t.test('1,000 slow uploads at once leave room for others', async (t) => {
  const sockets: Socket[] = []
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  for (let n = 0; n < 1_000; n++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => { /* being refused is fine */ })
    socket.write(`POST /graphql HTTP/1.1\r\nHost: x\r\nX-Vendor-Api-Key: ${vendor.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{"query":"`)
    sockets.push(socket)
    if (n % 100 === 0) await delay(1)
  }
  for (let round = 0; round < 10; round++) {
    for (const socket of sockets) socket.write('x'.repeat(1_024))
    await stillServes(t, service, vendor, `slow uploads, round ${round}`)
  }
})

t.test('a flood of made-up keys leaves room for others', async (t) => {
  const { createIntegrationKey } = await import('../../src/domain/api-key.js')
  const statuses = new Set<number>()
  for (let round = 0; round < 15; round++) {
    await Promise.all(Array.from({ length: 100 }, async () => {
      const response = await fetch(`${service.url}/api/v1/products/import/x`, { headers: { 'x-vendor-api-key': createIntegrationKey().key } })
      statuses.add(response.status)
      await response.arrayBuffer()
    }))
  }
  t.strictSame([...statuses].sort(), [401, 429])
  await stillServes(t, service, vendor, 'made-up keys')
})

t.test('after all of it the memory is within bounds', async (t) => {
  const growth = await residentBytes(service) - before
  t.ok(growth < allowedGrowthBytes, `${Math.round(growth / 1_024 ** 2)} MiB more`)
})
