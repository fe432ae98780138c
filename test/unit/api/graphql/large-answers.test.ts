/** Small requests whose answers, or effects, are large are answered where large requests are: going by what is stored. */
import { buildSchema, isLeafType, getNamedType, getNullableType, isIntrospectionType, isListType, isObjectType } from 'graphql'
import t from 'tap'
import { createUpsertProducts } from '../../../../pipelines/product-upsert.js'
import { createAnswerBudget, eventBounds, largeBounds } from '../../../../src/api/graphql/limits/answer-budget.js'
import { countAnswers } from '../../../../src/api/graphql/limits/count-answers.js'
import { createLoaders } from '../../../../src/api/graphql/loaders.js'
import { toProductNode } from '../../../../src/api/graphql/nodes.js'
import type { LargeRequest } from '../../../../src/api/graphql/limits/large-requests.js'
import { readSchemaText } from '../../../../src/api/graphql/schema-text.js'
import { unavailable } from '../../../../src/errors.js'
import { testApi } from '../test-api.js'
import { multipartBody, multipartHeaders, uploadForm } from './multipart.js'

const handedOn: LargeRequest[] = []
let applied = 0
let isBusy = false
const api = await testApi(t, {
  dependencies: {
    async answerLarge (request) {
      handedOn.push(request)
      if (isBusy) throw unavailable('busy')
      return { status: 200, body: Buffer.from('{"data":{"answered":"elsewhere"}}'), changedKeys: [], changedUsers: [], refusals: [] }
    },
    async upsertProducts () {
      applied++
      return []
    }
  }
})
const key = await api.keyOf('shop', ['PRODUCT_MANAGE', 'STORE_LOCATION_MANAGE', 'SIZE_CHART_MANAGE'])
const elsewhere = { answered: 'elsewhere' }
const product = (externalId: string, more: object): Record<string, unknown> => ({ externalId, name: externalId, brandName: 'Acme', externalUrl: 'https://example.com/p', ...more })
const variants = (count: number, more: object = {}): object[] => Array.from({ length: count }, (_, n) => ({ externalId: `V${n}`, name: 'S', ...more }))
await createUpsertProducts(api.database.collections)('shop', [
  product('small', { description: 'small' }),
  product('text', { description: 'x'.repeat(40_000) }),
  product('heavy', { description: 'x'.repeat(700_000) }),
  product('wide', { variants: variants(1_500) }),
  product('many', { variants: variants(300) }),
  product('priced', { variants: variants(1_500, { inventory: 1, prices: [{ price: 1, currency: 'EUR' }] }) })
])

t.beforeEach(() => {
  handedOn.length = 0
  applied = 0
  isBusy = false
})

const asked = async (query: string, variables?: object): Promise<unknown> => (await api.graphql(key, query, variables)).data

const large: Record<string, string> = {
  'a product whose bytes are many': '{ product(externalId: "heavy") { externalId } }',
  'a text that is selected again and again': `{ product(externalId: "text") { ${Array.from({ length: 30 }, (_, n) => `a${n}: description`).join(' ')} } }`,
  'fields times the lists that they are in': '{ product(externalId: "wide") { variants { id externalId name sku upc inventory } } }',
  'the same in fragments': '{ product(externalId: "wide") { ...P } } fragment P on Product { variants { ... on Variant { id externalId name } ...V } } fragment V on Variant { sku upc inventory }'
}
for (const [what, query] of Object.entries(large)) {
  t.test(`a query for ${what} is made anew elsewhere`, async (t) => {
    t.strictSame(await asked(query), elsewhere)
    t.strictSame(JSON.parse(Buffer.concat(handedOn[0]?.body ?? []).toString()), { query })
    t.match(handedOn[0], { principal: { vendorId: 'shop' }, remoteAddress: '127.0.0.1' })
  })
}

t.test('its variables and the name of its operation go along', async (t) => {
  const body = { query: 'query A { products { totalCount } } query B ($id: String!) { product(externalId: $id) { externalId } }', variables: { id: 'heavy' }, operationName: 'B' }
  const response = await api.app.inject({ method: 'POST', url: '/graphql', headers: { 'x-vendor-api-key': key }, payload: body })
  t.strictSame(response.json(), { data: elsewhere })
  t.strictSame(JSON.parse(Buffer.concat(handedOn[0]?.body ?? []).toString()), body)
})

