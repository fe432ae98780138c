/** Fitment facets and targets over GraphQL (interface.md, "GraphQL: fitment"; decisions.md, "Store locations, fitment, size charts"). */
import t from 'tap'
import { line } from '../support/product-lines.js'
import { testApi } from '../unit/api/test-api.js'
import { testCatalog } from '../unit/store/test-catalog.js'

const api = await testApi(t)
const { collections } = api.database
let vendors = 0

interface Target { id: string, externalId: string, label: string | null, facetValues: Record<string, string> }
type Answer = Awaited<ReturnType<typeof api.graphql>>

const codeOf = ({ errors }: Answer): string | undefined => errors?.[0]?.extensions.code
const one = <T>({ data, errors }: Answer, field: string): T => {
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data[field] as T
}

/** A vendor of its own, with the facets year, make and model. */
async function shop (slugs = ['year', 'make', 'model']) {
  const vendorId = `fit-${++vendors}`
  const key = await api.keyOf(vendorId, ['FITMENT_MANAGE', 'PRODUCT_MANAGE'])
  const ask = async (query: string, variables = {}): Promise<Answer> => await api.graphql(key, query, variables)
  const shop = {
    vendorId,
    key,
    ask,
    catalog: testCatalog(api, vendorId),
    createFacet: async (input: object) => await ask('mutation ($input: CreateFitmentFacetInput!) { createFitmentFacet(input: $input) { id name slug position } }', { input }),
    updateFacet: async (id: string, input: object) => await ask('mutation ($id: ID!, $input: UpdateFitmentFacetInput!) { updateFitmentFacet(id: $id, input: $input) { id name slug position } }', { id, input }),
    deleteFacet: async (id: string) => await ask('mutation ($id: ID!) { deleteFitmentFacet(id: $id) }', { id }),
    facetIds: {} as Record<string, string>,
    create: async (input: object) => await ask('mutation ($input: CreateFitmentTargetInput!) { createFitmentTarget(input: $input) { id externalId label facetValues } }', { input }),
    update: async (id: string, input: object) => await ask('mutation ($id: ID!, $input: UpdateFitmentTargetInput!) { updateFitmentTarget(id: $id, input: $input) { id externalId label facetValues } }', { id, input }),
    remove: async (id: string) => await ask('mutation ($id: ID!) { deleteFitmentTarget(id: $id) }', { id }),
    bulk: async (targets: object[]) => await ask('mutation ($targets: [CreateFitmentTargetInput!]!) { bulkUpsertFitmentTargets(input: { targets: $targets }) { created updated total } }', { targets }),
    page: async (input: object | null = null) => await ask('query ($input: FitmentTargetsFilterInput) { fitmentTargets(input: $input) { nextCursor targets { id externalId label facetValues } } }', { input }),
    all: async (input: object | null = null) => one<{ targets: Target[] }>(await shop.page(input), 'fitmentTargets').targets
  }
  for (const [position, slug] of slugs.entries()) shop.facetIds[slug] = one<{ id: string }>(await shop.createFacet({ name: slug, slug, position }), 'createFitmentFacet').id
  return shop
}

const civic = { year: '2019', make: 'Honda', model: 'Civic' }
const created = async (at: Awaited<ReturnType<typeof shop>>, input: object = { externalId: 'civic', facetValues: civic }): Promise<Target> => one(await at.create(input), 'createFitmentTarget')

t.test('facets come by position, whatever order they were made in', async (t) => {
  const { createFacet, ask } = await shop([])
  for (const [slug, position] of [['model', 2], ['year', 0], ['make', 1], ['engine-type', 1]] as const) await createFacet({ name: slug, slug, position })
  t.strictSame(one<Array<{ slug: string }>>(await ask('{ fitmentFacets { slug } }'), 'fitmentFacets').map(({ slug }) => slug), ['year', 'engine-type', 'make', 'model'])
})

