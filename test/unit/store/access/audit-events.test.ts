import t from 'tap'
import { randomBytes } from 'node:crypto'
import type { AuditEvent } from '../../../../src/domain/audit.js'
import { createAuditEvents } from '../../../../src/store/access/audit-events.js'
import { mongodb } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { siblingDatabase } from '../../../support/sibling-database.js'

const parts = await testDatabase(t)
const operator = { kind: 'operator' } as const

/** An event of so long ago. */
function eventOf (vendorId: string, agoMs: number): AuditEvent & { expiresAt: Date } {
  const at = new Date(Date.now() - agoMs)
  return {
    _id: `${vendorId}:${at.getTime().toString(36).padStart(9, '0')}:${randomBytes(8).toString('hex')}`,
    vendorId, at, actor: operator, action: 'old', targetId: null, outcome: 'done', code: null, expiresAt: new Date(Date.now() + 1e9)
  }
}

const hourMs = 3_600_000
const ages = [0.5, 2, 30, 31, 800, 3_000, 8_700].map((hours) => hours * hourMs)

for (const [server, { database }] of [['as it is', parts], ['that stops at a limit', await siblingDatabase(t, parts, { serverProfile: mongodb })]] as const) {
  t.test(`a server ${server}: newest first, each on one page, however long ago`, async (t) => {
    const { auditEvents } = database.collections
    const stored = ages.map((age) => eventOf('acme', age))
    await auditEvents.insertMany([...stored, ...ages.map((age) => eventOf('acme2', age))])
    const events = createAuditEvents(database.collections)
    const found: string[] = []
    for (let hasNextPage = true; hasNextPage;) {
      const page = await events.page('acme', { first: 2, after: found.at(-1) ?? null })
      found.push(...page.nodes.map(({ _id }) => _id))
      hasNextPage = page.hasNextPage
    }
    t.strictSame(found, stored.map(({ _id }) => _id))
    t.strictSame((await events.page('nobody', { first: 2, after: null })).nodes, [])
  })
}

t.test('what has just come is counted at once, beside what was counted before', async (t) => {
  const { collections } = parts.database
  await collections.auditEvents.insertMany([10, 20, 30].map((minutes) => eventOf('counted', minutes * 60_000)))
  const events = createAuditEvents(collections)
  t.equal(await events.count('counted'), 3)
  await events.begin('counted', operator, 'new', null)
  await events.begin('counted too', operator, 'new', null)
  t.equal(await events.count('counted'), 4)
  t.equal(await events.count('counted too'), 1)
  t.equal(await events.count('nobody'), 0)
})