t.test('where there is no room for it, that is said', async (t) => {
  isBusy = true
  const { status, errors } = await api.graphql(key, '{ product(externalId: "heavy") { externalId } }')
  t.match({ status, errors }, { status: 503, errors: [{ message: 'busy', extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
})

t.test('what is small is answered here', async (t) => {
  t.strictSame(await asked('{ product(externalId: "small") { description } }'), { product: { description: 'small' } })
  t.match(await asked('{ product(externalId: "wide") { variants { id } } }'), { product: { variants: Array } })
  t.equal(handedOn.length, 0)
})

t.test('a small change of a product that is large is handed on before anything is applied', async (t) => {
  const upsert = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "shop", products: $products) { externalId } }'
  t.strictSame(await asked(upsert, { products: [{ externalId: 'small' }, { externalId: 'heavy', name: 'New' }] }), elsewhere)
  t.equal(applied, 0)
  t.equal(handedOn.length, 1)
})

t.test('so is one of a product that has many small variants, each of which is taken apart and compared', async (t) => {
  t.strictSame(await asked('mutation { upsertProducts(vendorId: "shop", products: [{ externalId: "priced", variants: [{ externalId: "V1", inventory: 2 }] }]) { externalId } }'), elsewhere)
  t.equal(applied, 0)
})

t.test('so is one whose products are written into the document, or are a single one', async (t) => {
  t.strictSame(await asked('mutation { upsertProducts(vendorId: "shop", products: { externalId: "heavy" }) { externalId } }'), elsewhere)
  t.strictSame(await asked('mutation { ...M } fragment M on Mutation { upsertProducts(vendorId: "shop", products: [{ externalId: "heavy" }]) { externalId } }'), elsewhere)
  t.equal(applied, 0)
})

t.test('so is one whose products are the default of a variable', async (t) => {
  const query = 'mutation ($p: [UpsertProductInput!]! = [{ externalId: "heavy" }]) { upsertProducts(vendorId: "shop", products: $p) { externalId } }'
  t.strictSame(await asked(query), elsewhere)
  await asked(query, { p: [{ externalId: 'small' }] })
  t.equal(applied, 1, 'and not where another is given')
})

t.test('of a document with several operations only the one that is asked for counts', async (t) => {
  const query = `query Q { product(externalId: "heavy") { externalId } }
    mutation M { upsertProducts(vendorId: "shop", products: [{ externalId: "small" }]) { externalId } }
    mutation H { upsertProducts(vendorId: "shop", products: [{ externalId: "heavy" }]) { externalId } }`
  const ask = async (operationName: string): Promise<unknown> => (await api.app.inject({
    method: 'POST', url: '/graphql', headers: { 'x-vendor-api-key': key }, payload: { query, operationName }
  })).json<{ data: unknown }>().data
  t.strictSame(await ask('Q'), elsewhere, 'a query beside a change is one')
  t.strictSame(await ask('H'), elsewhere)
  t.equal(applied, 0)
  await ask('M')
  t.equal(applied, 1)
})

t.test('a large change that comes as a form, which cannot be handed on, is refused before anything is applied', async (t) => {
  const form = uploadForm('C', '%PDF-', {
    query: `mutation ($file: Upload!, $externalId: String!, $name: String!) {
    uploadSizeChartPdf(externalId: $externalId, name: $name, file: $file) { id }
    upsertProducts(vendorId: "shop", products: [{ externalId: "heavy" }]) { externalId } }`
  })
  const response = await api.app.inject({ method: 'POST', url: '/graphql', headers: { ...multipartHeaders, 'x-vendor-api-key': key }, payload: multipartBody(form) })
  t.match(response.json(), { data: null, errors: [{ message: /JSON/, extensions: { code: 'BAD_USER_INPUT' } }] })
  t.equal(applied + handedOn.length, 0)
})

t.test('one that tells much of what it has changed is handed on for less', async (t) => {
  const upsert = (fields: string): string => `mutation { upsertProducts(vendorId: "shop", products: [{ externalId: "many" }]) { ${fields} } }`
  await asked(upsert('externalId'))
  t.equal(applied, 1)
  t.strictSame(await asked(upsert(`variants { ${Array.from({ length: 60 }, (_, n) => `a${n}: name`).join(' ')} }`)), elsewhere)
  t.equal(applied, 1)
})

t.test('one that tells of the same product again and again is handed on as if it were as many', async (t) => {
  const upsert = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "shop", products: $products) { externalId variants { name sku } } }'
  const entries = (count: number): object => ({ products: Array.from({ length: count }, () => ({ externalId: 'text', name: 'New' })) })
  t.strictSame(await asked(upsert, entries(1)), { upsertProducts: [] })
  t.strictSame(await asked(upsert, entries(3)), elsewhere)
})

