/** resolveFitment and searchProducts over GraphQL (decisions.md, "Assistant behaviour"). How free text is read: test/unit/assistant. */
import t from 'tap'
import { line } from '../support/product-lines.js'
import { storeLocation } from '../support/store-location.js'
import { testApi } from '../unit/api/test-api.js'
import { testCatalog } from '../unit/store/test-catalog.js'

const api = await testApi(t)
const { repositories } = api

type Answer = Awaited<ReturnType<typeof api.graphql>>
const codeOf = ({ errors }: Answer): string | undefined => errors?.[0]?.extensions.code

const fleet = [
  ['Honda', 'Civic', '2019'], ['Honda', 'Civic', '2020'], ['Honda', 'Accord', '2019'], ['Ford', 'Focus', '2019'], ['Ford', 'Mustang', '2018'],
  ...Array.from({ length: 10 }, (_, n) => ['Kia', `Model ${n + 1}`, '2021'])
].map(([make, model, year]) => ({ externalId: `${make} ${model} ${year}`, facetValues: { make, model, year } as Record<string, string> }))

async function shop (targets = fleet, slugs = ['make', 'model', 'year']) {
  const vendorId = `shop-${Math.random().toString(36).slice(2, 10)}`
  // Any credential of the vendor may ask.
  const key = await api.keyOf(vendorId, [])
  const owner = await api.keyOf(vendorId, ['FITMENT_MANAGE', 'STORE_LOCATION_MANAGE'])
  for (const [position, slug] of slugs.entries()) await repositories.fitmentFacets.create(vendorId, { name: slug, slug, position })
  if (targets.length > 0) {
    const { errors } = await api.graphql(owner, 'mutation ($targets: [CreateFitmentTargetInput!]!) { bulkUpsertFitmentTargets(input: { targets: $targets }) { total } }', { targets })
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
  }
  return {
    vendorId,
    key,
    owner,
    catalog: testCatalog(api, vendorId),
    resolve: async (input: object) => await api.graphql(key, `mutation ($input: ResolveFitmentInput!) { resolveFitment(input: $input) {
      status facetValues candidates facet { slug } target { externalId label } } }`, { input: { vendorId, conversationId: 'c', ...input } }),
    search: async (input: object) => await api.graphql(key, `query ($input: SearchProductsInput!) { searchProducts(input: $input) {
      totalCount hasNextPage endCursor nodes { externalId } } }`, { input: { vendorId, ...input } })
  }
}
const idsOf = ({ data, errors }: Answer): string[] => {
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return (data.searchProducts.nodes as Array<{ externalId: string }>).map(({ externalId }) => externalId)
}
const live = (externalId: string, fields = {}): string => line(externalId, { publishedAt: '2020-01-01', ...fields })

