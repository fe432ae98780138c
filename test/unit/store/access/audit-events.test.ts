import t from 'tap'
import { randomBytes } from 'node:crypto'
import type { Actor, AuditEvent } from '../../../../src/domain/audit.js'
import { allEvents, createAuditEvents } from '../../../../src/store/access/audit-events.js'
import { mongodb } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'
import { withMethod } from '../../../support/with-method.js'

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

t.test('they are found by who, what and when, over pages, and counted', async (t) => {
  const events = createAuditEvents(parts.database.collections)
  const by = (actor: Actor, action: string, agoHours: number): AuditEvent & { expiresAt: Date } => ({ ...eventOf('filtered', agoHours * hourMs), actor, action })
  const ada: Actor = { kind: 'user', userId: 'ada', keyId: 'k1' }
  const key: Actor = { kind: 'integration-key', keyId: 'k2' }
  await parts.database.collections.auditEvents.insertMany([
    by(ada, 'a', 1), by(key, 'a', 2), by(key, 'b', 30), by(ada, 'b', 31), by(operator, 'a', 800), by(key, 'a', 3_000)
  ])
  const ago = (hours: number): Date => new Date(Date.now() - hours * hourMs)
  for (const [what, among, expected] of [
    ['kind', { actor: 'integration-key' }, ['a2', 'b30', 'a3000']],
    ['user', { by: 'ada' }, ['a1', 'b31']],
    ['the key of a user', { by: 'k1' }, ['a1', 'b31']],
    ['key and action', { by: 'k2', action: 'a' }, ['a2', 'a3000']],
    ['from', { from: ago(30.5) }, ['a1', 'a2', 'b30']],
    ['to', { to: ago(30.5) }, ['b31', 'a800', 'a3000']],
    ['between', { from: ago(900), to: ago(1.5), action: 'a' }, ['a2', 'a800']],
    ['nobody', { by: 'nobody' }, []]
  ] as const) {
    const found: string[] = []
    let after: string | null = null
    for (let hasNextPage = true; hasNextPage;) {
      const page = await events.page('filtered', { first: 2, after }, { ...allEvents, ...among })
      found.push(...page.nodes.map(({ action, at }) => `${action}${Math.round((Date.now() - at.getTime()) / hourMs)}`))
      after = page.nodes.at(-1)?._id ?? null
      hasNextPage = page.hasNextPage
    }
    t.strictSame(found, expected, what)
    t.equal(await events.count('filtered', { ...allEvents, ...among }), expected.length, what)
  }
})

t.test('events of a user and of a key with the same id are one list', async (t) => {
  const events = createAuditEvents(parts.database.collections)
  const actors: Actor[] = [{ kind: 'user', userId: 'x', keyId: null }, { kind: 'integration-key', keyId: 'x' }]
  const stored = [1, 2, 30, 31].map((hours, index) => ({ ...eventOf('both', hours * hourMs), actor: actors[index % 2] ?? operator }))
  await parts.database.collections.auditEvents.insertMany(stored)
  const { nodes, hasNextPage } = await events.page('both', { first: 3, after: null }, { ...allEvents, by: 'x' })
  t.strictSame(nodes.map(({ _id }) => _id), stored.slice(0, 3).map(({ _id }) => _id))
  t.equal(hasNextPage, true)
  t.equal(await events.count('both', { ...allEvents, by: 'x' }), 4)
})

for (const among of [{ action: 'none' }, { by: 'nobody' }, { actor: 'user' }] as const) {
  t.test(`${Object.keys(among).join()}: of what is not sought nothing is looked at`, async (t) => {
    const { auditEvents } = parts.database.collections
    await auditEvents.insertMany(ages.map((age) => eventOf(`sought by ${Object.keys(among).join()}`, age)))
    const filters: object[] = []
    const aggregate = ((pipeline: Array<{ $match: object }>, options: object) => {
      filters.push(pipeline[0]?.$match ?? {})
      return auditEvents.aggregate(pipeline, options)
    }) as typeof auditEvents.aggregate
    const events = createAuditEvents({ ...parts.database.collections, auditEvents: withMethod(auditEvents, 'aggregate', aggregate) })
    await events.page(`sought by ${Object.keys(among).join()}`, { first: 2, after: null }, { ...allEvents, ...among })
    t.ok(filters.length > 0)
    for (const filter of filters) t.equal(await auditEvents.countDocuments(filter), 0)
  })
}

t.test('operations of a vendor that begin together and end together share writes, and each is told of as if it were alone', async (t) => {
  const { database } = await siblingDatabase(t, monitored(parts))
  const commands: string[] = []
  database.db.client.on('commandStarted', ({ commandName, command }) => {
    if ((command as Record<string, unknown>)[commandName] === 'audit_events') commands.push(commandName)
  })
  const events = createAuditEvents(database.collections)
  const names = Array.from({ length: 30 }, (_, n) => `operation-${n}`)
  const ids = await Promise.all(names.map(async (name) => await events.begin('acme', operator, name, null)))
  t.ok(commands.length <= 2, commands.join(', '))
  commands.length = 0
  await Promise.all(ids.map(async (id, n) => { await events.end('acme', id, { code: n % 3 === 0 ? 'CONFLICT' : null, targetId: `target-${n}` }) }))
  t.ok(commands.length <= 2, commands.join(', '))
  const { nodes } = await events.page('acme', { first: 50, after: null })
  t.strictSame(
    nodes.map(({ _id, action, outcome, code, targetId }) => ({ _id, action, outcome, code, targetId })).sort((a, b) => a._id < b._id ? -1 : 1),
    names.map((action, n) => ({ _id: ids[n], action, outcome: n % 3 === 0 ? 'refused' : 'done', code: n % 3 === 0 ? 'CONFLICT' : null, targetId: `target-${n}` }))
      .sort((a, b) => String(a._id) < String(b._id) ? -1 : 1)
  )
})

t.test('what was written with others that failed is written once', async (t) => {
  const { database: { collections } } = await siblingDatabase(t, parts)
  let calls = 0
  const failing = withMethod(collections.auditEvents, 'insertMany', async (...args) => {
    const result = await collections.auditEvents.insertMany(...args)
    if (args[0].length > 1 && calls++ === 0) throw new Error('what came of the others is not told')
    return result
  })
  const events = createAuditEvents({ ...collections, auditEvents: failing })
  const ids = await Promise.all(Array.from({ length: 5 }, async (_, n) => await events.begin('acme', operator, `operation-${n}`, null)))
  t.equal(calls, 1)
  t.equal(await collections.auditEvents.countDocuments({ _id: { $in: ids } }), 5)
})

t.test('an operation whose beginning cannot be written is told so, and so are all that begin with it', async (t) => {
  const { database: { collections } } = await siblingDatabase(t, parts)
  const broken = withMethod(collections.auditEvents, 'insertMany', async () => { throw new Error('no room') })
  const events = createAuditEvents({ ...collections, auditEvents: broken })
  const began = await Promise.allSettled(Array.from({ length: 5 }, async (_, n) => await events.begin('acme', operator, `operation-${n}`, null)))
  t.strictSame(began.map(({ status }) => status), Array.from({ length: 5 }, () => 'rejected'))
})
