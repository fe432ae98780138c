/** `conversations` and `conversation`: filters, sorts, pages, and what comes of bad input. */
import t from 'tap'
import { seededRandom } from '../domain/seeded-random.js'
import { conversation, testAnalytics, type TestAnalytics } from './test-analytics.js'

let api: TestAnalytics
const recommended = (...externalIds: string[]): object[] => externalIds.map((externalId) => ({ product: { externalId } }))
const item = (externalId: string): object => ({ quantity: 1, finalTotalPrice: 5, product: { externalId } })
t.before(async () => {
  api = await testAnalytics(t)
  await api.write('acme', 'conversations', [
    conversation('c1', '2025-01-01T00:00:00Z', { sessionId: 's1', customer: { id: 'u1', email: 'Ann@example.com' }, segment: { smartTagIds: ['t1'], aiInferredSentiment: 'NEGATIVE' } }),
    conversation('c2', '2025-01-02T00:00:00Z', { channel: 'HelpdeskOneTicket', sessionId: 's2', segment: { aiAppliedTags: [{ tagId: 't2' }, { tagId: 't1' }] } }),
    conversation('c3', '2025-06-03T00:00:00Z', { channel: 'HelpdeskTwoTicket', currentExpertId: 'e1' }),
    conversation('c4', '2024-06-04T00:00:00Z', { lastMessageDate: '2026-01-01T00:00:00Z' })
  ])
  await api.write('acme', 'conversation-events', [
    { id: 'v1', conversationId: 'c2', type: 'AIMessage', created: '2025-01-02T00:01:00Z' },
    { id: 'v2', conversationId: 'c2', type: 'ExpertMessage', created: '2025-01-02T00:02:00Z', expertId: 'e1' },
    { id: 'v3', conversationId: 'c3', type: 'ExpertJoined', created: '2025-06-03T00:01:00Z', expertId: 'e2' },
    { id: 'v4', conversationId: 'c2', type: 'Recommendation', created: '2025-01-02T00:03:00Z', recommendations: recommended('p3', 'p4', 'p3') },
    { id: 'v5', conversationId: 'c4', type: 'Recommendation', created: '2024-06-04T00:01:00Z', recommendations: recommended('p3') }
  ])
  await api.write('acme', 'orders', [
    { id: 'o1', sessionId: 's1', created: '2025-01-01T01:00:00Z', totalPrice: 10, currency: 'USD' },
    { id: 'o2', sessionId: 's2', created: '2025-01-02T01:00:00Z', totalPrice: 10, currency: 'USD', attribution: { method: 'm', conversationId: 'c2', chattingExpertId: 'e9' }, lineItems: [item('p1'), item('p2'), { quantity: 1, finalTotalPrice: 1 }] },
    { id: 'o3', created: '2025-01-02T01:00:00Z', totalPrice: 10, currency: 'USD', lineItems: [item('p3')] }
  ])
  await api.write('acme', 'surveys', [
    { id: 'y1', conversationId: 'c1', type: 'NPS', rating: 9, created: '2025-01-03T00:00:00Z', expertId: 'e1' },
    { id: 'y2', conversationId: 'c3', type: 'NPS', rating: 6, created: '2025-01-03T00:00:00Z' },
    { id: 'y3', conversationId: 'c4', type: 'NPS', rating: 7, created: '2025-01-03T00:00:00Z' }
  ])
  await api.write('rival', 'conversations', [conversation('r1', '2025-01-01T00:00:00Z', { customer: { id: 'u', email: 'ann@example.com' } }), conversation('c1', '2025-01-01T00:00:00Z', { subject: 'theirs' })])
})

const list = `query ($filter: [ConversationFilterInput!], $sort: [ConversationSortInput!], $first: Int, $cursor: String, $vendorId: ID = "acme") {
  conversations(vendorId: $vendorId, first: $first, cursor: $cursor, sort: $sort, filter: $filter) {
    totalCount hasNextPage hasPrevPage startCursor endCursor edges { cursor node { id } }
  }
}`
const idsOf = (answer: { data: { conversations: { edges: Array<{ node: { id: string } }> } } }): string[] => answer.data.conversations.edges.map(({ node }) => node.id)

