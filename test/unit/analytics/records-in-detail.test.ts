/** What single records are answered with: a conversation with everything around it, customer events, sessions. */
import t from 'tap'
import { conversation, testAnalytics, type TestAnalytics } from './test-analytics.js'

let api: TestAnalytics
t.before(async () => {
  api = await testAnalytics(t)
  await api.write('acme', 'experts', [{ id: 'e1', firstName: 'Ada', lastName: 'Moreau' }])
  await api.write('acme', 'knowledge-documents', [{ id: 'k1', title: 'Returns' }])
  await api.write('acme', 'smart-tags', [{ id: 't1', title: 'Sizing' }])
  await api.write('acme', 'conversations', [conversation('c1', '2025-01-01T00:00:00Z', {
    sessionId: 's1',
    currentExpertId: 'e1',
    customer: { id: 'u1', suppliedFirstName: 'Kim', email: 'kim@example.com', location: 'Berlin' },
    summaries: ['Asked for a size'],
    segment: { smartTagIds: ['t1', 'gone'], aiAppliedTags: [{ tagId: 't1', weight: 0.5, explanation: 'size' }, { tagId: 'gone' }], aiInferredSentiment: 'POSITIVE', pairingTime: 3, totalTimeSpentChatting: 60 }
  })])
  await api.write('acme', 'conversation-events', ['v1', 'v2', 'v3'].map((id, index) => ({
    id,
    conversationId: 'c1',
    type: 'ExpertMessage',
    created: `2025-01-01T00:0${index}:00Z`,
    expertId: index === 2 ? 'unknown' : 'e1',
    body: id,
    detectedIntents: [{ id: 'i1', name: 'size' }],
    actionsTaken: [{ name: 'look up', success: true }],
    recommendations: [{ product: { externalId: 'P1', name: 'Then' }, variant: { externalId: 'P1-S', name: 'S' } }],
    citedKnowledgeDocumentIds: ['k1', 'k2']
  })))
  await api.write('acme', 'surveys', [
    { id: 'y1', conversationId: 'c1', type: 'NPS', rating: 10, created: '2025-01-02T00:00:00Z', expertId: 'e2' },
    { id: 'y2', conversationId: 'c1', type: 'CSAT', rating: 5, created: '2025-01-02T00:00:00Z' }
  ])
  await api.write('acme', 'customer-events', [
    { id: 'w2', sessionId: 's1', type: 'CartAdd', created: '2025-01-01T00:00:02Z', product: { externalId: 'P1' }, cartId: 'cart' },
    { id: 'w1', sessionId: 's1', type: 'Search', created: '2025-01-01T00:00:01Z', search: 'boots' },
    { id: 'w3', sessionId: 'other', type: 'PageView', created: '2025-01-01T00:00:03Z' }
  ])
  await api.write('acme', 'sessions', [
    { id: 's0', lead: 'lead', created: '2024-01-01T00:00:00Z' },
    { id: 's1', lead: 'lead', created: '2025-01-01T00:00:00Z', lastUserAgent: { browser: 'Firefox' } }
  ])
  await api.write('acme', 'orders', ['o1', 'o2'].map((id, index) => ({
    id,
    sessionId: 's1',
    created: `2025-01-01T0${index + 1}:00:00Z`,
    totalPrice: 10,
    currency: 'EUR',
    totalPriceUSD: 11,
    attribution: index === 0 ? null : { method: 'LastChat', conversationId: 'c1', chattingExpertId: 'e1' },
    lineItems: [{ quantity: 2, finalTotalPrice: 10, product: { externalId: 'P1', name: 'Then' }, variant: { externalId: 'P1-S', name: 'S' } }]
  })))
})

