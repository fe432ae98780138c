/** Following an import job over a websocket (graphql-transport-ws). */
import { createConnection, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { recordingLog } from '../support/log.js'
import { connect, follow, type Client, type Message } from '../support/subscriber.js'
import { testApi } from '../unit/api/test-api.js'

let nowMs = 0
let reads = 0
const { log, entries } = recordingLog()
const api = await testApi(t, {
  dependencies: { log },
  monotonicMs: () => nowMs,
  jobPollIntervalMs: 20,
  recheckIntervalMs: 20,
  repositories: (real) => ({
    ...real,
    importJobs: { ...real.importJobs, find: async (...args) => { reads++; return await real.importJobs.find(...args) } }
  })
})
const key = await api.keyOf('shop')
const weak = await api.keyOf('shop', [])
await api.keyOf('other')
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

async function ready (t: Test, apiKey = key): Promise<Client> {
  const client = await connect(t, port)
  client.send({ type: 'connection_init', payload: { 'X-Vendor-Api-Key': apiKey } })
  t.strictSame(await client.next(), { type: 'connection_ack' })
  return client
}

t.test('the job at once, every change, and the end', async (t) => {
  const jobId = await api.startJob('shop')
  const client = await ready(t)
  client.send(follow(jobId))
  t.match(await client.next(), { type: 'next', id: '1', payload: { data: { productImportJobProgress: { status: 'queued', errorDetails: [] } } } })
  await api.repositories.importJobs.progress('shop', jobId, { bytesRead: 5, bytesTotal: 10, linesRead: 1 })
  t.match(await client.next(), { payload: { data: { productImportJobProgress: { progress: { bytesRead: 5, percent: 50 } } } } })
  await api.endJob('shop', jobId)
  t.match(await client.next(), { payload: { data: { productImportJobProgress: { status: 'completed' } } } })
  t.match(await client.next(), { type: 'complete', id: '1' })
})

for (const name of ['x-vendor-api-key', 'X-VENDOR-API-KEY']) {
  t.test(`the key may come as ${name}`, async (t) => {
    const client = await connect(t, port)
    client.send({ type: 'connection_init', payload: { [name]: key } })
    t.equal((await client.next()).type, 'connection_ack')
  })
}

t.test('the key may come in the header of the upgrade', async (t) => {
  const client = await connect(t, port, { 'x-vendor-api-key': key })
  client.send({ type: 'connection_init' })
  t.equal((await client.next()).type, 'connection_ack')
})

for (const text of ['null', ' \n null\t', 'nothing']) {
  t.test(`a stranger's ${JSON.stringify(text)} is no message, is answered, and no error of the service`, async (t) => {
    const before = entries.length
    const client = await connect(t, port)
    client.sendText(text)
    t.match(await client.next(), { type: 'error', payload: [{ message: 'Message must be a JSON string' }] })
    t.strictSame(entries.slice(before).filter(({ level }) => Number(level) >= 50), [])
  })
}

t.test('without a key, or with a wrong one, the connection is closed as forbidden', async (t) => {
  for (const payload of [undefined, {}, { 'X-Vendor-Api-Key': 'svc_wrong' }, { 'X-Vendor-Api-Key': { $ne: null } }, null, 'text']) {
    const client = await connect(t, port)
    client.send({ type: 'connection_init', payload })
    t.equal(await client.closed, 4403)
  }
})

t.test('a second connection_init closes the connection', async (t) => {
  const client = await ready(t)
  client.send({ type: 'connection_init', payload: { 'X-Vendor-Api-Key': key } })
  t.equal(await client.closed, 4429)
})

t.test('a connection that begins subscription after subscription is closed', async (t) => {
  const client = await ready(t)
  for (let n = 0; n <= 1_000; n++) client.send(follow('unknown', String(n)))
  t.equal(await client.closed, 4429)
})

t.test('of one connection at most fifty subscriptions run at a time', async (t) => {
  const jobId = await api.startJob('shop')
  const client = await ready(t)
  for (let n = 0; n <= 50; n++) client.send(follow(jobId, String(n)))
  const answers = []
  for (let n = 0; n <= 50; n++) answers.push(await client.next())
  t.equal(answers.filter(({ type }) => type === 'next').length, 50)
  t.match(answers.filter(({ type }) => type === 'error'), [{ payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] }])
  await api.endJob('shop', jobId)
})