t.test('each filter finds what it names, and counts it', async (t) => {
  const cases: Array<[string, object[], string[]]> = [
    ['expertId', [{ expertId: 'e1' }], ['c2']],
    ['email, whatever its case', [{ email: 'aNN@example.com' }], ['c1']],
    ['Attributed', [{ conversionStatus: 'Attributed' }], ['c2']],
    ['Converted', [{ conversionStatus: 'Converted' }], ['c1']],
    ['None', [{ conversionStatus: 'None' }], ['c3', 'c4']],
    ['any of the tags', [{ smartTagIds: ['t1', 't9'] }], ['c1', 'c2']],
    ['all of the tags', [{ smartTagIds: ['t1'] }, { smartTagIds: ['t2'] }], ['c2']],
    ['a product that it sold', [{ soldProductExternalId: 'p2' }], ['c2']],
    ['a product that was sold without it', [{ soldProductExternalId: 'p3' }], []],
    ['a product that was recommended in it', [{ recommendedProductExternalId: 'p3' }], ['c2', 'c4']],
    ['a product that it sold, recommended in none', [{ recommendedProductExternalId: 'p1' }], []],
    ['one that was recommended and one that was sold', [{ recommendedProductExternalId: 'p3', soldProductExternalId: 'p2' }], ['c2']],
    ['Positive', [{ npsRating: 'Positive' }], ['c1']],
    ['Negative', [{ npsRating: 'Negative' }], ['c3']],
    ['sentiment', [{ sentiment: 'NEGATIVE' }], ['c1']],
    ['AI', [{ expertChatType: 'AI' }], ['c1', 'c4']],
    ['Human', [{ expertChatType: 'Human' }], ['c3']],
    ['Both', [{ expertChatType: 'Both' }], ['c2']],
    ['HasAI', [{ expertChatType: 'HasAI' }], ['c1', 'c2', 'c4']],
    ['HasHuman', [{ expertChatType: 'HasHuman' }], ['c2', 'c3']],
    ['channels', [{ channels: ['HelpdeskOneTicket', 'HelpdeskTwoTicket'] }], ['c2', 'c3']],
    ['keys of an entry and entries are ANDed', [{ channels: ['ServiceChat'], expertChatType: 'AI' }, { sentiment: 'NEGATIVE' }], ['c1']],
    ['contradictions find nothing', [{ channels: ['ServiceChat'] }, { channels: ['HelpdeskOneTicket'] }], []],
    ['nulls and empty lists ask for nothing', [{ email: null, smartTagIds: [] }], ['c1', 'c2', 'c3', 'c4']]
  ]
  for (const [name, filter, expected] of cases) {
    const answer = await api.ask('acme', list, { filter })
    t.strictSame(answer.errors, undefined, name)
    t.strictSame(idsOf(answer).sort(), expected, name)
    t.equal(answer.data.conversations.totalCount, expected.length, name)
  }
})

