/**
 * The promise that what is taken from a credential ends what it has open within 5 s, by a clock that goes when the test says so and the intervals that
 * the service has when nobody sets others. Whenever between two looks something is taken, and however lately it was remembered.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { mock } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { createAuthenticator } from '../../../../src/api/auth/authenticator.js'
import { createTokenVerifier } from '../../../../src/api/auth/token-verifier.js'
import type { ConnectionState } from '../../../../src/api/graphql/context.js'
import { createWebsockets } from '../../../../src/api/graphql/websocket.js'
import type { IntegrationApiKey, User } from '../../../../src/domain/access.js'
import { createIntegrationKey } from '../../../../src/domain/api-key.js'
import type { Repositories } from '../../../../src/store/repositories.js'
import { silent } from '../../../support/log.js'
import { tokenSecret } from '../test-api.js'

const promisedMs = 5_000
const stepMs = 100
/** Every place between two look-ups of a record, which are 3 s apart at the least, and between two looks, which are 1 s apart. */
const moments = Array.from({ length: 45 }, (_, n) => n * stepMs)

/** A connection that is open, logged in, and does nothing. */
function connected (t: Test) {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_700_000_000_000 })
  t.teardown(() => { mock.timers.reset() })
  const { key, ...stored } = createIntegrationKey()
  const record: IntegrationApiKey = {
    _id: 'k', vendorId: 'shop', name: 'n', ...stored, permissions: ['PRODUCT_MANAGE'], createdAt: new Date(0), lastUsedAt: new Date(), revokedAt: null
  }
  const users = new Map<string, User>([['ada', { _id: 'ada', email: 'ada@example.com', memberships: [], createdAt: new Date(0) }]])
  const clock = { nowMs: 0 }
  const authenticator = createAuthenticator({
    repositories: {
      integrationApiKeys: { findByHash: async () => ({ ...record }), touch: async () => {} },
      userApiKeys: { findByHash: async () => null, touch: async () => {} },
      users: { find: async (id: string) => users.get(id) ?? null }
    } as unknown as Repositories,
    verifyToken: createTokenVerifier({ keys: { secret: tokenSecret }, issuer: undefined, audience: undefined, maxAgeSeconds: 3_600 }),
    log: silent,
    monotonicMs: () => clock.nowMs
  })
  const looks = { underWay: 0 }
  const watched: typeof authenticator = {
    ...authenticator,
    async authenticate (credentials) {
      looks.underWay++
      return await authenticator.authenticate(credentials).finally(() => { looks.underWay-- })
    }
  }
  const options = createWebsockets({ addHook: () => {} } as unknown as FastifyInstance, watched, {
    suggestNames: true, monotonicMs: () => clock.nowMs, recheckIntervalMs: undefined, originOf: () => ''
  })
  const socket = { readyState: 1, closedWith: null as number | null, close (code: number) { this.closedWith = code; this.readyState = 3 }, once: () => {} }
  const request = { headers: {}, log: silent, reader: { owner: null }, raw: { socket: {} } }
  const connection = { socket, context: { request }, fastify: { graphql: {} }, sendError: () => {}, handleGQLStart: async () => {} }
  let others = async (): Promise<unknown> => undefined
  /** Others send requests with the same credential all the time, and the first has been there so long that it is about to be looked up again. */
  async function login (payload: Record<string, string>): Promise<{ connection: ConnectionState }> {
    others = async () => await authenticator.authenticate({ apiKey: payload['x-vendor-api-key'], authorization: payload['authorization'] }).catch(() => null)
    await others()
    await pass(2_900)
    return await (options.onConnect as (this: unknown, sent: unknown) => Promise<{ connection: ConnectionState }>).call(connection, { payload })
  }

  /** How long it takes until that is so; more than was promised is told as Infinity. */
  async function msUntil (isSo: () => boolean): Promise<number> {
    for (let passedMs = 0; passedMs <= promisedMs; passedMs += stepMs) {
      if (isSo()) return passedMs
      await pass(stepMs)
    }
    return Infinity
  }
  async function pass (ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      clock.nowMs += stepMs
      mock.timers.tick(stepMs)
      do await turn(); while (looks.underWay > 0)
      await others()
    }
  }
  return { key, record, users, socket, login, pass, msUntil }
}

t.test('a connection is closed within 5 s of its key\'s revoke', async (t) => {
  for (const momentMs of moments) {
    const { key, record, socket, login, pass, msUntil } = connected(t)
    await login({ 'x-vendor-api-key': key })
    await pass(momentMs)
    record.revokedAt = new Date()
    t.ok(await msUntil(() => socket.closedWith === 4403) <= promisedMs, `${momentMs} ms after the login`)
    mock.timers.reset()
  }
})

t.test('a subscription hears of a permission that was taken within 5 s', async (t) => {
  for (const momentMs of moments) {
    const { key, record, socket, login, pass, msUntil } = connected(t)
    const { connection } = await login({ 'x-vendor-api-key': key })
    let isPermitted = true
    connection.onRecheck((callerNow) => { isPermitted = callerNow('shop').permissions.has('PRODUCT_MANAGE') })
    await pass(momentMs)
    t.ok(isPermitted)
    record.permissions = []
    t.ok(await msUntil(() => !isPermitted) <= promisedMs, `${momentMs} ms after the login`)
    t.equal(socket.closedWith, null)
    mock.timers.reset()
  }
})

t.test('a connection is closed within 5 s of its access token\'s end', async (t) => {
  for (const momentMs of moments.filter((ms) => ms <= 1_000)) {
    const { socket, login, pass, msUntil } = connected(t)
    const token = await tokenFor(5)
    await pass(momentMs)
    await login({ authorization: `Bearer ${token}` })
    await pass(2_100 - momentMs)
    t.equal(socket.closedWith, null)
    t.ok(await msUntil(() => socket.closedWith === 4403) <= promisedMs, `a login ${momentMs} ms later`)
    mock.timers.reset()
  }
})

t.test('a connection is closed within 5 s of its user\'s end', async (t) => {
  for (const momentMs of moments) {
    const { users, socket, login, pass, msUntil } = connected(t)
    await login({ authorization: `Bearer ${await tokenFor(60)}` })
    await pass(momentMs)
    users.clear()
    t.ok(await msUntil(() => socket.closedWith === 4403) <= promisedMs, `${momentMs} ms after the login`)
    mock.timers.reset()
  }
})

async function tokenFor (seconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject('ada').setIssuedAt(now).setExpirationTime(now + seconds)
  return await token.sign(new TextEncoder().encode(tokenSecret))
}