t.test('what is wrong with a facet refuses it, at creation and update', async (t) => {
  const { createFacet, updateFacet, facetIds, ask } = await shop(['year'])
  for (const wrong of [
    { slug: 'Year' }, { slug: 'a b' }, { slug: '-a' }, { slug: 'a--b' }, { slug: '' }, { slug: '__proto__' }, { slug: '$where' }, { slug: 'a'.repeat(256) },
    { position: -1 }, { name: '' }, { name: ' ' }, { name: 'x'.repeat(256) }
  ]) {
    t.equal(codeOf(await createFacet({ name: 'X', slug: 'x', position: 0, ...wrong })), 'BAD_USER_INPUT', JSON.stringify(wrong))
    t.equal(codeOf(await updateFacet(facetIds['year'] ?? '', wrong)), 'BAD_USER_INPUT', JSON.stringify(wrong))
  }
  for (const field of ['name', 'slug', 'position']) t.equal(codeOf(await updateFacet(facetIds['year'] ?? '', { [field]: null })), 'BAD_USER_INPUT', field)
  t.strictSame(one(await ask('{ fitmentFacets { name slug position } }'), 'fitmentFacets'), [{ name: 'year', slug: 'year', position: 0 }])
})

t.test('a slug is unique: of many at once one wins, the others get CONFLICT; renaming to a taken one too', async (t) => {
  const { createFacet, updateFacet, facetIds } = await shop(['year'])
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await createFacet({ name: 'Trim', slug: 'trim', position: 3 })))
  t.strictSame(answers.map((answer) => codeOf(answer) ?? 'won').sort(), [...Array<string>(5).fill('CONFLICT'), 'won'])
  t.equal(codeOf(await updateFacet(facetIds['year'] ?? '', { slug: 'trim' })), 'CONFLICT')
})

t.test('a renamed slug is the new key in all targets, in filters and in new targets', async (t) => {
  const at = await shop()
  await created(at)
  await at.updateFacet(at.facetIds['make'] ?? '', { slug: 'brand' })
  t.strictSame((await at.all())[0]?.facetValues, { year: '2019', brand: 'Honda', model: 'Civic' })
  t.equal((await at.all({ facetValues: { brand: 'Honda' } })).length, 1)
  t.equal(codeOf(await at.create({ externalId: 'x', facetValues: { make: 'Ford' } })), 'BAD_USER_INPUT')
  t.equal((await at.create({ externalId: 'x', facetValues: { brand: 'Ford' } })).errors, undefined)
})

t.test('a deleted facet takes its values and its part of automatic labels with it, and does not bring them back', async (t) => {
  const at = await shop()
  await created(at)
  await created(at, { externalId: 'own', label: 'My Honda', facetValues: civic })
  await created(at, { externalId: 'only', facetValues: { make: 'Ford' } })
  t.strictSame(one(await at.deleteFacet(at.facetIds['make'] ?? ''), 'deleteFitmentFacet'), true)
  t.match(await at.all(), [
    { label: '2019 Civic', facetValues: { year: '2019', model: 'Civic' } }, { label: 'My Honda' }, { label: null, facetValues: {} }
  ])
  await at.createFacet({ name: 'make', slug: 'make', position: 1 })
  t.strictSame((await at.all())[0]?.facetValues, { year: '2019', model: 'Civic' })
  const stored = await collections.fitmentTargets.findOne({ vendorId: at.vendorId, externalId: 'civic' })
  t.equal(stored?.facetValues.length, 2, 'gone from the document, too')
  t.equal(codeOf(await at.deleteFacet(at.facetIds['make'] ?? '')), 'NOT_FOUND')
})

t.test('a facet deletion whose process died is finished by a worker, from where it had come to', async (t) => {
  const at = await shop()
  await at.bulk(Array.from({ length: 3 }, (_, n) => ({ externalId: `t${n}`, facetValues: civic })))
  const facetId = at.facetIds['make'] ?? ''
  await api.repositories.facetRemovals.request(at.vendorId, facetId)
  await collections.facetRemovals.updateOne({ _id: facetId }, { $set: { after: 1 } })
  await api.repositories.facetRemovals.runAll(new AbortController().signal)
  t.match(await at.all(), Array(3).fill({ label: '2019 Civic' }))
  const stored = await collections.fitmentTargets.find({ vendorId: at.vendorId }).sort({ order: 1 }).toArray()
  t.strictSame(stored.map(({ facetValues }) => facetValues.length), [3, 2, 2], 'the first was swept before, as the document said')
  t.equal(await collections.facetRemovals.findOne({ _id: facetId }), null)
})