t.test('those of a period, and of an hour of the week by the wall clock of a zone', async (t) => {
  const ofPeriod = `query ($start: DateTime, $end: DateTime, $hour: HourOfWeekInput, $filter: [ConversationFilterInput!], $sort: [ConversationSortInput!], $first: Int, $cursor: String) {
    conversations(vendorId: "acme", first: $first, cursor: $cursor, sort: $sort, filter: $filter, start: $start, end: $end, hour: $hour) {
      totalCount hasNextPage endCursor edges { node { id } }
    }
  }`
  const wednesday = { dayIndex: 2, hour: 0, timezone: 'UTC' }
  const cases: Array<[string, object, string[]]> = [
    ['start is within, end is not', { start: '2025-01-01T00:00:00Z', end: '2025-01-02T00:00:00Z' }, ['c1']],
    ['from then on, the newest first', { start: '2025-01-02T00:00:00Z' }, ['c3', 'c2']],
    ['before', { end: '2025-01-01T00:00:00Z' }, ['c4']],
    ['with a filter', { start: '2025-01-01T00:00:00Z', end: '2025-02-01T00:00:00Z', filter: [{ expertChatType: 'AI' }] }, ['c1']],
    ['with a list of keys', { start: '2025-01-02T00:00:00Z', filter: [{ smartTagIds: ['t1', 't2'] }] }, ['c2']],
    ['nothing', { start: '2030-01-01T00:00:00Z' }, []],
    ['an empty period', { start: '2025-01-01T00:00:00Z', end: '2025-01-01T00:00:00Z' }, []],
    ['an hour', { hour: wednesday }, ['c1']],
    ['an hour, elsewhere', { hour: { dayIndex: 1, hour: 19, timezone: 'America/New_York' } }, ['c1']],
    ['an hour of a period without it', { hour: wednesday, start: '2025-01-02T00:00:00Z' }, []],
    ['an hour, with filters', { hour: wednesday, filter: [{ smartTagIds: ['t1', 't2'] }, { sentiment: 'NEGATIVE' }] }, ['c1']]
  ]
  for (const [what, variables, expected] of cases) {
    const answer = await api.ask('acme', ofPeriod, variables)
    t.strictSame(idsOf(answer), expected, what)
    t.equal(answer.data.conversations.totalCount, expected.length, what)
  }
  const first = await api.ask('acme', ofPeriod, { start: '2025-01-01T00:00:00Z', first: 2 })
  t.strictSame([idsOf(first), first.data.conversations.hasNextPage], [['c3', 'c2'], true])
  const next = await api.ask('acme', ofPeriod, { start: '2025-01-01T00:00:00Z', first: 2, cursor: first.data.conversations.endCursor })
  t.strictSame([idsOf(next), next.data.conversations.hasNextPage], [['c1'], false])
  // A cursor from outside of the period begins with what is within.
  t.strictSame(idsOf(await api.ask('acme', ofPeriod, { end: '2025-01-02T00:00:00Z', cursor: first.data.conversations.endCursor })), ['c1', 'c4'])
  for (const [field, variables] of [
    ['sort', { start: '2025-01-01T00:00:00Z', sort: [{ field: 'lastMessageDate', direction: 'desc' }] }], ['end', { start: '2025-01-02T00:00:00Z', end: '2025-01-01T00:00:00Z' }],
    ['hour.hour', { hour: { ...wednesday, hour: 24 } }], ['hour.dayIndex', { hour: { ...wednesday, dayIndex: -1 } }], ['timezone', { hour: { ...wednesday, timezone: 'Mars/Base' } }]
  ] as const) {
    t.match((await api.ask('acme', ofPeriod, variables)).errors?.[0]?.extensions, { code: 'BAD_USER_INPUT', field }, field)
  }
})

t.test('sorted by lastMessageDate, newest first, unless told otherwise', async (t) => {
  t.strictSame(idsOf(await api.ask('acme', list)), ['c4', 'c3', 'c2', 'c1'])
  t.strictSame(idsOf(await api.ask('acme', list, { sort: [{ field: 'created', direction: 'desc' }] })), ['c3', 'c2', 'c1', 'c4'])
  t.strictSame(idsOf(await api.ask('acme', list, { sort: [{ field: 'created', direction: 'asc' }] })), ['c4', 'c1', 'c2', 'c3'])
  t.strictSame(idsOf(await api.ask('acme', list, { sort: [{ field: 'lastMessageDate', direction: 'asc' }, { field: 'created', direction: 'desc' }] })), ['c1', 'c2', 'c3', 'c4'])
})

t.test('pages follow each other by cursor, in both directions of time', async (t) => {
  for (const direction of ['asc', 'desc']) {
    const sort = [{ field: 'created', direction }]
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < 4; page++) {
      const answer = await api.ask('acme', list, { sort, first: 1, cursor })
      const { hasNextPage, hasPrevPage, startCursor, endCursor } = answer.data.conversations
      t.equal(hasNextPage, page < 3)
      t.equal(hasPrevPage, page > 0)
      t.equal(startCursor, endCursor)
      seen.push(...idsOf(answer))
      cursor = endCursor
    }
    t.strictSame(seen, direction === 'asc' ? ['c4', 'c1', 'c2', 'c3'] : ['c3', 'c2', 'c1', 'c4'])
  }
})

t.test('a page size outside of 1 to 200 is refused', async (t) => {
  for (const first of [0, 201, -1]) {
    const { errors } = await api.ask('acme', list, { first })
    t.match(errors, [{ message: 'first must be from 1 to 200', extensions: { code: 'BAD_USER_INPUT', field: 'first' } }])
  }
})

