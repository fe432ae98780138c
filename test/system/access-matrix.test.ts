/**
 * Every root field of the schema and every route, with every kind of credential. The operations are made from the schema and the
 * expectations from the access rules, so that what is added tomorrow is covered by itself.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import WebSocket from 'ws'
import { isAdminRule, isInPerson, isUserRule, routeRules, rules, type Rule } from '../../src/api/auth/rules.js'
import { permissions, type Permission } from '../../src/domain/access.js'
import { createIntegrationKey, hashKey } from '../../src/domain/api-key.js'
import { operationsOf, requestOf, schema, type Operation } from '../support/operations.js'
import { accessToken, testApi } from '../unit/api/test-api.js'

const api = await testApi(t, { dependencies: { upsertProducts: async () => [] } })
const { integrationApiKeys, users, userApiKeys, vendors } = api.repositories
for (const vendorId of ['shop', 'other']) await vendors.create(vendorId, vendorId)

type Headers = Record<string, string>
const byKey = (key: string): Headers => ({ 'x-vendor-api-key': key })
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

const unrestricted = await api.keyOf('shop', [...permissions])
const mistyped = `${unrestricted.slice(0, -1)}${unrestricted.endsWith('a') ? 'b' : 'a'}`
const revoked = await api.keyOf('shop', [...permissions])
await integrationApiKeys.revoke('shop', (await integrationApiKeys.findByHash(hashKey(revoked)))?._id ?? '')
await users.create('boss', 'boss@example.com', [{ vendorId: 'shop', role: 'admin', permissions: [] }])
const expiring = await userApiKeys.create('boss', 'expires', new Date(Date.now() + 200))
const revokedOfUser = await userApiKeys.create('boss', 'revoked', null)
await userApiKeys.revoke('boss', revokedOfUser.record._id)
while (Date.now() <= (expiring.record.expiresAt?.getTime() ?? 0)) await delay(10)

/** Nobody's: whatever is asked for, the answer is UNAUTHENTICATED. */
const invalid: Array<[string, Headers]> = [
  ['no credential', {}],
  ['garbage', byKey('garbage')],
  ['a garbage token', bearer('a.b.c')],
  ['a key with a typo', byKey(mistyped)],
  ['an unknown key', byKey(createIntegrationKey().key)],
  ['a revoked key', byKey(revoked)],
  ['a revoked key of a user', bearer(revokedOfUser.key)],
  ['an expired key of a user', bearer(expiring.key)],
  ['an expired token', bearer(await accessToken('boss', { expiresIn: '-1h' }))],
  ['a token signed by someone else', bearer(await accessToken('boss', { secret: 'not the secret that the service has' }))]
]

type Outcome = 'admitted' | 'FORBIDDEN'
interface Valid { name: string, headersFor: (rule: Rule) => Promise<Headers>, expected: (rule: Rule, namesVendor: boolean) => Outcome }

const isPermission = (rule: Rule): rule is Permission => (permissions as readonly string[]).includes(rule)
const allBut = (rule: Rule): Permission[] => permissions.filter((permission) => permission !== rule)
const memo = <T>(make: (rule: Rule) => Promise<T>) => {
  const made = new Map<Rule, Promise<T>>()
  return async (rule: Rule): Promise<T> => {
    const one = made.get(rule) ?? make(rule)
    made.set(rule, one)
    return await one
  }
}
const member = (name: string, held: (rule: Rule) => Permission[]) => memo(async (rule) =>
  bearer(await api.tokenOf(`${name}-${rule}`, [{ vendorId: 'shop', role: 'member', permissions: held(rule) }])))
const foreign = await api.keyOf('other', [...permissions])
const boss = bearer(await accessToken('boss'))
const keyOfBoss = bearer((await userApiKeys.create('boss', 'works', null)).key)