t.test('a conversation, with the end of its history', async (t) => {
  const { data, errors } = await api.ask('acme', `{ conversation(id: "c1") {
    id status channel platform subject created lastMessageDate updated externalUrl
    customerIdentity { id suppliedFirstName email location }
    currentExpert { id firstName lastName }
    hasAttributedConversion attributedToCurrent: hasAttributedConversion(anyExpert: false)
    hasPositiveNPS positiveOfCurrent: hasPositiveNPS(anyExpert: false)
    vendorConversationSummaries { summary }
    npsSurveys { id rating expert { id firstName } }
    mostRecentSegmentStats { smartTags { id title } aiAppliedTags { tag { id } weight explanation } aiInferredSentiment pairingTime totalTimeSpentChatting }
    events(last: 2) { totalCount hasNextPage hasPrevPage startCursor endCursor edges { cursor node {
      id body type created expert { id firstName } detectedIntents { id name explanation } actionsTaken { name success }
      recommendations { product { externalId name brandName } variant { name } } knowledgeCitations { knowledgeDocument { id title } }
    } } }
  } }`)
  t.equal(errors, undefined)
  const { events, ...rest } = data.conversation
  t.strictSame(rest, {
    id: 'c1',
    status: 'OPEN',
    channel: 'ServiceChat',
    platform: null,
    subject: null,
    created: '2025-01-01T00:00:00.000Z',
    lastMessageDate: '2025-01-01T00:02:00.000Z',
    updated: '2025-01-01T00:00:00.000Z',
    externalUrl: null,
    customerIdentity: { id: 'u1', suppliedFirstName: 'Kim', email: 'kim@example.com', location: 'Berlin' },
    currentExpert: { id: 'e1', firstName: 'Ada', lastName: 'Moreau' },
    hasAttributedConversion: true,
    attributedToCurrent: true,
    hasPositiveNPS: true,
    positiveOfCurrent: false,
    vendorConversationSummaries: [{ summary: 'Asked for a size' }],
    npsSurveys: [{ id: 'y1', rating: 10, expert: { id: 'e2', firstName: null } }],
    mostRecentSegmentStats: {
      smartTags: [{ id: 't1', title: 'Sizing' }],
      aiAppliedTags: [{ tag: { id: 't1' }, weight: 0.5, explanation: 'size' }],
      aiInferredSentiment: 'POSITIVE',
      pairingTime: 3,
      totalTimeSpentChatting: 60
    }
  })
  t.match(events, { totalCount: 3, hasNextPage: false, hasPrevPage: true, startCursor: events.edges[0].cursor, endCursor: events.edges[1].cursor })
  t.strictSame((events.edges as Array<{ node: { id: string } }>).map(({ node }) => node.id), ['v2', 'v3'])
  t.strictSame(events.edges[1].node, {
    id: 'v3',
    body: 'v3',
    type: 'ExpertMessage',
    created: '2025-01-01T00:02:00.000Z',
    expert: { id: 'unknown', firstName: null },
    detectedIntents: [{ id: 'i1', name: 'size', explanation: null }],
    actionsTaken: [{ name: 'look up', success: true }],
    recommendations: [{ product: { externalId: 'P1', name: 'Then', brandName: null }, variant: { name: 'S' } }],
    knowledgeCitations: [{ knowledgeDocument: { id: 'k1', title: 'Returns' } }, { knowledgeDocument: { id: 'k2', title: null } }]
  })
})

t.test('the customer events are those of the conversation\'s session, oldest first', async (t) => {
  const { data } = await api.ask('acme', '{ customerEvent(id: "c1", vendorId: "acme") { id type search product { externalId name } cart { id } } }')
  t.strictSame(data.customerEvent, [
    { id: 'w1', type: 'Search', search: 'boots', product: null, cart: null },
    { id: 'w2', type: 'CartAdd', search: null, product: { externalId: 'P1', name: null }, cart: { id: 'cart' } }
  ])
})

t.test('a lead is answered with its newest session and the end of its orders', async (t) => {
  const { data } = await api.ask('acme', `{ sessionByVendorId(vendorId: "acme", lead: "lead") { id lastUserAgent { browser deviceType }
    conversions(last: 1) { totalCount hasPrevPage hasNextPage nodes { id totalPrice currency attributionMethod
      lineItems { quantity finalTotalPrice product { name } variant { name } } attribution { method chattingExpert { id firstName } } } } } }`)
  t.strictSame(data.sessionByVendorId, {
    id: 's1',
    lastUserAgent: { browser: 'Firefox', deviceType: null },
    conversions: {
      totalCount: 2,
      hasPrevPage: true,
      hasNextPage: false,
      nodes: [{
        id: 'o2',
        totalPrice: 10,
        currency: 'EUR',
        attributionMethod: 'LastChat',
        lineItems: [{ quantity: 2, finalTotalPrice: 10, product: { name: 'Then' }, variant: { name: 'S' } }],
        attribution: { method: 'LastChat', chattingExpert: { id: 'e1', firstName: 'Ada' } }
      }]
    }
  })
  t.strictSame((await api.ask('acme', '{ sessionByVendorId(vendorId: "acme", lead: "nobody") { id } }')).data, { sessionByVendorId: null })
})

t.test('more than a request may have is refused', async (t) => {
  for (const last of [0, 1_001]) {
    t.match((await api.ask('acme', `{ conversation(id: "c1") { events(last: ${last}) { totalCount } } }`)).errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'last' } }])
  }
  const many = Array.from({ length: 6 }, (_, index) => `a${index}: conversation(id: "c1") { events(last: 1000) { totalCount } }`).join(' ')
  t.match((await api.ask('acme', `{ ${many} }`)).errors, [{ message: /at most 5000 events/ }])
})