t.test('an automatic label holds the values in the order of the facets', async (t) => {
  const at = await shop()
  t.match(await created(at, { externalId: 'a', facetValues: { model: 'Civic', make: 'Honda', year: '2019' } }), { label: '2019 Honda Civic', facetValues: civic })
  t.match(await created(at, { externalId: 'b', label: null, facetValues: { make: 'Honda' } }), { label: 'Honda' }, 'null counts as omitted')
  t.match(await created(at, { externalId: 'c', label: 'Mine', facetValues: civic }), { label: 'Mine' })
})

const changed = { year: '2020', make: 'Honda', model: 'Civic' }
for (const [was, label] of [['automatic', undefined], ['custom', 'Mine'], ['cleared', null]] as const) {
  const shown = was === 'automatic' ? '2019 Honda Civic' : label
  const rules: Array<[string, object, string | null | undefined]> = [
    ['nothing sent', {}, shown],
    ['the external id sent', { externalId: 'renamed' }, shown],
    ['the same values sent', { facetValues: civic }, shown],
    ['new values sent', { facetValues: changed }, '2020 Honda Civic'],
    ['null sent', { label: null }, null],
    ['null and new values sent', { label: null, facetValues: changed }, null],
    ['a string sent', { label: 'Other' }, 'Other'],
    ['a string and new values sent', { label: 'Other', facetValues: changed }, 'Other']
  ]
  t.test(`a label that was ${was}, on update`, async (t) => {
    const at = await shop()
    for (const [index, [what, input, expected]] of rules.entries()) {
      const { id } = await created(at, { externalId: `t${index}`, facetValues: civic, ...(was === 'custom' ? { label } : {}) })
      if (was === 'cleared') await at.update(id, { label: null })
      const patch = 'externalId' in input ? { externalId: `renamed${index}` } : input
      t.equal(one<Target>(await at.update(id, patch), 'updateFitmentTarget').label, expected, what)
      t.equal((await at.all()).find((target) => target.id === id)?.label, expected, `${what}, read again`)
    }
  })
  t.test(`a label that was ${was}, in a bulk`, async (t) => {
    const at = await shop()
    const inBulk = rules.filter(([, input]) => !('externalId' in input))
    await at.bulk(inBulk.map((_, index) => ({ externalId: `t${index}`, facetValues: civic, ...(was === 'custom' ? { label } : {}) })))
    if (was === 'cleared') await at.bulk(inBulk.map((_, index) => ({ externalId: `t${index}`, facetValues: civic, label: null })))
    t.strictSame(one(await at.bulk(inBulk.map(([, input], index) => ({ externalId: `t${index}`, facetValues: civic, ...input }))), 'bulkUpsertFitmentTargets'),
      { created: 0, updated: inBulk.length, total: inBulk.length })
    const labels = new Map((await at.all()).map((target) => [target.externalId, target.label]))
    for (const [index, [what, , expected]] of inBulk.entries()) t.equal(labels.get(`t${index}`), expected, what)
  })
}