t.test('nothing can be subscribed to before connection_init', async (t) => {
  const client = await connect(t, port)
  client.send(follow('x'))
  await client.closed
})

async function refusal (t: Test, apiKey: string, message: object): Promise<Message> {
  const client = await ready(t, apiKey)
  client.send(message)
  return await client.next()
}

t.test('unknown jobs and those of other vendors: NOT_FOUND', async (t) => {
  for (const jobId of ['unknown', await api.startJob('other')]) {
    t.match(await refusal(t, key, follow(jobId)), { type: 'error', id: '1', payload: [{ message: 'No such import job', extensions: { code: 'NOT_FOUND' } }] })
  }
})

t.test('a missing permission: FORBIDDEN', async (t) => {
  t.match(await refusal(t, weak, follow('x')), { type: 'error', payload: [{ extensions: { code: 'FORBIDDEN' } }] })
})

const invalid: Array<[what: string, query: unknown]> = [
  ['a syntax error', 'subscription {'],
  ['an unknown field', 'subscription { nothing }'],
  ['a query', '{ productImportJobs { totalCount } }'],
  ['a mutation', 'mutation { cancelProductImport(jobId: "x") { status } }'],
  ['a syntax tree', { kind: 'Document', definitions: [{ kind: 'OperationDefinition', operation: 'subscription', selectionSet: { kind: 'SelectionSet', selections: [] } }] }],
  ['too long a text', `subscription { productImportJobProgress(jobId: "x") { status } } #${'x'.repeat(70_000)}`],
  ['nothing', undefined]
]
for (const [what, query] of invalid) {
  t.test(`${what} is refused with a code`, async (t) => {
    const message = await refusal(t, key, { type: 'subscribe', id: '1', payload: { query } })
    t.equal(message.type, 'error')
    t.match(message.payload, [{ message: String, extensions: { code: /BAD_USER_INPUT|INTERNAL_SERVER_ERROR/ } }])
    t.notMatch(JSON.stringify(message), /undefined|at .*\.js/)
  })
}

t.test('nothing that a client sends over a connection that is open is an error of ours', async (t) => {
  const client = await ready(t)
  const before = entries.length
  const messages = [
    { type: 'nothing' }, { type: 'subscribe', id: '1' }, { type: 'subscribe', id: '1', payload: null }, { type: 'subscribe', id: '1', payload: {} },
    { type: 'subscribe', id: '1', payload: { query: 'subscription A { __typename } subscription B { __typename }' } },
    { type: 'subscribe', id: '1', payload: { query: '{ __typename }' } },
    { type: 'subscribe', id: '1', payload: { query: `subscription { a ${'@b '.repeat(2_000)} }` } },
    { ...follow('x'), extensions: [{ type: 'connectionInit' }] },
    { ...follow('x'), payload: { ...follow('x').payload, variables: { id: {} } } }
  ]
  for (const message of messages) {
    client.send(message)
    t.match(await client.next(), { type: 'error', payload: [{ message: String, extensions: { code: 'BAD_USER_INPUT' } }] }, JSON.stringify(message))
  }
  t.strictSame(entries.slice(before).filter(({ level }) => Number(level) > 30), [])
})

/** All of them in one piece, as `ws` frames of a client. */
const inOnePiece = (client: Client, count: number, message: object): void => {
  client.cork(() => { for (let n = 0; n < count; n++) client.send(message) })
}

t.test('between two messages that came in one piece the event loop comes round', async (t) => {
  const client = await ready(t)
  let rounds = 0
  let isOver = false
  const count = (): void => {
    rounds++
    if (!isOver) setImmediate(count)
  }
  const answered = Promise.all(Array.from({ length: 100 }, async () => await client.next()))
  inOnePiece(client, 100, { type: 'nothing' })
  setImmediate(count)
  await answered
  isOver = true
  t.ok(rounds >= 100, `${rounds} rounds`)
})

