/** SFTP keys and users of a vendor over GraphQL: for its owners and admins, and of no other vendor. */
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { testApi } from '../unit/api/test-api.js'

const api = await testApi(t)
const bearer = async (userId: string, vendorId: string, role: 'owner' | 'admin' | 'member'): Promise<Record<string, string>> =>
  ({ authorization: `Bearer ${await api.tokenOf(userId, [{ vendorId, role, permissions: role === 'member' ? ['PRODUCT_MANAGE'] : [] }])}` })
await api.keyOf('shop')
await api.keyOf('rival')
const [owner, admin, member, rival] = [await bearer('ada', 'shop', 'owner'), await bearer('ben', 'shop', 'admin'), await bearer('cleo', 'shop', 'member'), await bearer('dan', 'rival', 'owner')]

/** As ssh-keygen writes it. */
function publicKey (comment: string): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x, 'base64url'))]).toString('base64')} ${comment}`
}
const add = 'mutation ($vendorId: ID!, $publicKey: String!) { addSftpKey(vendorId: $vendorId, publicKey: $publicKey) { id comment } }'
const list = 'query ($vendorId: ID!) { sftpKeys(vendorId: $vendorId) { id comment createdAt } }'
const remove = 'mutation ($vendorId: ID!, $id: ID!) { revokeSftpKey(vendorId: $vendorId, id: $id) }'
const codeOf = ({ errors }: { errors: Array<{ extensions: { code: string } }> | undefined }): string | undefined => errors?.[0]?.extensions.code

t.test('a key is added, listed and removed, and the trail says so', async (t) => {
  const text = publicKey('<img src=x> laptop')
  const { data } = await api.send(owner, add, { vendorId: 'shop', publicKey: `${text}\n` })
  t.match(data.addSftpKey, { id: /^SHA256:/, comment: '<img src=x> laptop' })
  const { id } = data.addSftpKey as { id: string }
  t.equal(codeOf(await api.send(admin, add, { vendorId: 'shop', publicKey: text })), undefined, 'again is harmless')
  t.match((await api.send(admin, list, { vendorId: 'shop' })).data.sftpKeys, [{ id }])
  t.equal(await api.repositories.sftpKeys.isRegistered('shop', id), true)
  t.equal(codeOf(await api.send(rival, add, { vendorId: 'rival', publicKey: text })), 'CONFLICT')
  t.equal(codeOf(await api.send(rival, remove, { vendorId: 'rival', id })), 'NOT_FOUND')
  t.equal((await api.send(admin, remove, { vendorId: 'shop', id })).data.revokeSftpKey, true)
  t.equal(await api.repositories.sftpKeys.isRegistered('shop', id), false)
  t.equal(codeOf(await api.send(admin, remove, { vendorId: 'shop', id })), 'NOT_FOUND')
  const { nodes } = await api.repositories.auditEvents.page('shop', { first: 2, after: null })
  t.match(nodes.map(({ action, targetId, outcome }) => [action, targetId, outcome]), [['revokeSftpKey', id, 'refused'], ['revokeSftpKey', id, 'done']])
})

t.test('what is no public key of the one kind is refused, and not repeated', async (t) => {
  for (const text of ['', 'nonsense', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=', 'ssh-rsa AAAAB3NzaC1yc2E=', `${publicKey('a')}\n${publicKey('b')}`, 'ssh-ed25519 AAAA']) {
    const { errors } = await api.send(owner, add, { vendorId: 'shop', publicKey: text })
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT', field: 'publicKey' } }], text)
    t.notMatch(errors?.[0]?.message, 'b3BlbnNzaC1rZXk=')
  }
})

t.test('members, keys and other vendors have no say in it', async (t) => {
  const key = { 'x-vendor-api-key': await api.keyOf('shop') }
  const ownKey = { authorization: `Bearer ${(await api.repositories.userApiKeys.create('ada', 'key', null)).key}` }
  for (const [who, headers] of [['a member', member], ['an integration key', key], ['another vendor\'s owner', rival]] as const) {
    for (const query of [list, 'query ($vendorId: ID!) { vendorUsers(vendorId: $vendorId) { id } }']) t.equal(codeOf(await api.send(headers, query, { vendorId: 'shop' })), 'FORBIDDEN', who)
    t.equal(codeOf(await api.send(headers, remove, { vendorId: 'shop', id: 'SHA256:x' })), 'FORBIDDEN', who)
  }
  for (const headers of [member, key, rival, ownKey]) t.equal(codeOf(await api.send(headers, add, { vendorId: 'shop', publicKey: publicKey('x') })), 'FORBIDDEN')
})

t.test('users are listed with what they may at this vendor, and nothing of what they are at others', async (t) => {
  await api.repositories.users.grant('cleo', { vendorId: 'rival', role: 'owner', permissions: [] })
  const { data } = await api.send(owner, 'query ($vendorId: ID!) { vendorUsers(vendorId: $vendorId) { id email role permissions } }', { vendorId: 'shop' })
  const users = data.vendorUsers as Array<{ id: string, role: string, permissions: string[] }>
  t.strictSame(users.map(({ id, role }) => [id, role]), [['ada', 'owner'], ['ben', 'admin'], ['cleo', 'member']])
  t.strictSame(users[2]?.permissions, ['PRODUCT_MANAGE'])
  t.ok((users[1]?.permissions.length ?? 0) >= 10)
})

t.test('the trail is searched by who, what and when', async (t) => {
  const query = 'query ($by: String, $action: String, $actor: AuditActor, $from: DateTime, $to: DateTime) { auditEvents(vendorId: "shop", by: $by, action: $action, actor: $actor, from: $from, to: $to) { totalCount nodes { action userId } } }'
  const { data } = await api.send(owner, query, { by: 'ada', action: 'addSftpKey', actor: 'USER', from: '2020-01-01' })
  const { nodes, totalCount } = data.auditEvents as { totalCount: number, nodes: Array<{ action: string, userId: string }> }
  t.ok(totalCount > 0)
  t.ok(nodes.every(({ action, userId }) => action === 'addSftpKey' && userId === 'ada'))
  t.equal((await api.send(owner, query, { to: '2020-01-01' })).data.auditEvents.totalCount, 0)
  const elsewhere = await api.send(rival, query.replace('"shop"', '"rival"'), { by: 'ada' })
  t.equal(elsewhere.data.auditEvents.totalCount, 0, 'another vendor finds nothing of hers')
  t.equal((await api.send(owner, query, { actor: 'OPERATOR' })).data.auditEvents.totalCount, 0)
})
