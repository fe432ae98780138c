/** A vendor's users, as its owners and admins add, change and remove them over GraphQL. */
import t from 'tap'
import { accessToken, testApi } from '../unit/api/test-api.js'

/** It stands still, so nothing that is remembered is forgotten by itself. */
let nowMs = 0
const api = await testApi(t, { monotonicMs: () => nowMs })
const { users, vendors, integrationApiKeys, userApiKeys } = api.repositories
for (const vendorId of ['shop', 'sister', 'other']) await vendors.create(vendorId, vendorId)
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const owner = bearer(await api.tokenOf('olga', [{ vendorId: 'shop', role: 'owner', permissions: [] }, { vendorId: 'sister', role: 'admin', permissions: [] }]))
const admin = bearer(await api.tokenOf('adam', [{ vendorId: 'shop', role: 'admin', permissions: [] }]))
const member = bearer(await api.tokenOf('mia', [{ vendorId: 'shop', role: 'member', permissions: ['PRODUCT_MANAGE'] }]))

type Answer = Awaited<ReturnType<typeof api.send>>
const add = async (headers: Record<string, string>, input: object): Promise<Answer> => await api.send(
  headers, 'mutation ($input: AddVendorUserInput!) { addVendorUser(input: $input) { id email role permissions } }', { input: { vendorId: 'shop', role: 'member', ...input } }
)
const change = async (headers: Record<string, string>, input: object): Promise<Answer> => await api.send(
  headers, 'mutation ($input: UpdateVendorUserInput!) { updateVendorUser(input: $input) { id email role permissions } }', { input: { vendorId: 'shop', ...input } }
)
const remove = async (headers: Record<string, string>, id: string): Promise<Answer> => await api.send(
  headers, 'mutation ($id: ID!) { removeVendorUser(vendorId: "shop", id: $id) { id integrationApiKeys { name } } }', { id }
)
const errorOf = ({ errors }: Answer): unknown => errors?.map(({ message, extensions: { code } }) => `${code}: ${message}`).join()
const at = async (id: string, vendorId = 'shop'): Promise<unknown> => {
  const membership = (await users.find(id))?.memberships.find((each) => each.vendorId === vendorId)
  return membership === undefined ? null : [membership.role, ...membership.permissions].join(' ')
}
const products = '{ products(vendorId: "shop") { totalCount } }'

t.test('an admin adds a person, whose token works, changes what it may and removes it: each counts at once', async (t) => {
  const added = await add(admin, { id: 'nina', email: 'nina@example.com', permissions: ['VIEW_NPS', 'PRODUCT_MANAGE', 'VIEW_NPS'] })
  t.strictSame(added.data.addVendorUser, { id: 'nina', email: 'nina@example.com', role: 'member', permissions: ['PRODUCT_MANAGE', 'VIEW_NPS'] })
  const nina = bearer(await accessToken('nina'))
  t.equal((await api.send(nina, products)).errors, undefined)
  const changed = await change(admin, { id: 'nina', role: 'member', permissions: ['VIEW_NPS'] })
  t.strictSame(changed.data.updateVendorUser, { id: 'nina', email: 'nina@example.com', role: 'member', permissions: ['VIEW_NPS'] })
  t.match(errorOf(await api.send(nina, products)), /^FORBIDDEN: This needs the permission PRODUCT_MANAGE/)
  t.match((await change(admin, { id: 'nina', role: 'admin' })).data.updateVendorUser.permissions.length, 10)
  t.equal((await api.send(nina, products)).errors, undefined)
  t.strictSame((await remove(admin, 'nina')).data.removeVendorUser, { id: 'nina', integrationApiKeys: [] })
  t.match(errorOf(await api.send(nina, products)), /^FORBIDDEN: You do not belong to this vendor/)
  t.match(errorOf(await remove(admin, 'nina')), /^NOT_FOUND: There is no user "nina" of this vendor/)
})

t.test('what is wrong is told with its field', async (t) => {
  for (const [input, expected] of [
    [{ id: 'a b', email: 'a@example.com' }, /BAD_USER_INPUT: id must be/], [{ id: 'ab', email: 'nobody' }, /BAD_USER_INPUT: email must be/],
    [{ id: 'ab', email: 'a@example.com', role: 'admin', permissions: ['VIEW_NPS'] }, /BAD_USER_INPUT: permissions are for a member/],
    [{ id: 'mia', email: 'mia@example.com' }, /CONFLICT: User mia belongs to this vendor already/]
  ] as const) t.match(errorOf(await add(owner, input)), expected)
  t.match(errorOf(await change(owner, { id: 'nobody', role: 'member' })), /NOT_FOUND/)
  t.equal(await users.find('ab'), null)
})