t.test('a connection that sends many messages within a second is closed, and hears no more', async (t) => {
  const client = await ready(t)
  let answers = 0
  const answer = async (): Promise<void> => {
    await client.next()
    answers++
    await answer()
  }
  answer().catch(() => {})
  inOnePiece(client, 1_000, { type: 'nothing' })
  t.equal(await client.closed, 4429)
  t.ok(answers < 300, `${answers} answers`)
})

t.test('whoever does not say who it is may send few, however long it takes', async (t) => {
  const client = await connect(t, port)
  for (let n = 0; n < 10; n++) {
    nowMs += 1_000
    inOnePiece(client, 100, { type: 'nothing' })
  }
  t.equal(await client.closed, 4429)
})

t.test('a message is bounded', async (t) => {
  const client = await connect(t, port)
  client.send({ type: 'connection_init', payload: { more: 'x'.repeat(200_000) } })
  t.equal(await client.closed, 1009)
})

t.test('what an event reads is bounded, whoever began to follow the job', async (t) => {
  const jobId = await api.startJob('shop')
  const long = 'x'.repeat(3_000)
  await api.repositories.importIssues.add('shop', jobId, Array.from({ length: 400 }, (_, n) => ({
    severity: 'error', file: 'a.jsonl', line: n + 1, externalId: long, faults: [], position: { file: 0, line: n + 1 }
  })))
  const client = await ready(t)
  client.send({ type: 'subscribe', id: '1', payload: { query: `subscription { productImportJobProgress(jobId: "${jobId}") { status errorDetails(first: 1000) { line } } }` } })
  t.match(await client.next(), { type: 'next', payload: { errors: [{ message: /too large/, extensions: { code: 'BAD_USER_INPUT' } }] } })
  await api.endJob('shop', jobId)
})

t.test('all who follow one job share its poller, and it ends with the last of them', async (t) => {
  const jobId = await api.startJob('shop')
  const clients = await Promise.all(Array.from({ length: 10 }, async () => await ready(t)))
  for (const client of clients) client.send(follow(jobId))
  for (const client of clients) t.equal((await client.next()).type, 'next')
  reads = 0
  await pass(200)
  t.ok(reads <= 11, `${reads} reads in 10 intervals`)
  clients[0]?.send({ type: 'complete', id: '1' })
  for (const client of clients.slice(1)) client.close()
  await until(async () => {
    reads = 0
    await pass(60)
    return reads === 0
  })
  await api.endJob('shop', jobId)
})

t.test('an id that is used twice leaves no poller behind', async (t) => {
  const jobId = await api.startJob('shop')
  const client = await ready(t)
  client.send(follow(jobId))
  client.send(follow(jobId))
  await client.next()
  await client.next()
  client.close()
  await client.closed
  await until(async () => {
    reads = 0
    await pass(60)
    return reads === 0
  })
  await api.endJob('shop', jobId)
})

t.test('revoking the key ends its connections, also while nothing happens', async (t) => {
  const { key: doomed, record } = await api.repositories.integrationApiKeys.create('shop', 'doomed', ['PRODUCT_MANAGE'])
  const jobId = await api.startJob('shop')
  const client = await ready(t, doomed)
  const other = await ready(t)
  client.send(follow(jobId))
  t.equal((await client.next()).type, 'next')
  await api.repositories.integrationApiKeys.revoke('shop', record._id)
  nowMs += 5_000
  t.equal(await client.closed, 4403)
  other.send(follow(jobId))
  t.equal((await other.next()).type, 'next', 'and nobody else\'s')
  await api.endJob('shop', jobId)
})

t.test('an upgrade anywhere else is refused, and its socket let go', async (t) => {
  for (const path of ['/healthz', '/nothing', '/api/v1/products/import/x', '/metrics']) {
    const socket = createConnection(port, '127.0.0.1')
    t.teardown(() => { socket.destroy() })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    t.notMatch(answer, /^HTTP\/1\.1 101/)
    t.match(answer, /^HTTP\/1\.1 /)
  }
})

const pass = async (ms: number): Promise<void> => { await new Promise((resolve) => setTimeout(resolve, ms)) }

/** tap's own time limit ends the wait for what never comes. */
async function until (holds: () => Promise<boolean>): Promise<void> {
  while (!await holds()) await pass(10)
}