/** Somebody's: what they get depends on the rule. */
const valid: Valid[] = [
  {
    name: 'a key of another vendor',
    headersFor: async () => byKey(foreign),
    expected: (rule, namesVendor) => namesVendor || isAdminRule(rule) || isUserRule(rule) || rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted'
  },
  {
    name: 'a key without the permission',
    headersFor: memo(async (rule) => byKey(await api.keyOf('shop', allBut(rule)))),
    expected: (rule) => rule === 'ANY_CREDENTIAL' || rule === 'SIGNED_IN' ? 'admitted' : 'FORBIDDEN'
  },
  {
    name: 'a key with the permission alone',
    headersFor: memo(async (rule) => byKey(await api.keyOf('shop', isPermission(rule) ? [rule] : []))),
    expected: (rule) => isAdminRule(rule) || isUserRule(rule) || rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted'
  },
  {
    name: 'a member without the permission',
    headersFor: member('without', allBut),
    expected: (rule) => isPermission(rule) || isAdminRule(rule) || rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted'
  },
  {
    name: 'a member with the permission alone',
    headersFor: member('with', (rule) => isPermission(rule) ? [rule] : []),
    expected: (rule) => isAdminRule(rule) || rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted'
  },
  { name: 'an admin', headersFor: async () => boss, expected: (rule) => rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted' },
  { name: 'a key of an admin', headersFor: async () => keyOfBoss, expected: (rule) => isInPerson(rule) || rule === 'OPERATOR' ? 'FORBIDDEN' : 'admitted' }
]

const { Query, Mutation, Subscription } = operationsOf(await schema())
const operations = [...Query, ...Mutation]
const ruleOf = ({ type, field }: Operation): Rule => (rules[type] as Record<string, Rule>)[field] ?? 'ADMIN'

/** The codes of an operation's errors. */
async function codesOf (headers: Headers, operation: Operation): Promise<string[]> {
  const { errors = [] } = (await api.app.inject(requestOf(operation, headers))).json<{ errors?: Array<{ extensions: { code: string } }> }>()
  return errors.map(({ extensions }) => extensions.code)
}

const outcomeIn = (codes: string[]): string =>
  codes.find((code) => ['UNAUTHENTICATED', 'FORBIDDEN', 'INTERNAL_SERVER_ERROR'].includes(code)) ?? 'admitted'

t.test('without a valid credential no operation answers', async (t) => {
  for (const [who, headers] of invalid) {
    for (const operation of operations) {
      t.strictSame(await codesOf(headers, operation), ['UNAUTHENTICATED'], `${operation.name}: ${who}`)
    }
  }
})

t.test('with a valid one, each as its rule says', async (t) => {
  for (const { name, headersFor, expected } of valid) {
    for (const operation of operations) {
      const rule = ruleOf(operation)
      const codes = await codesOf(await headersFor(rule), operation)
      t.equal(outcomeIn(codes), expected(rule, operation.namesVendor), `${operation.name}: ${name}`)
    }
  }
})

// ── subscriptions ──

await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

/** What is heard first: the code of the error, `admitted`, or how the connection was refused. */
async function heard (headers: Headers, query: string): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { headers })
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('close', (code) => { resolve(code === 4403 ? 'UNAUTHENTICATED' : `closed with ${code}`) })
      socket.on('open', () => { socket.send('{"type":"connection_init"}') })
      socket.on('message', (data: Buffer) => {
        const { type, payload } = JSON.parse(data.toString()) as { type: string, payload?: Array<{ extensions: { code: string } }> }
        if (type === 'connection_ack') socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }))
        if (type === 'error') resolve(outcomeIn(payload?.map(({ extensions }) => extensions.code) ?? []))
        if (type === 'next' || type === 'complete') resolve('admitted')
      })
    })
  } finally {
    socket.terminate()
  }
}

t.test('subscriptions follow the same rules', async (t) => {
  // Something to tell of.
  await api.startJob('shop')
  for (const subscription of Subscription) {
    const { name, text, namesVendor } = subscription
    const rule = ruleOf(subscription)
    for (const [who, headers] of invalid) t.equal(await heard(headers, text), 'UNAUTHENTICATED', `${name}: ${who}`)
    for (const { name: who, headersFor, expected } of valid) {
      t.equal(await heard(await headersFor(rule), text), expected(rule, namesVendor), `${name}: ${who}`)
    }
  }
})

// ── routes ──

t.test('routes follow theirs', async (t) => {
  for (const [path, rule] of Object.entries(routeRules)) {
    const url = path.replaceAll(/:\w+/g, 'x')
    const methods = (['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const).filter((method) => api.app.hasRoute({ method, url: path }))
    for (const method of methods) {
      const statusFor = async (headers: Headers): Promise<number> =>
        (await api.app.inject({ method, url, headers, ...method === 'POST' ? { payload: {} } : {} })).statusCode
      if (rule === 'PUBLIC' || rule === 'GRAPHQL') {
        t.notOk([401, 403, 500].includes(await statusFor({})), `${method} ${path}`)
        continue
      }
      for (const [who, headers] of invalid) t.equal(await statusFor(headers), 401, `${method} ${path}: ${who}`)
      for (const { name: who, headersFor, expected } of valid) {
        const status = await statusFor(await headersFor(rule))
        t.equal(status === 403 ? 'FORBIDDEN' : [401, 500].includes(status) ? status : 'admitted', expected(rule, false), `${method} ${path}: ${who}`)
      }
    }
  }
})
