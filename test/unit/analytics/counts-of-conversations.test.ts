/** What is counted of many conversations is kept until any of them may have changed: each kind of records that bears on them leaves a mark. */
import t from 'tap'
import { createChangeMarks } from '../../../src/store/database/change-marks.js'
import { createAnalyticsWriter } from '../../../src/store/analytics/analytics-writer.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { writer } } } = await testDatabase(t)
const { read } = createChangeMarks(collections, 'conversations')
const created = '2025-01-01T00:00:00Z'

for (const [kind, record] of [
  ['conversations', conversation('c', created)],
  ['conversation-events', { id: 'e', conversationId: 'c', type: 'ExpertJoined', expertId: 'x', created }],
  ['surveys', { id: 'y', conversationId: 'c', type: 'NPS', rating: 9, created }],
  ['orders', { id: 'o', created, totalPrice: 1, currency: 'USD', attribution: { method: 'm', conversationId: 'c' } }]
] as const) {
  t.test(`${kind}: the mark comes once they are written and linked, and also when they come again`, async (t) => {
    const before = await read(kind)
    const died = createAnalyticsWriter({
      ...collections,
      conversations: withMethod(collections.conversations, 'find', () => { throw new Error('died') })
    })
    await t.rejects(writeRecords(died, kind, kind, [record]), { message: 'died' })
    t.equal(await read(kind), before, 'not before')
    await writeRecords(writer, kind, kind, [record])
    t.equal(await read(kind), before + 1)
  })
}