t.test('neither a member, nor any key, nor who belongs elsewhere may', async (t) => {
  const keyOfOwner = bearer((await userApiKeys.create('olga', 'hers', null)).key)
  const stranger = bearer(await api.tokenOf('otto', [{ vendorId: 'other', role: 'owner', permissions: [] }]))
  const integration = { 'x-vendor-api-key': await api.keyOf('shop') }
  for (const headers of [member, keyOfOwner, stranger, integration]) {
    t.match(errorOf(await add(headers, { id: 'eve', email: 'eve@example.com' })), /^FORBIDDEN/)
    t.match(errorOf(await change(headers, { id: 'mia', role: 'admin' })), /^FORBIDDEN/)
    t.match(errorOf(await remove(headers, 'mia')), /^FORBIDDEN/)
  }
  t.equal(await users.find('eve'), null)
  t.equal(await at('mia'), 'member PRODUCT_MANAGE')
})

t.test('only an owner makes, changes and removes owners', async (t) => {
  for (const refused of [
    await add(admin, { id: 'eve', email: 'eve@example.com', role: 'owner' }), await change(admin, { id: 'adam', role: 'owner' }),
    await change(admin, { id: 'olga', role: 'member' }), await remove(admin, 'olga')
  ]) t.match(errorOf(refused), /^FORBIDDEN: Only an owner of the vendor/)
  t.equal(await at('olga'), 'owner')
  t.equal((await add(owner, { id: 'oscar', email: 'oscar@example.com', role: 'owner' })).errors, undefined)
  t.equal((await change(owner, { id: 'oscar', role: 'admin' })).errors, undefined)
  t.equal(await at('oscar'), 'admin')
})

t.test('a vendor keeps an owner, also where two remove each other at the same time', async (t) => {
  t.match(errorOf(await remove(owner, 'olga')), /^CONFLICT: The vendor has no other owner/)
  t.match(errorOf(await change(owner, { id: 'olga', role: 'admin' })), /^CONFLICT: The vendor has no other owner/)
  t.equal(await at('olga'), 'owner')
  await users.create('owen', 'owen@example.com', [{ vendorId: 'shop', role: 'owner', permissions: [] }])
  const owen = bearer(await accessToken('owen'))
  for (let round = 0; round < 5; round++) {
    await Promise.all([remove(owner, 'owen'), remove(owen, 'olga')])
    t.ok((await users.ofVendor('shop')).some(({ role }) => role === 'owner'), `round ${round}`)
    for (const id of ['olga', 'owen']) await users.grant(id, { vendorId: 'shop', role: 'owner', permissions: [] })
    nowMs += 10_000
  }
  t.equal((await remove(owner, 'owen')).errors, undefined, 'one of two may go')
})

t.test('whoever belongs to vendors of others is for the operator to add, and nothing is told of them', async (t) => {
  await users.create('theirs', 'theirs@example.com', [{ vendorId: 'other', role: 'member', permissions: [] }])
  await users.create('sisters', 'sisters@example.com', [{ vendorId: 'sister', role: 'member', permissions: [] }])
  await users.create('free', 'free@example.com', [])
  t.match(errorOf(await add(owner, { id: 'theirs', email: 'theirs@example.com' })), /^CONFLICT: User theirs is registered already/)
  t.match(errorOf(await add(owner, { id: 'free', email: 'guessed@example.com' })), /^CONFLICT: User free is registered already/)
  t.equal(await at('theirs'), null)
  t.equal((await add(owner, { id: 'free', email: 'Free@example.com' })).errors, undefined)
  t.match(errorOf(await add(admin, { id: 'sisters', email: 'sisters@example.com' })), /^CONFLICT/, 'the admin manages the one vendor alone')
  t.equal((await add(owner, { id: 'sisters', email: 'sisters@example.com', permissions: ['VIEW_NPS'] })).errors, undefined)
  t.strictSame([await at('sisters'), await at('sisters', 'sister')], ['member VIEW_NPS', 'member'])
})

t.test('who is removed has made keys that still work: they are named, and on the audit trail, as is who did what to whom', async (t) => {
  await users.create('kim', 'kim@example.com', [{ vendorId: 'shop', role: 'admin', permissions: [] }, { vendorId: 'other', role: 'admin', permissions: [] }])
  const { record } = await integrationApiKeys.create('shop', 'by kim', ['VIEW_NPS'], { createdBy: 'kim' })
  await integrationApiKeys.create('other', 'elsewhere', ['VIEW_NPS'], { createdBy: 'kim' })
  t.strictSame((await remove(owner, 'kim')).data.removeVendorUser, { id: 'kim', integrationApiKeys: [{ name: 'by kim' }] })
  t.equal(await at('kim', 'other'), 'admin', 'elsewhere it is what it was')
  const { data } = await api.send(owner, '{ auditEvents(vendorId: "shop", first: 200) { nodes { action userId targetId outcome code relatedIds } } }')
  const events = data.auditEvents.nodes as Array<Record<string, unknown>>
  t.match(events[0], { action: 'removeVendorUser', userId: 'olga', targetId: 'kim', outcome: 'DONE', relatedIds: [record._id] })
  t.ok(events.some(({ action, targetId, code }) => action === 'removeVendorUser' && targetId === 'olga' && code === 'FORBIDDEN'))
  t.ok(events.some(({ action, targetId, outcome }) => action === 'addVendorUser' && targetId === 'nina' && outcome === 'DONE'))
  t.notMatch(JSON.stringify(events), /nina@example/)
})
