/** Store locations over GraphQL, and what their deletion does to products (interface.md, "GraphQL: store locations"). */
import t from 'tap'
import { toDocument } from '../../src/store/catalog/product-document.js'
import { line } from '../support/product-lines.js'
import { testApi } from '../unit/api/test-api.js'
import { testCatalog } from '../unit/store/test-catalog.js'

const api = await testApi(t)
const { collections } = api.database
const key = await api.keyOf('shop', ['STORE_LOCATION_MANAGE', 'PRODUCT_MANAGE'])
const other = await api.keyOf('other', ['STORE_LOCATION_MANAGE', 'PRODUCT_MANAGE'])
const catalog = testCatalog(api, 'shop')

const fields = 'id vendorId storeCode name isActive phone latitude longitude streetAddress streetAddress2 city region country postalCode'
const create = async (input: object, as = key) =>
  await api.graphql(as, `mutation ($input: CreateStoreLocationInput!) { createStoreLocation(input: $input) { ${fields} } }`, { input: { vendorId: 'shop', name: 'Store', ...input } })
const update = async (input: object, as = key) =>
  await api.graphql(as, `mutation ($input: UpdateStoreLocationInput!) { updateStoreLocation(input: $input) { ${fields} } }`, { input })
const remove = async (id: string, as = key) => await api.graphql(as, 'mutation ($id: ID!) { deleteStoreLocation(id: $id) { id storeCode } }', { id })
const created = async (storeCode: string, more = {}): Promise<string> => (await create({ storeCode, ...more })).data.createStoreLocation.id as string
const isHeld = async (externalId: string, locationId: string): Promise<boolean> =>
  JSON.stringify(await collections.products.findOne({ vendorId: 'shop', externalId })).includes(locationId)
const codeOf = ({ errors }: { errors: Array<{ extensions: { code: string } }> | undefined }): string | undefined => errors?.[0]?.extensions.code

t.test('a location is created as it is sent, active unless it says otherwise', async (t) => {
  const sent = {
    storeCode: 'NYC', name: 'New York', phone: '+1 212', latitude: 40.7, longitude: -74, streetAddress: '5th Ave 1', streetAddress2: 'Floor 2', city: 'New York', region: 'NY', country: 'US', postalCode: '10001'
  }
  const { data, errors } = await create(sent)
  t.equal(errors, undefined)
  t.match(data.createStoreLocation, { ...sent, vendorId: 'shop', isActive: true, id: /./ })
  t.match((await create({ storeCode: 'closed', isActive: false })).data.createStoreLocation, { isActive: false, phone: null, latitude: null, country: null })
})

t.test('what is wrong with a field refuses the location, and nothing is stored', async (t) => {
  const before = await collections.storeLocations.countDocuments({})
  for (const [field, value] of Object.entries({
    storeCode: ' ', name: '', latitude: 90.01, longitude: -180.5, country: 'us', phone: 'x'.repeat(256), city: '\ud83d'
  })) {
    const { data, errors } = await create({ storeCode: 'X', [field]: value })
    t.match([data, errors], [null, [{ extensions: { code: 'BAD_USER_INPUT', field: `input.${field}` } }]], field)
  }
  for (const country of ['XX', 'EU', 'USA', '']) t.equal(codeOf(await create({ storeCode: 'X', country })), 'BAD_USER_INPUT', country)
  t.equal(codeOf(await create({ storeCode: 'x'.repeat(256) })), 'BAD_USER_INPUT')
  t.equal(await collections.storeLocations.countDocuments({}), before)
})

t.test('of many who create the same code at once, one wins and the others get CONFLICT', async (t) => {
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await create({ storeCode: 'race' })))
  t.equal(answers.filter(({ errors }) => errors === undefined).length, 1)
  t.equal(answers.filter((answer) => codeOf(answer) === 'CONFLICT').length, 7)
  t.equal(await collections.storeLocations.countDocuments({ vendorId: 'shop', storeCode: 'race' }), 1)
})

t.test('codes differ by case, and each vendor has its own', async (t) => {
  await created('Case')
  t.equal((await create({ storeCode: 'case' })).errors, undefined)
  t.equal((await create({ vendorId: 'other', storeCode: 'Case' }, other)).errors, undefined)
})

t.test('an update changes what is sent, null clears, and what must be there cannot be cleared', async (t) => {
  const id = await created('U', { phone: '1', city: 'Rome' })
  t.match((await update({ id, phone: null, name: 'New', storeCode: 'U2', isActive: false })).data.updateStoreLocation, { id, phone: null, city: 'Rome', name: 'New', storeCode: 'U2', isActive: false })
  for (const field of ['storeCode', 'name', 'isActive']) t.equal(codeOf(await update({ id, [field]: null })), 'BAD_USER_INPUT', field)
  t.match((await update({ id })).data.updateStoreLocation, { storeCode: 'U2', city: 'Rome' }, 'nothing sent, nothing changed')
  await created('taken')
  t.equal(codeOf(await update({ id, storeCode: 'taken' })), 'CONFLICT')
})

t.test('another vendor\'s location does not exist', async (t) => {
  const id = await created('mine')
  t.strictSame((await api.graphql(other, 'query ($id: ID!) { storeLocation(id: $id) { id } }', { id })).data, { storeLocation: null })
  t.equal(codeOf(await update({ id, name: 'Theirs' }, other)), 'NOT_FOUND')
  t.equal(codeOf(await remove(id, other)), 'NOT_FOUND')
  t.equal(codeOf(await create({ storeCode: 'X' }, other)), 'FORBIDDEN')
  t.equal(codeOf(await api.graphql(other, '{ storeLocations(vendorId: "shop") { id } }')), 'FORBIDDEN')
  t.match((await api.graphql(key, 'query ($id: ID!) { storeLocation(id: $id) { id name } }', { id })).data.storeLocation, { id, name: 'Store' })
})