t.test('variants that nobody asks for are not made, however many products there are of how many each', async (t) => {
  const stored = await api.repositories.products.findByExternalId('shop', 'small')
  if (stored === null) return t.fail('not stored')
  const untouchable = new Proxy([], { get: () => { throw new Error('variants were looked at') } })
  const node = toProductNode({ ...stored, variants: untouchable })
  t.equal(node.externalId, 'small')
  t.throws(() => node.variants(), { message: 'variants were looked at' })
})

t.test('targets that thousands of variants share are counted before they are listed', async (t) => {
  const refused = async (): Promise<never> => await Promise.reject(new Error('targets were looked up'))
  const { Variant } = createLoaders({ ...api.repositories, links: { ...api.repositories.links, fitmentTargets: refused } })
  const productTargetIds = Array.from({ length: 3_000 }, (_, n) => `T${n}`)
  const queries = Array.from({ length: 2_000 }, () => ({ obj: { vendorId: 'shop', fitmentTargetIds: ['own'], productTargetIds } }))
  const load = Variant?.['fitmentTargets'] as (of: object[], context: object) => Promise<unknown>
  await t.rejects(load(queries, { budget: createAnswerBudget(largeBounds) }), { code: 'BAD_USER_INPUT' })
  await t.rejects(load(queries.slice(0, 100), { budget: createAnswerBudget(largeBounds) }), { message: 'targets were looked up' })
})

t.test('a change that rewrites what is linked to a record is handed on', async (t) => {
  t.strictSame(await asked('mutation { deleteStoreLocation(id: "none") { id } }'), elsewhere)
})

t.test('what is not permitted is refused as ever, and nothing is looked up for it', async (t) => {
  const { errors } = await api.graphql(key, 'mutation { upsertProducts(vendorId: "other", products: [{ externalId: "heavy" }]) { externalId } }')
  t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.equal(handedOn.length, 0)
})

t.test('every list and every text of the schema counts', async (t) => {
  const schema = buildSchema(await readSchemaText())
  countAnswers(schema)
  const info = { fieldNodes: [], fragments: {} }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || type === schema.getSubscriptionType()) continue
    for (const field of Object.values(type.getFields())) {
      const taken: number[] = []
      const budget = { take: (_measure: string, amount: number) => { taken.push(amount) } }
      const isList = isListType(getNullableType(field.type))
      if (!isList && !(isLeafType(getNamedType(field.type)))) continue
      field.resolve?.({ [field.name]: isList ? ['long', 'long'] : 'long' }, {}, { budget }, { ...info, fieldName: field.name, returnType: field.type } as never)
      t.ok(taken.some((amount) => amount > 0), `${type.name}.${field.name}`)
    }
  }
})

t.test('where large requests are answered there is a bound as well', async (t) => {
  const budget = createAnswerBudget(largeBounds)
  budget.take('characters', largeBounds.characters)
  t.throws(() => { budget.take('characters', 1) }, { code: 'BAD_USER_INPUT' })
  t.ok(budget.isSpent)
  t.throws(() => { budget.take('fields', 1) }, { code: 'BAD_USER_INPUT' }, 'nothing more is begun')
})

t.test('the events of a subscription have a budget each', async (t) => {
  const budget = createAnswerBudget(eventBounds)
  for (let n = 0; n < 3; n++) {
    budget.take('fields', eventBounds.fields)
    budget.reset()
  }
  t.notOk(budget.isSpent)
})