const wrongTargets: Array<[string, object]> = [
  ['no values', { facetValues: {} }], ['values that are a list', { facetValues: ['Honda'] }], ['values that are text', { facetValues: 'Honda' }], ['values that are null', { facetValues: null }],
  ['a facet that does not exist', { facetValues: { trim: 'EX' } }], ['an inherited name', { facetValues: { constructor: 'x' } }], ['an operator', { facetValues: { $gt: 'x' } }],
  ['a blank value', { facetValues: { make: ' ' } }], ['a number as value', { facetValues: { year: 2019 } }], ['an object as value', { facetValues: { make: { $ne: 'x' } } }], ['null as value', { facetValues: { make: null } }],
  ['a value that is too long', { facetValues: { make: 'x'.repeat(256) } }], ['a lone surrogate', { facetValues: { make: '\ud83d' } }],
  ['a blank external id', { externalId: ' ' }], ['an external id that is too long', { externalId: 'x'.repeat(256) }], ['a blank label', { label: '' }], ['a label that is too long', { label: 'x'.repeat(1_001) }]
]
t.test('what is wrong with a target refuses it; in a bulk it refuses them all and is named by its index', async (t) => {
  const at = await shop()
  const { id } = await created(at)
  for (const [what, wrong] of wrongTargets) {
    const input = { externalId: 'x', facetValues: { make: 'Ford' }, ...wrong }
    if (!('facetValues' in wrong && wrong.facetValues === null)) {
      t.equal(codeOf(await at.create(input)), 'BAD_USER_INPUT', what)
      t.equal(codeOf(await at.update(id, wrong)), 'BAD_USER_INPUT', what)
      const { errors } = await at.bulk([{ externalId: 'good', facetValues: { make: 'Ford' } }, input])
      t.match(errors, [{ message: /input\.targets\[1\]/, extensions: { code: 'BAD_USER_INPUT' } }], what)
    }
  }
  t.strictSame((await at.all()).map(({ externalId, facetValues }) => [externalId, facetValues]), [['civic', civic]], 'nothing changed')
})

t.test('an external id is unique: of many at once one wins, the others get CONFLICT; renaming to a taken one too', async (t) => {
  const at = await shop()
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await at.create({ externalId: 'race', facetValues: civic })))
  t.strictSame(answers.map((answer) => codeOf(answer) ?? 'won').sort(), [...Array<string>(5).fill('CONFLICT'), 'won'])
  const { id } = await created(at)
  t.equal(codeOf(await at.update(id, { externalId: 'race' })), 'CONFLICT')
})

t.test('updates of one target at once all come through', async (t) => {
  const at = await shop()
  const { id } = await created(at)
  await Promise.all([at.update(id, { externalId: 'renamed' }), at.update(id, { label: 'Mine' }), at.update(id, { facetValues: changed })])
  t.match((await at.all())[0], { externalId: 'renamed', facetValues: changed })
})

t.test('a bulk creates, updates and counts distinct ids; the later of a repeated one wins', async (t) => {
  const at = await shop()
  await created(at, { externalId: 'old', facetValues: civic })
  const answer = await at.bulk([
    { externalId: 'old', facetValues: { make: 'Ford' } }, { externalId: 'new', facetValues: { make: 'Kia' } }, { externalId: 'new', facetValues: { make: 'Audi' } }, { externalId: 'same', facetValues: civic }
  ])
  t.strictSame(one(answer, 'bulkUpsertFitmentTargets'), { created: 2, updated: 1, total: 3 })
  t.strictSame((await at.all()).map(({ externalId, label }) => [externalId, label]), [['old', 'Ford'], ['new', 'Audi'], ['same', '2019 Honda Civic']])
  t.strictSame(one(await at.bulk([]), 'bulkUpsertFitmentTargets'), { created: 0, updated: 0, total: 0 })
})

t.test('bulks of the same ids at once create each once', async (t) => {
  const at = await shop()
  const targets = Array.from({ length: 40 }, (_, n) => ({ externalId: `t${n}`, facetValues: { make: `M${n}` } }))
  const answers = await Promise.all([0, 1, 2].map(async () => one<{ created: number }>(await at.bulk(targets), 'bulkUpsertFitmentTargets')))
  t.equal(answers.reduce((sum, { created }) => sum + created, 0), 40)
  t.equal((await at.all({ limit: 500 })).length, 40)
})

t.test('5,001 targets are refused as a whole', async (t) => {
  const at = await shop()
  t.equal(codeOf(await at.bulk(Array.from({ length: 5_001 }, (_, n) => ({ externalId: `t${n}`, facetValues: { make: 'A' } })))), 'BAD_USER_INPUT')
  t.strictSame(await at.all(), [])
})

