/** A record that moves on to another conversation or session leaves nothing of itself behind, even if the process dies in the middle. */
import t from 'tap'
import { createAnalyticsWriter } from '../../../src/store/analytics/analytics-writer.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { writer } } } = await testDatabase(t)

/** Writes records, and dies before anything is linked. */
const dying = createAnalyticsWriter({
  ...collections,
  conversations: withMethod(collections.conversations, 'find', () => { throw new Error('died') })
})

const participants = async (vendorId: string, id: string): Promise<string[] | undefined> => (await collections.conversations.findOne({ vendorId, id }))?.facts.participants

async function twoConversations (vendorId: string): Promise<void> {
  await writeRecords(writer, vendorId, 'conversations', ['a', 'b'].map((id) => conversation(id, '2025-01-01T00:00:00Z', { sessionId: `s-${id}` })))
}

const joined = (conversationId: string, expertId = 'e') => ({ id: 'v', conversationId, type: 'ExpertJoined', expertId, created: '2025-01-01T00:01:00Z' })

t.test('an event that moves is no longer part of its former conversation', async (t) => {
  await twoConversations('plain')
  await writeRecords(writer, 'plain', 'conversation-events', [joined('a')])
  await writeRecords(writer, 'plain', 'conversation-events', [joined('b')])
  t.strictSame([await participants('plain', 'a'), await participants('plain', 'b')], [[], ['expert:e']])
  t.notOk((await collections.conversationEvents.findOne({ vendorId: 'plain' }))?.left, 'nothing is left to be done')
})

t.test('so it is when the process died before that was linked, and the event comes again', async (t) => {
  await twoConversations('died')
  await writeRecords(writer, 'died', 'conversation-events', [joined('a')])
  await t.rejects(writeRecords(dying, 'died', 'conversation-events', [joined('b')]), { message: 'died' })
  t.strictSame(await participants('died', 'a'), ['expert:e'], 'nothing was linked')
  await writeRecords(writer, 'died', 'conversation-events', [joined('b')])
  t.strictSame([await participants('died', 'a'), await participants('died', 'b')], [[], ['expert:e']])
  t.notOk((await collections.conversationEvents.findOne({ vendorId: 'died' }))?.left)
})

t.test('and when it has moved twice before anything was linked', async (t) => {
  await twoConversations('twice')
  await writeRecords(writer, 'twice', 'conversations', [conversation('c', '2025-01-01T00:00:00Z')])
  await writeRecords(writer, 'twice', 'conversation-events', [joined('a')])
  await t.rejects(writeRecords(dying, 'twice', 'conversation-events', [joined('b')]))
  await writeRecords(writer, 'twice', 'conversation-events', [joined('c', 'f')])
  t.strictSame(await Promise.all(['a', 'b', 'c'].map(async (id) => await participants('twice', id))), [[], [], ['expert:f']])
})

t.test('an order that moves to another session: the former one has none, nor has its conversation', async (t) => {
  await twoConversations('orders')
  await writeRecords(writer, 'orders', 'sessions', ['s-a', 's-b'].map((id) => ({ id, created: '2025-01-01T00:00:00Z' })))
  const order = (session: string, conversationId: string) => ({
    id: 'o', sessionId: session, created: '2025-01-01T02:00:00Z', totalPrice: 1, currency: 'USD', attribution: { method: 'm', conversationId }
  })
  const state = async (): Promise<unknown> => [
    ...(await collections.sessions.find({ vendorId: 'orders' }).sort({ id: 1 }).toArray()).map(({ id, ordered }) => [id, ordered]),
    ...(await collections.conversations.find({ vendorId: 'orders' }).sort({ id: 1 }).toArray()).map(({ id, facts: { converted, attributed } }) => [id, converted, attributed])
  ]
  await writeRecords(writer, 'orders', 'orders', [order('s-a', 'a')])
  t.strictSame(await state(), [['s-a', true], ['s-b', false], ['a', true, true], ['b', false, false]])
  await t.rejects(writeRecords(dying, 'orders', 'orders', [order('s-b', 'b')]))
  await writeRecords(writer, 'orders', 'orders', [order('s-b', 'b')])
  t.strictSame(await state(), [['s-a', false], ['s-b', true], ['a', false, false], ['b', true, true]])
})