t.test('a forged cursor, or one of another list, is refused', async (t) => {
  const encode = (position: object): string => Buffer.from(JSON.stringify(position)).toString('base64url')
  const { data } = await api.ask('acme', list, { first: 1 })
  const real = JSON.parse(Buffer.from(data.conversations.endCursor as string, 'base64url').toString()) as { sort: string, values: number[], key: string }
  const byCreated = { sort: [{ field: 'created', direction: 'desc' }] }
  const rival = await api.ask('rival', list, { first: 1, vendorId: 'rival' })
  const cases: Array<[string, object]> = [
    ['x', {}], ['', {}], ['x'.repeat(5_000), {}],
    [encode({ ...real, key: 'unknown' }), {}],
    [encode({ ...real, key: { $gt: '' } }), {}],
    [encode({ ...real, values: [] }), {}],
    [encode({ ...real, values: [1.5] }), {}],
    [encode({ ...real, more: 1 }), {}],
    [encode({ ...real, sort: 'created:desc', values: [0] }), byCreated],
    [data.conversations.endCursor as string, byCreated],
    [rival.data.conversations.endCursor as string, {}]
  ]
  for (const [cursor, more] of cases) {
    const { errors } = await api.ask('acme', list, { cursor, ...more })
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'cursor' } }], cursor.slice(0, 60))
  }
})

t.test('filters and sorts that are too large are refused', async (t) => {
  for (const filter of [Array.from({ length: 21 }, () => ({ expertId: 'e' })), [{ smartTagIds: Array.from({ length: 51 }, () => 't') }], [{ email: 'x'.repeat(321) }]]) {
    t.match((await api.ask('acme', list, { filter })).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  }
  const created = { field: 'created', direction: 'asc' }
  t.match((await api.ask('acme', list, { sort: [created, created] })).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'sort' } }])
})

t.test('what a filter names is a value, never a part of a query', async (t) => {
  for (const expertId of ['$ne', '.*', 'e1|x', '{"$gt":""}', '__proto__']) {
    const answer = await api.ask('acme', list, { filter: [{ expertId }] })
    t.strictSame([answer.errors, idsOf(answer)], [undefined, []], expertId)
  }
})

t.test('another vendor\'s conversations do not exist', async (t) => {
  t.match((await api.ask('rival', list, {})).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.strictSame((await api.ask('acme', '{ conversation(id: "r1") { id } }')).data, { conversation: null })
  t.equal((await api.ask('rival', '{ conversation(id: "c1") { subject } }')).data.conversation.subject, 'theirs', 'the same id is another conversation')
  t.match((await api.ask('acme', '{ customerEvent(id: "r1", vendorId: "acme") { id } }')).errors, [{ extensions: { code: 'NOT_FOUND' } }])
  t.strictSame(idsOf(await api.ask('acme', list, { filter: [{ email: 'ann@example.com' }] })), ['c1'])
})

t.test('paging by created neither skips nor repeats while conversations come and old ones get messages', async (t) => {
  for (let seed = 0; seed < 3; seed++) {
    const vendorId = `paging${seed}`
    const random = seededRandom(seed)
    // Few different instants, so that many conversations share one.
    const at = (): string => new Date(Date.UTC(2025, 0, 1) + random.below(8) * random.pick([1, 3_600_000, 86_400_000])).toISOString()
    const before = Array.from({ length: 40 }, (_, index) => conversation(`c${index}`, at()))
    await api.write(vendorId, 'conversations', before)
    const sort = [{ field: 'created', direction: random.pick(['asc', 'desc']) }]
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 0; ; page++) {
      const answer = await api.ask(vendorId, list, { vendorId, sort, first: 1 + random.below(9), cursor })
      seen.push(...idsOf(answer))
      if (answer.data.conversations.hasNextPage !== true) break
      cursor = answer.data.conversations.endCursor as string
      await api.write(vendorId, 'conversations', [conversation(`new${page}`, at())])
      await api.write(vendorId, 'conversation-events', [{ id: `v${page}`, conversationId: `c${random.below(40)}`, type: 'CustomerMessage', created: '2026-01-01T00:00:00Z' }])
    }
    t.equal(new Set(seen).size, seen.length, `seed ${seed}: none twice`)
    t.strictSame(before.filter(({ id }) => !seen.includes(id)), [], `seed ${seed}: none left out`)
  }
})