t.test('pages follow each other by id while targets come and go', async (t) => {
  const at = await shop()
  await at.bulk(Array.from({ length: 9 }, (_, n) => ({ externalId: `t${n}`, facetValues: { make: n % 2 === 0 ? 'Even' : 'Odd' } })))
  const first = one<{ targets: Target[], nextCursor: string }>(await at.page({ limit: 4 }), 'fitmentTargets')
  t.strictSame(first.targets.map(({ externalId }) => externalId), ['t0', 't1', 't2', 't3'])
  await at.remove(first.nextCursor)
  await at.create({ externalId: 't9', facetValues: { make: 'Odd' } })
  const second = one<{ targets: Target[], nextCursor: string }>(await at.page({ limit: 4, cursor: first.nextCursor }), 'fitmentTargets')
  t.strictSame(second.targets.map(({ externalId }) => externalId), ['t4', 't5', 't6', 't7'])
  const third = one<{ targets: Target[], nextCursor: string | null }>(await at.page({ limit: 4, cursor: second.nextCursor }), 'fitmentTargets')
  t.strictSame([third.targets.map(({ externalId }) => externalId), third.nextCursor], [['t8', 't9'], null])
  const odd = one<{ targets: Target[], nextCursor: string }>(await at.page({ limit: 2, facetValues: { make: 'Odd' } }), 'fitmentTargets')
  t.strictSame((await at.all({ facetValues: { make: 'Odd' }, cursor: odd.nextCursor })).map(({ externalId }) => externalId), ['t7', 't9'])
})

t.test('a page reaches over any number of deleted targets', async (t) => {
  const at = await shop()
  await at.bulk(Array.from({ length: 300 }, (_, n) => ({ externalId: `t${n}`, facetValues: { make: 'A' } })))
  await collections.fitmentTargets.deleteMany({ vendorId: at.vendorId, order: { $gt: 1, $lt: 300 } })
  t.strictSame((await at.all({ limit: 2 })).map(({ externalId }) => externalId), ['t0', 't299'])
})

t.test('the filter compares every given facet, exactly', async (t) => {
  const at = await shop(['year', 'make', 'model', 'trim'])
  await at.bulk([
    { externalId: 'a', facetValues: { ...civic, trim: 'EX' } }, { externalId: 'b', facetValues: { ...civic, trim: 'LX' } },
    { externalId: 'c', facetValues: { ...civic, year: '2020', trim: 'EX' } }, { externalId: 'd', facetValues: { make: 'honda' } }
  ])
  const ids = async (facetValues: object): Promise<string[]> => (await at.all({ facetValues })).map(({ externalId }) => externalId)
  t.strictSame(await ids({}), ['a', 'b', 'c', 'd'])
  t.strictSame(await ids({ make: 'Honda' }), ['a', 'b', 'c'])
  t.strictSame(await ids({ make: 'honda' }), ['d'])
  t.strictSame(await ids({ make: 'Honda', year: '2019' }), ['a', 'b'])
  t.strictSame(await ids({ make: 'Honda', year: '2019', model: 'Civic' }), ['a', 'b'])
  t.strictSame(await ids({ ...civic, trim: 'LX' }), ['b'])
  t.strictSame(await ids({ ...civic, trim: 'XX' }), [])
  t.strictSame(await ids({ engine: 'V6' }), [], 'a facet that does not exist has no values')
  for (const wrong of [['Honda'], 'Honda', 5, { make: 5 }, { make: { $ne: '' } }, { make: null }]) {
    t.equal(codeOf(await at.page({ facetValues: wrong })), 'BAD_USER_INPUT', JSON.stringify(wrong))
  }
})

t.test('limits out of range and foreign cursors are refused', async (t) => {
  const [at, other] = [await shop(), await shop()]
  const { id } = await created(other)
  for (const limit of [0, -1, 501, 2_147_483_647]) t.equal(codeOf(await at.page({ limit })), 'BAD_USER_INPUT', String(limit))
  for (const cursor of [id, '', 'x', `${id}x`, '{"$gt":""}', id.slice(0, -1)]) t.equal(codeOf(await at.page({ cursor })), 'BAD_USER_INPUT', cursor)
  t.strictSame(one<{ targets: unknown[] }>(await at.page({ limit: 500 }), 'fitmentTargets').targets, [])
})

