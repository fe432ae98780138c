/** Bad input of statistics, and how tags are kept. */
import t from 'tap'
import { conversation, testAnalytics, type TestAnalytics } from './test-analytics.js'

let api: TestAnalytics
t.before(async () => {
  api = await testAnalytics(t)
  await api.write('acme', 'conversations', [conversation('c1', '2025-01-01T00:00:00Z', { segment: { smartTagIds: ['t1', 't2'] } })])
  await api.write('acme', 'smart-tags', [{ id: 't1', title: 'Sizing' }, { id: 't2', title: 'Returns' }])
})

const statistics = async (args: string, fields: string) =>
  await api.ask('acme', `{ vendorById(vendorId: "acme") { conversationAggregateStatistics${args} { ${fields} } } }`)

t.test('an end before the start is refused', async (t) => {
  t.match((await statistics('(start: "2025-02-01", end: "2025-01-01")', 'numberOfChats')).errors, [{ message: 'end must not be before start', extensions: { code: 'BAD_USER_INPUT', field: 'end' } }])
  t.match((await api.ask('acme', '{ smartTagCounts(vendorId: "acme", start: "2025-02-01", end: "2025-01-01") { count } }')).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'end' } }])
})

t.test('an empty period has nothing in it', async (t) => {
  const { data, errors } = await statistics('(start: "2025-01-01", end: "2025-01-01")', 'numberOfChats automationRate attributedRevenueTimeSeries(timezone: "UTC") { time } chatsByHourHistogram(timezone: "UTC") { count average }')
  t.equal(errors, undefined)
  const { chatsByHourHistogram, ...rest } = data.vendorById.conversationAggregateStatistics
  t.strictSame(rest, { numberOfChats: 0, automationRate: null, attributedRevenueTimeSeries: [] })
  t.strictSame(chatsByHourHistogram, Array.from({ length: 24 }, () => ({ count: 0, average: 0 })))
})

t.test('a start is in the period, an end is not', async (t) => {
  const chats = async (args: string): Promise<number> => (await statistics(args, 'numberOfChats')).data.vendorById.conversationAggregateStatistics.numberOfChats as number
  t.equal(await chats('(start: "2025-01-01T00:00:00.000Z")'), 1)
  t.equal(await chats('(start: "2025-01-01T00:00:00.001Z")'), 0)
  t.equal(await chats('(end: "2025-01-01T00:00:00.000Z")'), 0)
  t.equal(await chats('(end: "2025-01-01T00:00:00.001Z")'), 1)
})

t.test('an unknown zone is refused at its field, the other figures stand', async (t) => {
  for (const zone of ['Mars/Olympus', '', '+01:00', 'Europe/Berlin\\u0000', '../etc/passwd', 'x'.repeat(10_000)]) {
    const { data, errors } = await statistics('', `numberOfChats chatsByHourHistogram(timezone: "${zone}") { hour }`)
    t.strictSame(data.vendorById.conversationAggregateStatistics, { numberOfChats: 1, chatsByHourHistogram: null })
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'timezone' }, path: ['vendorById', 'conversationAggregateStatistics', 'chatsByHourHistogram'] }])
  }
})

t.test('a period that is cut into too many pieces is refused', async (t) => {
  t.match((await statistics('(start: "0001-01-01", end: "9999-01-01")', 'attributedRevenueTimeSeries(timezone: "UTC") { time }')).errors, [{ message: /at most 100 years/ }])
})

t.test('a request computes a bounded number of figures', async (t) => {
  const many = Array.from({ length: 101 }, (_, index) => `a${index}: conversationAggregateStatistics { numberOfChats }`).join(' ')
  t.match((await api.ask('acme', `{ vendorById(vendorId: "acme") { ${many} } }`)).errors, [{ message: /at most 100 figures/ }])
})

t.test('topExperts takes 1 to 100', async (t) => {
  t.match((await statistics('', 'topExperts(first: 0) { numberOfChats }')).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.match((await statistics('', 'topExperts(first: 101) { numberOfChats }')).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('an unknown vendor is not told from another\'s', async (t) => {
  for (const id of ['rival', 'nobody']) t.match((await api.ask('acme', `{ vendorById(vendorId: "${id}") { id } }`)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
})

t.test('tags are created, edited and deleted, and a load does not undo that', async (t) => {
  const created = await api.ask('acme', 'mutation { createSmartTag(vendorId: "acme", input: { title: "Gift", description: "for others" }) { id title description } }')
  const { id } = created.data.createSmartTag
  t.strictSame(created.data.createSmartTag, { id, title: 'Gift', description: 'for others' })
  const edited = await api.ask('acme', `mutation { updateSmartTag(id: "${id}", input: { title: "Present" }) { title description } other: updateSmartTag(id: "t1", input: { title: "Fit", description: null }) { title } deleteSmartTag(id: "t2") }`)
  t.strictSame(edited.data, { updateSmartTag: { title: 'Present', description: 'for others' }, other: { title: 'Fit' }, deleteSmartTag: true })

  await api.write('acme', 'smart-tags', [{ id: 't1', title: 'Sizing again' }, { id: 't2', title: 'Returns again' }])
  const { data } = await api.ask('acme', '{ vendorSmartTags(vendorId: "acme") { title } smartTagCounts(vendorId: "acme") { tag { title } count } }')
  t.strictSame(data, { vendorSmartTags: [{ title: 'Fit' }, { title: 'Present' }], smartTagCounts: [{ tag: { title: 'Fit' }, count: 1 }] })
})

t.test('a tag that is not there, or another vendor\'s, is NOT_FOUND', async (t) => {
  for (const mutation of ['updateSmartTag(id: "t1", input: { title: "x" }) { id }', 'deleteSmartTag(id: "t1")', 'deleteSmartTag(id: "nothing")']) {
    t.match((await api.ask('rival', `mutation { ${mutation} }`)).errors, [{ extensions: { code: 'NOT_FOUND' } }], mutation)
  }
  for (const title of ['', '   ', 'x'.repeat(256)]) {
    const { errors } = await api.ask('acme', 'mutation ($title: String!) { createSmartTag(vendorId: "acme", input: { title: $title }) { id } }', { title })
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'input.title' } }])
  }
})
