/** Loading analytics records: what a file may hold, what comes of bad records, and of the same ones again. */
import { gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import t from 'tap'
import { loadAnalyticsFile, loadAnalyticsMessages } from '../../../pipelines/analytics-load.js'
import type { RecordKind } from '../../../src/domain/analytics/records.js'
import { wordFault } from '../../../src/domain/issue.js'
import { createPatience } from '../../../src/store/database/while-away.js'
import { testDatabase, type TestDatabase } from '../../support/database.js'
import { silent } from '../../support/log.js'

let test: TestDatabase
t.before(async () => { test = await testDatabase(t) })

const signal = new AbortController().signal
const expert = (id: string): object => ({ id, firstName: `Name of ${id}` })
const lines = (...records: unknown[]): string => records.map((record) => typeof record === 'string' ? record : JSON.stringify(record)).join('\n')

async function load (content: string | Buffer, { kind = 'experts', name = 'records.jsonl', vendorId = 'acme' }: { kind?: RecordKind, name?: string, vendorId?: string } = {}) {
  const bad: string[] = []
  const totals = await loadAnalyticsFile({
    source: Readable.from([Buffer.from(content)]),
    name,
    kind,
    vendorId,
    writer: test.repositories.analytics.writer,
    patience: createPatience(signal, silent),
    onBadRecord: ({ line, faults }) => { bad.push(`${line}: ${faults.map((fault) => wordFault(fault)).join('; ')}`) },
    signal
  })
  return { totals, bad }
}

t.test('lines and arrays, gzipped or not, are the same records', async (t) => {
  const records = [expert('a'), expert('b')]
  for (const [vendorId, name, content] of [
    ['plain', 'x.jsonl', lines(...records)],
    ['packed', 'x.jsonl.gz', gzipSync(lines(...records))],
    ['array', 'x.json', JSON.stringify(records)],
    ['packed-array', 'x.json.gz', gzipSync(JSON.stringify(records))]
  ] as const) {
    t.strictSame((await load(content, { name, vendorId })).totals, { read: 2, written: 2, unchanged: 0, errors: 0 }, name)
    const found = await test.repositories.analytics.lookups.experts(vendorId, ['a', 'b'])
    t.strictSame([...found.values()].map(({ firstName }) => firstName).sort(), ['Name of a', 'Name of b'], name)
  }
})

t.test('a bad record is told with its line and everything that is wrong with it, and stops nothing', async (t) => {
  const content = lines(
    { id: 'c1', status: 'OPEN', channel: 'ServiceChat', created: '2025-01-01T00:00:00Z' },
    '{"id":',
    '',
    { id: '', status: 'Odd', created: '2025-02-30', customer: { id: 1 }, segment: { smartTagIds: [7] } },
    '[]',
    { id: 'c2', status: 'OPEN', channel: 'ServiceChat', created: '2025-01-01T00:00:00Z', subject: 'x'.repeat(1_001) }
  )
  const { totals, bad } = await load(content, { kind: 'conversations' })
  t.strictSame(totals, { read: 5, written: 1, unchanged: 0, errors: 4 })
  t.strictSame(bad, [
    '2: Malformed JSON',
    '4: id must not be blank; status must be one of OPEN, CLOSED; Missing required field: channel; created must be an ISO 8601 date and time with a zone; ' +
      'customer.id must be a string; segment.smartTagIds[0] must be a string',
    '5: A product must be a JSON object',
    '6: subject must be at most 1000 characters'
  ])
})

t.test('hostile names are dropped, and hostile values are values', async (t) => {
  await load('{"id":"h","firstName":"$where","__proto__":{"isCSAgent":true},"$set":{"vendorId":"other"},"vendorId":"other","_id":"x","constructor":1}')
  const found = (await test.repositories.analytics.lookups.experts('acme', ['h'])).get('h')
  t.match(found, { vendorId: 'acme', firstName: '$where', isCSAgent: null })
  t.strictSame(Object.keys(found ?? {}).sort(), ['_id', 'digest', 'firstName', 'id', 'isCSAgent', 'lastName', 'vendorId'])
})

t.test('the same records again change nothing, a changed one replaces', async (t) => {
  const vendorId = 'again'
  await load(lines(expert('a'), expert('b')), { vendorId })
  t.strictSame((await load(lines(expert('a'), { id: 'b', lastName: 'New' }, expert('c')), { vendorId })).totals, { read: 3, written: 3, unchanged: 1, errors: 0 })
  const found = await test.repositories.analytics.lookups.experts(vendorId, ['b'])
  t.match(found.get('b'), { firstName: null, lastName: 'New' })
})

t.test('the later of two records with one id wins, within a file too', async (t) => {
  await load(lines({ id: 'twice', firstName: 'first' }, { id: 'twice', firstName: 'second' }))
  t.equal((await test.repositories.analytics.lookups.experts('acme', ['twice'])).get('twice')?.firstName, 'second')
})

t.test('records that were written but not linked when the process died are linked when they come again', async (t) => {
  const { collections } = test.database
  const vendorId = 'crashed'
  const chat = lines({ id: 'c', status: 'OPEN', channel: 'ServiceChat', created: '2025-01-01T00:00:00Z', sessionId: 's' })
  const events = lines({ id: 'v', conversationId: 'c', type: 'ExpertMessage', created: '2025-01-01T00:01:00Z', expertId: 'e' })
  await load(chat, { vendorId, kind: 'conversations' })
  await load(events, { vendorId, kind: 'conversation-events' })
  const before = await collections.conversations.findOne({ vendorId })
  t.equal(before?.facts.human, true)
  // As it would be after a crash between the two writes.
  await collections.conversations.updateOne({ vendorId }, { $set: { 'facts.human': false, filterKeys: [] } })
  await load(events, { vendorId, kind: 'conversation-events' })
  const after = await collections.conversations.findOne({ vendorId })
  t.strictSame([after?.facts, after?.filterKeys], [before?.facts, before?.filterKeys])
})

t.test('an event that moves to another conversation leaves the old one without it', async (t) => {
  const vendorId = 'moved'
  const chat = (id: string): object => ({ id, status: 'OPEN', channel: 'ServiceChat', created: '2025-01-01T00:00:00Z' })
  const event = (conversationId: string): string => lines({ id: 'v', conversationId, type: 'ExpertJoined', created: '2025-01-01T00:01:00Z' })
  await load(lines(chat('a'), chat('b')), { vendorId, kind: 'conversations' })
  await load(event('a'), { vendorId, kind: 'conversation-events' })
  await load(event('b'), { vendorId, kind: 'conversation-events' })
  const { conversations } = test.repositories.analytics
  t.strictSame([(await conversations.find(vendorId, 'a'))?.facts.human, (await conversations.find(vendorId, 'b'))?.facts.human], [false, true])
})

t.test('writers at the same time lose no event of a conversation', async (t) => {
  const vendorId = 'crowd'
  await load(lines({ id: 'c', status: 'OPEN', channel: 'ServiceChat', created: '2025-01-01T00:00:00Z' }), { vendorId, kind: 'conversations' })
  await Promise.all(Array.from({ length: 8 }, async (_, index) => await load(
    lines({ id: `v${index}`, conversationId: 'c', type: 'ExpertJoined', created: '2025-01-01T00:01:00Z', expertId: `e${index}` }), { vendorId, kind: 'conversation-events' }
  )))
  t.equal((await test.repositories.analytics.conversations.find(vendorId, 'c'))?.facts.participants.length, 8)
})

t.test('a file that ends too early is fatal, and what came before stays', async (t) => {
  await t.rejects(load(gzipSync(lines(expert('a'))).subarray(0, 20)), { kind: 'fatal', message: /truncated/ })
  await t.rejects(load('[{"id":"a"}', { name: 'x.json' }), { message: /array/ })
})

t.test('an order in another currency must say its amount in USD', async (t) => {
  const order = { id: 'o', created: '2025-01-01', totalPrice: 1, currency: 'EUR' }
  t.strictSame((await load(lines(order, { ...order, totalPriceUSD: 1.1 }, { ...order, currency: 'USD' }), { kind: 'orders' })).bad, ['1: Missing required field: totalPriceUSD'])
})

t.test('messages: bad ones are named, the others of any kind and vendor are written', async (t) => {
  const message = (kind: string, vendorId: unknown, record: unknown): string => JSON.stringify({ kind, vendorId, record })
  const bad = await loadAnalyticsMessages([
    message('experts', 'm1', expert('x')), 'nonsense', '', message('nothing', 'm1', {}), message('__proto__', 'm1', {}), message('experts', { $ne: '' }, {}),
    message('experts', 'm1', null), message('smart-tags', 'm2', { id: 't', title: 'T' }), message('experts', 'm1', { id: 'x', firstName: 'later' })
  ], test.repositories.analytics.writer)
  t.strictSame(bad.map(({ index }) => index), [1, 2, 3, 4, 5, 6])
  t.equal((await test.repositories.analytics.lookups.experts('m1', ['x'])).get('x')?.firstName, 'later')
  t.equal((await test.repositories.analytics.smartTags.list('m2')).length, 1)
})
