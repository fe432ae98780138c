/**
 * Whatever is taken from a credential ends its open subscriptions, though nothing happens to the job that is followed. Each is taken by way of the
 * database, as another process does it. That it takes 5 s at most is held by unit/api/auth/taken-access-ends.
 */
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { unauthenticated } from '../../src/errors.js'
import { connect, follow, type Client } from '../support/subscriber.js'
import { testApi } from '../unit/api/test-api.js'

let nowMs = 0
const usersByToken = new Map<string, string>()
const api = await testApi(t, {
  monotonicMs: () => nowMs,
  jobPollIntervalMs: 20,
  recheckIntervalMs: 20,
  dependencies: {
    verifyToken: async (token) => {
      const userId = usersByToken.get(token)
      if (userId === undefined) throw unauthenticated('The access token has expired')
      return userId
    }
  }
})
const { users, userApiKeys, integrationApiKeys, vendors } = api.repositories
for (const vendorId of ['shop', 'other']) await vendors.create(vendorId, vendorId)
const jobId = await api.startJob('shop')
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

/** Logged in, with a job followed whose state has been told. */
async function following (t: Test, credential: Record<string, string>): Promise<Client> {
  const client = await connect(t, port)
  client.send({ type: 'connection_init', payload: credential })
  t.equal((await client.next()).type, 'connection_ack')
  client.send(follow(jobId))
  t.match(await client.next(), { type: 'next', payload: { data: { productImportJobProgress: { status: 'queued' } } } })
  return client
}

const manager = { vendorId: 'shop', role: 'member', permissions: ['PRODUCT_MANAGE'] } as const
let created = 0
async function createUser (): Promise<string> {
  const id = `user-${++created}`
  await users.create(id, `${id}@example.com`, [{ ...manager, permissions: [...manager.permissions] }])
  return id
}
async function userKey (userId: string): Promise<{ id: string, credential: Record<string, string> }> {
  const { key, record } = await userApiKeys.create(userId, 'test', null)
  return { id: record._id, credential: { authorization: `Bearer ${key}` } }
}
async function integrationKey (): Promise<{ id: string, credential: Record<string, string> }> {
  const { key, record } = await integrationApiKeys.create('shop', 'test', ['PRODUCT_MANAGE'])
  return { id: record._id, credential: { 'x-vendor-api-key': key } }
}
function accessToken (userId: string): { token: string, credential: Record<string, string> } {
  const token = `token-of-${userId}`
  usersByToken.set(token, userId)
  return { token, credential: { authorization: `Bearer ${token}` } }
}

/** What records are remembered for; the second between two looks is not waited for here. */
const recordsAreForgotten = (): void => { nowMs += 4_000 }
/** Those that another credential has open go on. */
async function goesOn (t: Test, client: Client): Promise<void> {
  client.send(follow(jobId, 'another'))
  t.match(await client.next(), { type: 'next', id: 'another' })
}
async function hungUp (t: Test, client: Client): Promise<void> {
  recordsAreForgotten()
  t.equal(await client.closed, 4403)
}
async function toldForbidden (t: Test, client: Client): Promise<void> {
  recordsAreForgotten()
  t.match(await client.next(), { type: 'error', id: '1', payload: [{ extensions: { code: 'FORBIDDEN' } }] })
}

t.test('an integration key is revoked', async (t) => {
  const { id, credential } = await integrationKey()
  const client = await following(t, credential)
  const bystander = await following(t, (await integrationKey()).credential)
  await integrationApiKeys.revoke('shop', id)
  await hungUp(t, client)
  await goesOn(t, bystander)
})

t.test('an integration key\'s permission is taken', async (t) => {
  const { id, credential } = await integrationKey()
  const client = await following(t, credential)
  const bystander = await following(t, (await integrationKey()).credential)
  await integrationApiKeys.update('shop', id, { permissions: ['FITMENT_MANAGE'] })
  await toldForbidden(t, client)
  await goesOn(t, bystander)
})

t.test('a user\'s key is revoked', async (t) => {
  const userId = await createUser()
  const { id, credential } = await userKey(userId)
  const client = await following(t, credential)
  const bystander = await following(t, (await userKey(userId)).credential)
  await userApiKeys.revoke(userId, id)
  await hungUp(t, client)
  await goesOn(t, bystander)
})

t.test('a user\'s key expires', async (t) => {
  const { id, credential } = await userKey(await createUser())
  const client = await following(t, credential)
  await api.database.collections.userApiKeys.updateOne({ _id: id }, { $set: { expiresAt: new Date(Date.now() - 1) } })
  await hungUp(t, client)
})

t.test('an access token expires', async (t) => {
  const { token, credential } = accessToken(await createUser())
  const client = await following(t, credential)
  usersByToken.delete(token)
  t.equal(await client.closed, 4403)
})

for (const [what, credentialOf] of [
  ['key', async (userId: string) => (await userKey(userId)).credential],
  ['access token', async (userId: string) => accessToken(userId).credential]
] as const) {
  t.test(`the user of a ${what} is removed`, async (t) => {
    const userId = await createUser()
    const client = await following(t, await credentialOf(userId))
    await api.database.collections.users.deleteOne({ _id: userId })
    await hungUp(t, client)
  })

  t.test(`the membership of a ${what}'s user ends`, async (t) => {
    const userId = await createUser()
    const client = await following(t, await credentialOf(userId))
    await users.withdraw(userId, 'shop')
    await toldForbidden(t, client)
  })

  t.test(`the permission of a ${what}'s user is taken`, async (t) => {
    const userId = await createUser()
    const client = await following(t, await credentialOf(userId))
    await users.grant(userId, { ...manager, permissions: ['FITMENT_MANAGE'] })
    await toldForbidden(t, client)
  })
}

t.test('that the user belongs to another vendor by then does not keep it open', async (t) => {
  const userId = await createUser()
  const client = await following(t, (await userKey(userId)).credential)
  await users.grant(userId, { ...manager, vendorId: 'other', permissions: ['PRODUCT_MANAGE'] })
  await users.withdraw(userId, 'shop')
  await toldForbidden(t, client)
})
