import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { createBrokerFaults } from '../../../src/kafka/broker-faults.js'
import { createTokenSource, type TokenSource } from '../../../src/kafka/token-source.js'
import { eventually } from '../../support/eventually.js'
import { silent } from '../../support/log.js'

interface Answer { status: number, body: string }

async function endpoint (t: Test, answer: (asked: { authorization: string | undefined, form: string }) => Answer): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then((form) => {
      const { status, body } = answer({ authorization: request.headers.authorization, form })
      response.writeHead(status).end(body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

function source (t: Test, url: string): { tokens: TokenSource, faults: ReturnType<typeof createBrokerFaults> } {
  const faults = createBrokerFaults(silent)
  const tokens = createTokenSource({ url, scope: 'kafka', credentials: () => ({ id: 'me:1', secret: 'se cret' }), faults, log: silent })
  t.teardown(() => { tokens.close() })
  return { tokens, faults }
}

t.test('a token is asked for with the client\'s credentials, and given to who is there and who comes', async (t) => {
  const asked: unknown[] = []
  const { tokens } = source(t, await endpoint(t, (request) => {
    asked.push(request)
    return { status: 200, body: JSON.stringify({ access_token: 'abc', expires_in: 600 }) }
  }))
  const given: string[] = []
  tokens.give((token) => { given.push(token) })
  await eventually('the token comes', () => given.length > 0)
  tokens.give((token) => { given.push(token) })
  t.strictSame(given, ['abc', 'abc'])
  t.strictSame(asked, [{ authorization: `Basic ${Buffer.from('me%3A1:se%20cret').toString('base64')}`, form: 'grant_type=client_credentials&scope=kafka' }])
})

t.test('one that is about to end is renewed', async (t) => {
  let count = 0
  const { tokens } = source(t, await endpoint(t, () => {
    count += 1
    return { status: 200, body: JSON.stringify({ access_token: `token-${count}`, expires_in: 1 }) }
  }))
  const given: string[] = []
  tokens.give((token) => { given.push(token) })
  await eventually('the second comes', () => given.length >= 2)
  t.strictSame(given.slice(0, 2), ['token-1', 'token-2'])
})

for (const [what, answer, reason] of [
  ['refuses', { status: 401, body: '{"error":"se cret is wrong"}' }, 'it answers 401'],
  ['answers no JSON', { status: 200, body: '<se cret>' }, 'its answer is no JSON'],
  ['answers without a token', { status: 200, body: 'null' }, 'its answer holds no access_token'],
  ['answers without end', { status: 200, body: 'x'.repeat(100_000) }, 'its answer has more than 65536 bytes']
] as const) {
  t.test(`an endpoint that ${what} is told, without what it says`, async (t) => {
    const url = await endpoint(t, () => answer)
    const { faults } = source(t, url)
    t.equal(await eventually('it is told', () => faults.find('connection')), `The token endpoint for Kafka, ${url}, gives no token: ${reason}`)
  })
}