t.test('a vehicle is narrowed down over a conversation, one question at a time', async (t) => {
  const { resolve } = await shop()
  t.match((await resolve({ text: 'brake pads for my hnoda' })).data.resolveFitment, { status: 'NEEDS_FACET', facet: { slug: 'model' }, candidates: ['Accord', 'Civic'], facetValues: { make: 'Honda' }, target: null })
  t.match((await resolve({ text: 'the civic' })).data.resolveFitment, { status: 'NEEDS_FACET', facet: { slug: 'year' }, candidates: ['2019', '2020'], facetValues: { make: 'Honda', model: 'Civic' } })
  t.match((await resolve({ text: '2020' })).data.resolveFitment, {
    status: 'RESOLVED', facet: null, candidates: [], target: { externalId: 'Honda Civic 2020', label: 'Honda Civic 2020' }, facetValues: { make: 'Honda', model: 'Civic', year: '2020' }
  })
  t.match((await resolve({})).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Honda Civic 2020' } }, 'remembered')
  t.match((await resolve({ conversationId: 'another' })).data.resolveFitment, { status: 'NEEDS_FACET', facet: { slug: 'make' }, facetValues: {} }, 'of this conversation only')
})

t.test('what is said now goes before what was known', async (t) => {
  const { resolve } = await shop()
  await resolve({ text: '2019 civic' })
  t.match((await resolve({ text: 'sorry, an accord' })).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Honda Accord 2019' } }, 'the year still holds')
  t.match((await resolve({ text: 'now a mustang' })).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Ford Mustang 2018' } }, 'the year no longer does')
})

t.test('a range of years, a "not" and two vehicles are asked about; nothing of them that is not meant is remembered', async (t) => {
  const { resolve } = await shop()
  t.match((await resolve({ text: 'civic 2018-2020' })).data.resolveFitment, { status: 'NEEDS_FACET', facet: { slug: 'year' }, candidates: ['2019', '2020'], facetValues: { make: 'Honda', model: 'Civic' } })
  t.match((await resolve({ text: 'not the civic' })).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Honda Accord 2019' } })
  t.match((await resolve({ conversationId: 'd', text: 'not a civic, a ford since 2019' })).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Ford Focus 2019' } })
  t.match((await resolve({ conversationId: 'e', text: 'honda civic or mustang' })).data.resolveFitment, { status: 'NEEDS_FACET', facet: { slug: 'make' }, candidates: ['Ford', 'Honda'], facetValues: {} })
})

t.test('given values are made canonical, alone and beside text', async (t) => {
  const { resolve } = await shop()
  t.match((await resolve({ facetValues: { make: 'HONDA', model: 'civc', year: '2019' } })).data.resolveFitment, { status: 'RESOLVED', facetValues: { make: 'Honda', model: 'Civic', year: '2019' } })
  t.match((await resolve({ conversationId: 'd', text: 'civic', facetValues: { year: '2020' } })).data.resolveFitment, { status: 'RESOLVED', target: { externalId: 'Honda Civic 2020' } })
})

t.test('what no target has is NO_MATCH, and leaves what was known', async (t) => {
  const { resolve } = await shop()
  await resolve({ text: 'honda' })
  for (const input of [{ text: 'hello there' }, { text: '2018 civic' }, { facetValues: { make: 'Lada' } }, { facetValues: { make: 'Ford', model: 'Civic' } }]) {
    t.match((await resolve(input)).data.resolveFitment, { status: 'NO_MATCH', facetValues: { make: 'Honda' }, candidates: [], target: null }, JSON.stringify(input))
  }
  t.match((await resolve({})).data.resolveFitment, { status: 'NEEDS_FACET', facetValues: { make: 'Honda' } })
})

t.test('at most 8 candidates, in natural order', async (t) => {
  const { resolve } = await shop()
  t.strictSame((await resolve({ text: 'kia' })).data.resolveFitment.candidates, Array.from({ length: 8 }, (_, n) => `Model ${n + 1}`))
})

t.test('a vendor without targets is NOT_CONFIGURED, also when all have been deleted', async (t) => {
  const empty = await shop([])
  t.match((await empty.resolve({ text: '2019 civic' })).data.resolveFitment, { status: 'NOT_CONFIGURED', facetValues: {} })
  const at = await shop(fleet.slice(0, 1))
  const [only] = (await repositories.fitmentTargets.page(at.vendorId, { facets: [], values: [], after: 0, limit: 1 })).targets
  await repositories.fitmentTargets.delete(at.vendorId, only?._id ?? '')
  for (const input of [{ text: '2019 civic' }, {}]) t.match((await at.resolve(input)).data.resolveFitment, { status: 'NOT_CONFIGURED' })
})

t.test('a value that no target has any more is neither understood nor offered', async (t) => {
  const { resolve, vendorId } = await shop()
  const accord = await repositories.fitmentTargets.findByExternalId(vendorId, 'Honda Accord 2019')
  await repositories.fitmentTargets.delete(vendorId, accord?._id ?? '')
  t.match((await resolve({ text: 'honda' })).data.resolveFitment, { facet: { slug: 'year' }, facetValues: { make: 'Honda', model: 'Civic' } })
  t.match((await resolve({ conversationId: 'd', text: 'accord' })).data.resolveFitment, { status: 'NO_MATCH' })
})

t.test('facets may be moved, renamed and deleted between two answers', async (t) => {
  const { resolve, vendorId } = await shop()
  const { fitmentFacets } = repositories
  const [make, , year] = await fitmentFacets.list(vendorId)
  await resolve({ text: 'honda' })
  await fitmentFacets.update(vendorId, year?._id ?? '', { position: 0, slug: 'built' })
  await fitmentFacets.update(vendorId, make?._id ?? '', { position: 9 })
  t.match((await resolve({})).data.resolveFitment, { facet: { slug: 'built' }, candidates: ['2019', '2020'] })
  await fitmentFacets.delete(vendorId, year?._id ?? '')
  t.match((await resolve({ text: 'civic' })).data.resolveFitment, { status: 'RESOLVED', facetValues: { make: 'Honda', model: 'Civic' } })
})

t.test('bad questions are refused', async (t) => {
  const { resolve, search } = await shop()
  for (const wrong of [
    { conversationId: '' }, { conversationId: 'x'.repeat(256) }, { text: 'x'.repeat(1_001) }, { facetValues: { trim: 'EX' } }, { facetValues: ['Honda'] },
    { facetValues: { make: { $ne: '' } } }, { facetValues: { make: ' ' } }, { facetValues: { make: null } }
  ]) t.equal(codeOf(await resolve(wrong)), 'BAD_USER_INPUT', JSON.stringify(wrong))
  for (const wrong of [{ first: 0 }, { first: 101 }, { cursor: 'x' }, { cursor: Buffer.from('{"rank":-1,"externalId":"a"}').toString('base64url') }, { text: 'x'.repeat(1_001) }]) {
    t.equal(codeOf(await search(wrong)), 'BAD_USER_INPUT', JSON.stringify(wrong))
  }
})

t.test('aliases do not multiply what one request may ask', async (t) => {
  const { key, vendorId } = await shop([])
  const aliases = Array.from({ length: 11 }, (_, n) => `a${n}: searchProducts(input: { vendorId: $v }) { hasNextPage }`).join(' ')
  t.match((await api.graphql(key, `query ($v: ID!) { ${aliases} }`, { v: vendorId })).errors, [{ path: ['a10'], extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('only published products are found: no archived, draft or future ones, whatever is asked', async (t) => {
  const { search, catalog } = await shop()
  await catalog.import([
    live('live', { name: 'Brake Pads' }), line('draft', { name: 'Brake Pads' }), live('future', { name: 'Brake Pads', publishedAt: '2999-01-01' }), live('archived', { name: 'Brake Pads', archived: true })
  ])
  for (const input of [{}, { text: 'brake' }, { fitmentTargetExternalId: 'Honda Civic 2019' }, { text: 'pads', fitmentTargetExternalId: 'Honda Civic 2019' }]) {
    const answer = await search(input)
    t.strictSame([idsOf(answer), answer.data.searchProducts.totalCount], [['live'], 1], JSON.stringify(input))
  }
  await catalog.import([{ externalId: 'archived', archived: false }, { externalId: 'live', archived: true }])
  t.strictSame(idsOf(await search({ text: 'brake' })), ['archived'], 'as soon as it has changed')
})

t.test('text is ranked by the words a product has, then by those in its name', async (t) => {
  const { search, catalog } = await shop([])
  await catalog.import([
    live('tag', { name: 'Rotor', tags: ['brake'] }), live('two', { name: 'Ceramic Brake Pad', brandName: 'Acme' }), live('one', { name: 'Brake Fluid' }), live('none', { name: 'Mirror' }), live('éclair', { name: 'Kit Écläir' })
  ])
  t.strictSame(idsOf(await search({ text: 'BRAKE pads' })), ['two', 'one', 'tag'])
  t.strictSame(idsOf(await search({ text: 'acme' })), ['two'])
  t.strictSame(idsOf(await search({ text: 'eclair' })), ['éclair'])
  t.strictSame(idsOf(await search({ text: '???' })), [])
  t.equal(idsOf(await search({ text: '  ' })).length, 5, 'no text')
})

t.test('a target finds what is linked to it or to nothing, over product and variant', async (t) => {
  const { search, catalog, resolve } = await shop()
  const variants = (id: string) => [{ externalId: 'V', name: 'V', fitmentTargetExternalIds: [id] }, { externalId: 'W', name: 'W' }]
  await catalog.import([
    live('a-universal'), live('b-civic', { fitmentTargetExternalIds: ['Honda Civic 2019', 'Honda Civic 2020'] }), live('c-variant', { variants: variants('Honda Civic 2019') }),
    live('d-other', { fitmentTargetExternalIds: ['Ford Focus 2019'] }), live('e-other', { variants: variants('Ford Focus 2019') })
  ])
  const civic = ['b-civic', 'c-variant', 'a-universal']
  t.strictSame(idsOf(await search({ fitmentTargetExternalId: 'Honda Civic 2019' })), civic)
  t.strictSame(idsOf(await search({ text: 'product', fitmentTargetExternalId: 'Honda Civic 2019' })), civic, 'with text, too')
  t.equal(idsOf(await search({ conversationId: 'c' })).length, 5, 'nothing is remembered yet')
  await resolve({ text: '2019 civic' })
  t.strictSame(idsOf(await search({ conversationId: 'c' })), civic)
  t.strictSame(idsOf(await search({ conversationId: 'c', fitmentTargetExternalId: 'Ford Focus 2019' })), ['d-other', 'e-other', 'a-universal'], 'a named one goes first')
  await resolve({ text: 'honda' })
  t.equal(idsOf(await search({ conversationId: 'c' })).length, 3, 'still known by what was said before')
  await resolve({ text: 'kia' })
  t.equal(idsOf(await search({ conversationId: 'c' })).length, 5, 'no longer resolved')
  t.equal(codeOf(await search({ fitmentTargetExternalId: 'Lada' })), 'NOT_FOUND')
})

t.test('a store finds what it has in stock; a store that is closed finds nothing, an unknown one is NOT_FOUND', async (t) => {
  const { search, catalog, vendorId } = await shop()
  const store = await repositories.storeLocations.create(vendorId, storeLocation('NYC'))
  await catalog.import([['in', 3], ['out', 0]].map(([id, quantity]) => live(String(id), {
    fitmentTargetExternalIds: ['Honda Civic 2019'], variants: [{ externalId: `${id}V`, name: 'V', inventoryByLocation: { NYC: quantity } }]
  })))
  for (const input of [{}, { text: 'product' }, { fitmentTargetExternalId: 'Honda Civic 2019' }]) t.strictSame(idsOf(await search({ storeCode: 'NYC', ...input })), ['in'], JSON.stringify(input))
  await catalog.import([{ externalId: 'out', variants: [{ externalId: 'outV', inventoryByLocation: { NYC: 1 } }] }, { externalId: 'in', variants: [{ externalId: 'inV', inventoryByLocation: {} }] }])
  t.strictSame(idsOf(await search({ storeCode: 'NYC' })), ['out'])
  const stocked = { variants: [{ externalId: 'S', name: 'S', inventoryByLocation: { NYC: 1 } }] }
  await catalog.import([live('any', stocked), live('other', { ...stocked, fitmentTargetExternalIds: ['Ford Focus 2019'] }), live('elsewhere')])
  for (const input of [{}, { text: 'product' }]) {
    t.strictSame(idsOf(await search({ storeCode: 'NYC', fitmentTargetExternalId: 'Honda Civic 2019', ...input })), ['out', 'any'], 'what fits everything after what is made for it')
  }
  t.equal(codeOf(await search({ storeCode: 'nyc' })), 'NOT_FOUND')
  await repositories.storeLocations.update(vendorId, store._id, { isActive: false })
  t.strictSame(idsOf(await search({ storeCode: 'NYC' })), [])
})

for (const [what, input] of [['with text', { text: 'product' }], ['without', {}], ['by target', { fitmentTargetExternalId: 'Honda Civic 2019' }]] as const) {
  t.test(`pages of a search ${what} hold each product once`, async (t) => {
    const { search, catalog } = await shop()
    await catalog.import(Array.from({ length: 7 }, (_, n) => live(`p${n}`, { fitmentTargetExternalIds: n % 3 === 0 ? ['Honda Civic 2019'] : [] })))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const answer: Answer = await search({ ...input, first: 2, cursor })
      seen.push(...idsOf(answer))
      t.equal(answer.data.searchProducts.totalCount, 7)
      cursor = answer.data.searchProducts.hasNextPage === true ? answer.data.searchProducts.endCursor as string : null
    } while (cursor !== null)
    t.strictSame([seen.length, new Set(seen).size], [7, 7])
  })
}

t.test('another vendor\'s targets, conversations and products are not there', async (t) => {
  const [at, other] = [await shop(), await shop(fleet.slice(0, 1))]
  await other.catalog.import([live('theirs')])
  await other.resolve({ text: 'civic' })
  t.match((await at.resolve({})).data.resolveFitment, { status: 'NEEDS_FACET', facetValues: {} })
  t.strictSame(idsOf(await at.search({})), [])
  t.equal(codeOf(await at.search({ vendorId: other.vendorId })), 'FORBIDDEN')
  t.equal(codeOf(await at.resolve({ vendorId: other.vendorId })), 'FORBIDDEN')
})
