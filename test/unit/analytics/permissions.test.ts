/** Who may see which field (interface.md, "Permissions"). */
import { buildSchema, isObjectType } from 'graphql'
import t from 'tap'
import { fieldRules, guardFields } from '../../../src/api/auth/field-rules.js'
import { readSchemaText } from '../../../src/api/graphql/schema-text.js'
import { conversation, testAnalytics, type TestAnalytics } from './test-analytics.js'

/** As interface.md names them; what it does not name of the figures needs VIEW_CONVERSATIONS. */
const named = {
  VIEW_CONVERSIONS: [
    'totalValueOfConversationsAttributedToChat', 'totalValueOfConversationsAttributedToHumanChat', 'totalValueOfConversationsAttributedToAIChat',
    'numberOfConversionsAttributed', 'conversionRateForChatters', 'conversionRateForNonChatters', 'aovForChatters', 'aovForNonChatters',
    'aovForAttributedConversions', 'aovForNonAttributedConversions', 'attributedRevenueTimeSeries', 'topProductsByAttributedSales',
    'topExpertByAttributedSales'
  ],
  VIEW_NPS: ['csatScore']
}

t.test('every figure has the permission that the interface names', async (t) => {
  const type = buildSchema(await readSchemaText()).getType('ConversationAggregateStatistics')
  const fields = isObjectType(type) ? Object.keys(type.getFields()) : []
  t.ok(fields.length > 20)
  for (const field of fields) {
    const wanted = Object.entries(named).find(([, fields]) => fields.includes(field))?.[0] ?? 'VIEW_CONVERSATIONS'
    t.equal((fieldRules.ConversationAggregateStatistics as Record<string, string>)[field], wanted, field)
  }
  t.equal(fieldRules.CustomerIdentity.email, 'VIEW_PII')
  t.equal(fieldRules.Conversation.npsSurveys, 'VIEW_NPS')
})

t.test('every rule is of a field that is there and may be null', async (t) => {
  const schema = buildSchema(await readSchemaText())
  for (const [typeName, fields] of Object.entries(fieldRules)) {
    const type = schema.getType(typeName)
    for (const field of Object.keys(fields as object)) {
      const served = isObjectType(type) ? type.getFields()[field]?.type.toString() : undefined
      t.notMatch(String(served), /!$|undefined/, `${typeName}.${field}`)
    }
  }
})

t.test('an object without its caller is refused', (t) => {
  const field = guardFields()['CustomerIdentity']?.['email']
  t.throws(() => field?.({ email: 'a' } as never, {}, {}, { parentType: { name: 'CustomerIdentity' } } as never), /without its caller/)
  t.end()
})

t.test('over the API', async (t) => {
  const api: TestAnalytics = await testAnalytics(t)
  await api.write('acme', 'conversations', [conversation('c1', '2025-01-01T00:00:00Z', { customer: { id: 'u', email: 'a@example.com' } })])
  const refused = (path: Array<string | number>) => ({ path, extensions: { code: 'FORBIDDEN' } })

  t.test('a field that the caller may not see is null with FORBIDDEN at its path, the rest stands', async (t) => {
    const { data, errors } = await api.ask('acme', '{ conversations(vendorId: "acme") { edges { node { id npsSurveys { id } customerIdentity { id email } } } } }', {}, ['VIEW_CONVERSATIONS'])
    t.strictSame(data.conversations.edges, [{ node: { id: 'c1', npsSurveys: null, customerIdentity: { id: 'u', email: null } } }])
    const node = ['conversations', 'edges', 0, 'node']
    t.match(errors, [refused([...node, 'npsSurveys']), refused([...node, 'customerIdentity', 'email'])])
  })

  t.test('each figure by its own permission, under aliases too', async (t) => {
    const query = '{ vendorById(vendorId: "acme") { id a: conversationAggregateStatistics { numberOfChats sold: numberOfConversionsAttributed csatScore } } }'
    const answers = {
      VIEW_CONVERSATIONS: { numberOfChats: 1, sold: null, csatScore: null },
      VIEW_CONVERSIONS: { numberOfChats: null, sold: 0, csatScore: null },
      VIEW_NPS: { numberOfChats: null, sold: null, csatScore: null }
    }
    for (const [permission, expected] of Object.entries(answers)) {
      const { data, errors } = await api.ask('acme', query, {}, [permission as keyof typeof answers])
      t.strictSame(data.vendorById, { id: 'acme', a: expected }, permission)
      t.equal(errors?.length, 2, permission)
    }
  })

  t.test('a figure that is refused is not computed', async (t) => {
    const figures = Array.from({ length: 101 }, (_, index) => `a${index}: conversationAggregateStatistics { numberOfConversionsAttributed }`).join(' ')
    const { errors } = await api.ask('acme', `{ vendorById(vendorId: "acme") { ${figures} } }`, {}, ['VIEW_CONVERSATIONS'])
    t.ok(errors?.every(({ extensions }) => extensions.code === 'FORBIDDEN'), 'none of them exceeds the budget of figures')
  })

  t.test('lists as a whole, and what would tell by a filter', async (t) => {
    const whole = async (query: string, permission: 'VIEW_CONVERSATIONS' | 'VIEW_CONVERSIONS'): Promise<void> => {
      const { errors } = await api.ask('acme', query, {}, [permission])
      t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }], query)
    }
    await whole('{ conversations(vendorId: "acme") { totalCount } }', 'VIEW_CONVERSIONS')
    await whole('{ conversation(id: "c1") { id } }', 'VIEW_CONVERSIONS')
    await whole('{ vendorSmartTags(vendorId: "acme") { id } }', 'VIEW_CONVERSIONS')
    await whole('{ smartTagCounts(vendorId: "acme") { count } }', 'VIEW_CONVERSIONS')
    await whole('{ customerEvent(id: "c1", vendorId: "acme") { id } }', 'VIEW_CONVERSIONS')
    await whole('{ sessionByVendorId(vendorId: "acme", lead: "l") { id } }', 'VIEW_CONVERSATIONS')
    await whole('mutation { createSmartTag(vendorId: "acme", input: { title: "x" }) { id } }', 'VIEW_CONVERSATIONS')
    await whole('{ conversations(vendorId: "acme", filter: [{ email: "a@example.com" }]) { totalCount } }', 'VIEW_CONVERSATIONS')
    await whole('{ conversations(vendorId: "acme", filter: [{ npsRating: Positive }]) { totalCount } }', 'VIEW_CONVERSATIONS')
    await whole('{ conversations(vendorId: "acme", filter: [{ conversionStatus: None }]) { totalCount } }', 'VIEW_CONVERSATIONS')
    await whole('{ conversations(vendorId: "acme", filter: [{ soldProductExternalId: "p" }]) { totalCount } }', 'VIEW_CONVERSATIONS')
  })
})
