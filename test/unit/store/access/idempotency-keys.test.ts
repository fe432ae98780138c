import t from 'tap'
import { testDatabase } from '../../../support/database.js'

const { repositories: { idempotencyKeys }, database: { collections } } = await testDatabase(t)

let keys = 0
const newKey = (): string => `key-${++keys}`

t.test('the first job owns its key; who comes later is told of it', async (t) => {
  const key = newKey()
  t.equal(await idempotencyKeys.claim('acme', key, 'first'), 'first')
  t.equal(await idempotencyKeys.claim('acme', key, 'second'), 'first')
  t.equal(await idempotencyKeys.claim('acme', key, 'first'), 'first')
})

t.test('of many at once all are told of the same job', async (t) => {
  const key = newKey()
  const owners = await Promise.all(Array.from({ length: 20 }, async (_, index) => await idempotencyKeys.claim('acme', key, `job-${index}`)))
  t.equal(new Set(owners).size, 1)
})

t.test('a key never meets another vendor\'s, nor another key', async (t) => {
  const key = newKey()
  await idempotencyKeys.claim('acme', key, 'first')
  t.equal(await idempotencyKeys.claim('other', key, 'second'), 'second')
  t.equal(await idempotencyKeys.claim('acme', `${key} `, 'third'), 'third')
})

t.test('a key is forgotten by its own job alone', async (t) => {
  const key = newKey()
  await idempotencyKeys.claim('acme', key, 'first')
  await idempotencyKeys.forget('acme', key, 'second')
  t.equal(await idempotencyKeys.claim('acme', key, 'second'), 'first')
  await idempotencyKeys.forget('acme', key, 'first')
  t.equal(await idempotencyKeys.claim('acme', key, 'second'), 'second')
})

t.test('after 24 hours a key is new again, even before the database has removed it', async (t) => {
  const key = newKey()
  await idempotencyKeys.claim('acme', key, 'first')
  const stored = await collections.idempotencyKeys.findOne({ jobId: 'first' }, { sort: { expiresAt: -1 } })
  t.ok(Math.abs((stored?.expiresAt.getTime() ?? 0) - Date.now() - 86_400_000) < 60_000)
  await collections.idempotencyKeys.updateMany({}, { $set: { expiresAt: new Date() } })
  t.equal(await idempotencyKeys.claim('acme', key, 'second'), 'second')
})

t.test('the key itself is not stored', async (t) => {
  const key = `secret-${newKey()}`
  await idempotencyKeys.claim('acme', key, 'first')
  t.notMatch(JSON.stringify(await collections.idempotencyKeys.find().toArray()), /secret/)
})