t.test('another vendor\'s facets and targets do not exist', async (t) => {
  const [at, other] = [await shop(), await shop()]
  const { id } = await created(other)
  const facetId = other.facetIds['make'] ?? ''
  for (const answer of [
    await at.update(id, { label: 'Mine' }), await at.remove(id), await at.updateFacet(facetId, { name: 'Mine' }), await at.deleteFacet(facetId),
    await at.update('nothing', {}), await at.remove(''), await at.updateFacet('nothing', {}), await at.deleteFacet('\u0000')
  ]) t.equal(codeOf(answer), 'NOT_FOUND')
  t.match(await other.all(), [{ label: '2019 Honda Civic' }])
  t.strictSame(await at.all(), [])
})

t.test('a key without FITMENT_MANAGE may do none of it', async (t) => {
  const { vendorId } = await shop([])
  const weak = await api.keyOf(vendorId, ['PRODUCT_MANAGE'])
  for (const operation of [
    '{ fitmentFacets { id } }', '{ fitmentTargets { nextCursor } }', 'mutation { deleteFitmentFacet(id: "x") }', 'mutation { deleteFitmentTarget(id: "x") }',
    'mutation { createFitmentFacet(input: { name: "x", slug: "x", position: 0 }) { id } }', 'mutation { updateFitmentFacet(id: "x", input: {}) { id } }',
    'mutation { createFitmentTarget(input: { externalId: "x", facetValues: {} }) { id } }', 'mutation { updateFitmentTarget(id: "x", input: {}) { id } }',
    'mutation { bulkUpsertFitmentTargets(input: { targets: [] }) { total } }'
  ]) t.equal(codeOf(await api.graphql(weak, operation)), 'FORBIDDEN', operation)
})

t.test('deleting a target removes its links from products and variants, archived ones too', async (t) => {
  const at = await shop()
  const [gone, kept] = [await created(at), await created(at, { externalId: 'kept', facetValues: { make: 'Kia' } })]
  await at.catalog.import([
    line('both', { fitmentTargetExternalIds: ['civic', 'kept'] }), line('only', { archived: true, fitmentTargetExternalIds: ['civic'] }),
    line('variant', { variants: [{ externalId: 'V', name: 'V', fitmentTargetExternalIds: ['civic'] }, { externalId: 'W', name: 'W', fitmentTargetExternalIds: ['kept'] }] })
  ])
  const linked = async () => one<Array<unknown>>(await at.ask(`{ ${['both', 'only', 'variant'].map((id) =>
    `${id}: product(externalId: "${id}") { fitmentTargets { externalId } variants { fitmentTargets { externalId label } } }`).join(' ')} }`), 'variant')
  t.match(await linked(), { fitmentTargets: [], variants: [{ fitmentTargets: [{ externalId: 'civic', label: '2019 Honda Civic' }] }, { fitmentTargets: [{ externalId: 'kept' }] }] })
  t.equal(one(await at.remove(gone.id), 'deleteFitmentTarget'), true)
  t.strictSame((await at.catalog.product('both')).fitmentTargetIds, [kept.id])
  const only = await at.catalog.product('only')
  t.strictSame(only.fitmentTargetIds, [])
  const document = await collections.products.findOne({ _id: only._id })
  t.match([document?.targeted, document?.searchKeys?.some(({ key }) => key.startsWith('t:'))], [false, false], 'linked to nothing: fits everything')
  t.strictSame((await at.catalog.product('variant')).variants.map(({ fitmentTargetIds }) => fitmentTargetIds), [[], [kept.id]])
  t.equal(codeOf(await at.remove(gone.id)), 'NOT_FOUND')
})

t.test('a product that an import writes while its link is being removed keeps what the import wrote', async (t) => {
  const at = await shop()
  const { id } = await created(at)
  await at.catalog.import(Array.from({ length: 30 }, (_, n) => line(`p${n}`, { fitmentTargetExternalIds: ['civic'] })))
  await Promise.all([at.remove(id), at.catalog.import(Array.from({ length: 30 }, (_, n) => ({ externalId: `p${n}`, name: 'Renamed' })))])
  for (let n = 0; n < 30; n++) t.match(await at.catalog.product(`p${n}`), { name: 'Renamed', fitmentTargetIds: [] })
})