t.test('ids that are none are not found', async (t) => {
  for (const id of ['', 'x', '{"$gt":""}', '__proto__', '\u0000']) {
    t.equal(codeOf(await remove(id)), 'NOT_FOUND', id)
    t.strictSame((await api.graphql(key, 'query ($id: ID!) { storeLocation(id: $id) { id } }', { id })).data, { storeLocation: null })
  }
})

t.test('the list holds the vendor\'s own, by code', async (t) => {
  const third = await api.keyOf('third', ['STORE_LOCATION_MANAGE'])
  for (const storeCode of ['b', 'a', 'C']) await create({ vendorId: 'third', storeCode }, third)
  const { data } = await api.graphql(third, '{ storeLocations(vendorId: "third") { storeCode } }')
  t.strictSame(data.storeLocations, [{ storeCode: 'C' }, { storeCode: 'a' }, { storeCode: 'b' }])
})

const stocked = (externalId: string, inventoryByLocation: object): string =>
  line(externalId, { publishedAt: '2020-01-01', variants: [{ externalId: `${externalId}-V`, name: 'V', inventoryByLocation }] })
const search = async (storeCode: string): Promise<string[]> => {
  const { data } = await api.graphql(key, 'query ($storeCode: String) { searchProducts(input: { vendorId: "shop", storeCode: $storeCode }) { nodes { externalId } } }', { storeCode })
  return (data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
}

t.test('variants answer quantities with their locations, and a store finds what it has in stock', async (t) => {
  await created('S1', { name: 'One' })
  const s2 = await created('S2', { name: 'Two' })
  await catalog.import([stocked('q1', { S1: 3 }), stocked('q2', { S2: 5 }), stocked('q3', { S1: 1, S2: 1 })])
  const { data } = await api.graphql(key, '{ product(externalId: "q3") { variants { inventoryByLocation { quantity storeLocation { storeCode name } } } } }')
  const held = data.product.variants[0].inventoryByLocation as Array<{ quantity: number, storeLocation: { storeCode: string } }>
  t.match(held.find(({ storeLocation }) => storeLocation.storeCode === 'S1'), { quantity: 1, storeLocation: { name: 'One' } })
  t.strictSame([await search('S1'), await search('S2')], [['q1', 'q3'], ['q2', 'q3']])
  await update({ id: s2, isActive: false })
  t.strictSame(await search('S2'), [], 'a location that is not active has nothing for customers')
})

t.test('deleting a location removes its quantities from all products, archived ones too, and refreshes what they are found by', async (t) => {
  const doomed = await created('D1')
  await created('D2')
  await catalog.import([stocked('d1', { D1: 3, D2: 2 }), stocked('d2', { D1: 0 }), stocked('d3', { D1: 4 })])
  await catalog.import([{ externalId: 'd3', archived: true }])
  const { data } = await remove(doomed)
  t.strictSame(data.deleteStoreLocation, { id: doomed, storeCode: 'D1' })
  for (const id of ['d1', 'd2', 'd3']) {
    const product = await catalog.product(id)
    t.notOk(product.variants[0]?.locationQuantities.some(({ locationId }) => locationId === doomed), id)
    t.notOk(await isHeld(id, doomed), id)
  }
  t.strictSame(await search('D2'), ['d1'], 'what other stores have stays')
  t.equal(codeOf(await remove(doomed)), 'NOT_FOUND')
})

t.test('of many who delete a location at once, one is told that it did', async (t) => {
  const id = await created('once')
  const answers = await Promise.all(Array.from({ length: 5 }, async () => await remove(id)))
  t.strictSame(answers.map((answer) => codeOf(answer) ?? 'deleted').sort(), ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'deleted'])
})

t.test('a deletion whose process died is finished by a worker: the record, then the products', async (t) => {
  const id = await created('crash')
  await catalog.import([stocked('c1', { crash: 3 })])
  await api.repositories.linkRemovals.request('shop', 'store-location', id)
  await api.repositories.linkRemovals.runDue(new AbortController().signal)
  t.equal(await collections.storeLocations.findOne({ _id: id }), null)
  t.notOk((await catalog.product('c1')).variants[0]?.locationQuantities.some(({ locationId }) => locationId === id))
})

t.test('a line that was resolved before the deletion and written after it is swept by the last pass', async (t) => {
  const id = await created('late')
  await catalog.import([stocked('l1', { late: 3 })])
  const before = await catalog.product('l1')
  await remove(id)
  const current = await catalog.product('l1')
  await collections.products.replaceOne({ _id: before._id }, toDocument({ ...before, revision: current.revision + 1 }, before))
  const signal = new AbortController().signal
  await api.repositories.linkRemovals.runDue(signal)
  t.ok(await isHeld('l1', id), 'not before it is due')
  await api.repositories.linkRemovals.runDue(signal, new Date(Date.now() + 11 * 60 * 1_000))
  t.notOk(await isHeld('l1', id))
  t.equal(await collections.linkRemovals.countDocuments({ linkId: id }), 0, 'and then forgotten')
})

t.test('a key without the permission may do none of it', async (t) => {
  const weak = await api.keyOf('shop', ['PRODUCT_MANAGE'])
  t.equal(codeOf(await create({ storeCode: 'X' }, weak)), 'FORBIDDEN')
  t.equal(codeOf(await update({ id: 'x' }, weak)), 'FORBIDDEN')
  t.equal(codeOf(await remove('x', weak)), 'FORBIDDEN')
  t.equal(codeOf(await api.graphql(weak, '{ storeLocation(id: "x") { id } }')), 'FORBIDDEN')
})
