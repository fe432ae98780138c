/** Requests that are answered by a thread of their own do what small ones do (api/graphql/limits/large-requests.ts). */
import t from 'tap'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type GraphqlAnswer } from '../support/vendor.js'
import { accessToken, tokenSecret } from '../unit/api/test-api.js'

const service = await startServiceProcess(t, { env: { AUTH_JWT_SECRET: tokenSecret } })
const vendor = await createVendor(service)
/** Makes any request a large one. */
const ballast = { ballast: 'x'.repeat(256 * 1_024) }

t.test('products sent in one large request are stored, and told in order, faults at their places', async (t) => {
  const products = Array.from({ length: 1_000 }, (_, n) => ({ externalId: `p${n}`, name: n === 500 ? '' : `Product ${n}`, brandName: 'Acme', externalUrl: 'https://example.com/p', description: 'x'.repeat(400) }))
  const { data, errors } = await vendor.graphql(`mutation ($products: [UpsertProductInput!]!) {
    upsertProducts(vendorId: "${vendor.id}", products: $products) { externalId } }`, { products })
  t.strictSame((data.upsertProducts as Array<{ externalId: string } | null>).map((product) => product?.externalId ?? null),
    products.map(({ externalId, name }) => name === '' ? null : externalId))
  t.match(errors, [{ path: ['upsertProducts', 500], extensions: { code: 'BAD_USER_INPUT' } }])
  t.match(await vendor.graphql('{ products { totalCount } }'), { data: { products: { totalCount: 999 } } })
})

t.test('an import that a large request accepts is run', async (t) => {
  await vendor.put('a.jsonl', file(line('A')))
  const { data } = await vendor.graphql('mutation ($input: ProcessProductImportInput!) { processProductImport(input: $input) { jobId } }',
    { input: { vendorId: vendor.id, files: ['a.jsonl'], mode: 'UPDATE' }, ...ballast })
  const { jobId } = data.processProductImport as { jobId: string }
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsCreated: 1 } })
})

t.test('what is refused is refused as elsewhere, under the id of the request', async (t) => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'x-vendor-api-key': vendor.apiKey, 'content-type': 'application/json', 'request-id': 'large-1' },
    body: JSON.stringify({ query: '{ nothing }', variables: ballast })
  })
  t.equal(response.status, 400)
  t.equal(response.headers.get('request-id'), 'large-1')
  t.match(await response.json(), { data: null, errors: [{ message: /Cannot query field "nothing"/, extensions: { code: 'BAD_USER_INPUT' } }] })
})

t.test('a permission that is taken from a key is gone at once', async (t) => {
  const { integrationApiKeys, users } = service.repositories()
  await users.create('ada', 'ada@example.com', [{ vendorId: vendor.id, role: 'owner', permissions: [] }])
  const { key, record } = await integrationApiKeys.create(vendor.id, 'test', ['PRODUCT_MANAGE', 'SIZE_CHART_MANAGE'])
  const token = await accessToken('ada')
  const ask = async (headers: Record<string, string>, query: string, variables: object): Promise<GraphqlAnswer> => await (await fetch(`${service.url}/graphql`, {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ query, variables })
  })).json() as GraphqlAnswer
  const products = async (variables: object): Promise<GraphqlAnswer> => await ask({ 'x-vendor-api-key': key }, '{ products { totalCount } }', variables)
  const permit = async (permissions: string[], variables: object): Promise<void> => {
    const { errors } = await ask({ authorization: `Bearer ${token}` },
      'mutation ($input: UpdateIntegrationApiKeyInput!) { updateIntegrationApiKey(input: $input) { id } }', { input: { id: record._id, permissions }, ...variables })
    t.equal(errors, undefined)
  }
  for (const [how, variables] of [['in a small request', {}], ['in a large one', ballast]] as const) {
    await permit(['PRODUCT_MANAGE'], variables)
    for (const asked of [ballast, {}]) t.match(await products(asked), { data: { products: {} } }, how)
    await permit(['SIZE_CHART_MANAGE'], variables)
    for (const asked of [ballast, {}]) t.match(await products(asked), { errors: [{ extensions: { code: 'FORBIDDEN' } }] }, how)
  }
})

t.test('the service ends as it should with the thread running', async (t) => {
  t.strictSame(await service.terminate(), { code: 0, signal: null })
  t.equal(service.output, '')
})
