import t from 'tap'
import { testApi } from '../../test-api.js'

const query = '{ viewer { kind id email isInPerson vendors { id name role permissions } } }'

t.test('an integration key sees its vendor and what it may do there', async (t) => {
  const { keyOf, graphql } = await testApi(t)
  const { data } = await graphql(await keyOf('acme', ['VIEW_NPS', 'PRODUCT_MANAGE']), query)
  t.match(data.viewer, { kind: 'INTEGRATION_KEY', email: null, isInPerson: false })
  t.strictSame(data.viewer.vendors, [{ id: 'acme', name: 'acme', role: null, permissions: ['PRODUCT_MANAGE', 'VIEW_NPS'] }])
})

t.test('a user of several vendors sees them all, without naming one', async (t) => {
  const { keyOf, tokenOf, send } = await testApi(t)
  for (const id of ['acme', 'other']) await keyOf(id)
  const token = await tokenOf('ann', [{ vendorId: 'acme', role: 'owner', permissions: [] }, { vendorId: 'other', role: 'member', permissions: ['VIEW_PII'] }])
  const { data } = await send({ authorization: `Bearer ${token}` }, query)
  t.match(data.viewer, { kind: 'USER', id: 'ann', email: 'ann@example.com', isInPerson: true })
  t.equal(data.viewer.vendors[0].permissions.length, 10)
  t.match(data.viewer.vendors[1], { id: 'other', role: 'member', permissions: ['VIEW_PII'] })
})

t.test('a user\'s key is no person', async (t) => {
  const { tokenOf, repositories, send } = await testApi(t)
  await tokenOf('ann', [])
  const { key } = await repositories.userApiKeys.create('ann', 'script', null)
  const { data } = await send({ authorization: `Bearer ${key}` }, query)
  t.match(data.viewer, { kind: 'USER', isInPerson: false, vendors: [] })
})

t.test('nobody is told nothing', async (t) => {
  const { graphql } = await testApi(t)
  const { errors } = await graphql(null, query)
  t.equal(errors?.[0]?.extensions.code, 'UNAUTHENTICATED')
})
