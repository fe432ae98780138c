/** Size charts over GraphQL and REST, up to the hint that a conversion waits. */
import t from 'tap'
import type { ConversionResult, SeenChart, SizeChartRecord } from '../../src/domain/size-chart.js'
import { createRepositories } from '../../src/store/repositories.js'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { multipartBody, multipartHeaders, uploadForm, uploadMutation, type Part } from '../unit/api/graphql/multipart.js'
import { answerOf, testApi, type GraphqlAnswer, type TestApi } from '../unit/api/test-api.js'

const woken: string[] = []
const api: TestApi = await testApi(t, {
  publicUrl: 'https://catalog.example.com',
  dependencies: {
    wakeConversion: (vendorId) => { woken.push(vendorId) },
    upsertProducts: async (...args) => await createUpsertProducts(api.database.collections)(...args)
  }
})
const { app, repositories, graphql } = api
let vendors = 0
async function shop (permissions: Parameters<typeof api.keyOf>[1] = ['SIZE_CHART_MANAGE', 'PRODUCT_MANAGE']): Promise<{ vendorId: string, key: string }> {
  const vendorId = `shop-${vendors++}`
  return { vendorId, key: await api.keyOf(vendorId, permissions) }
}

const fields = 'id externalId name source status body sourceUrl pdfUrl conversionError'
const create = async (key: string, input: object): Promise<GraphqlAnswer> =>
  await graphql(key, `mutation ($input: CreateSizeChartInput!) { createSizeChart(input: $input) { ${fields} } }`, { input })
const update = async (key: string, id: string, input: object): Promise<GraphqlAnswer> =>
  await graphql(key, `mutation ($id: ID!, $input: UpdateSizeChartInput!) { updateSizeChart(id: $id, input: $input) { ${fields} } }`, { id, input })
const bulk = async (key: string, sizeCharts: object[]): Promise<GraphqlAnswer> =>
  await graphql(key, 'mutation ($input: BulkUpsertSizeChartsInput!) { bulkUpsertSizeCharts(input: $input) { created updated total } }', { input: { sizeCharts } })
const post = async (key: string | null, parts: Part[] | Buffer, headers: object = multipartHeaders): Promise<GraphqlAnswer> => answerOf(await app.inject({
  method: 'POST',
  url: '/graphql',
  headers: { ...headers, ...(key === null ? {} : { 'x-vendor-api-key': key }) },
  payload: Buffer.isBuffer(parts) ? parts : multipartBody(parts)
}))
const codeOf = ({ errors }: GraphqlAnswer): string | undefined => errors?.[0]?.extensions.code

t.test('a chart with a body is READY at once; with a sourceUrl PENDING, and a worker is told', async (t) => {
  const { vendorId, key } = await shop()
  const made = await create(key, { externalId: 'C', name: 'Shirts', body: '| S |' })
  t.match(made.data.createSizeChart, { externalId: 'C', name: 'Shirts', source: 'MARKDOWN', status: 'READY', body: '| S |', sourceUrl: null, pdfUrl: null, conversionError: null })
  t.notOk(woken.includes(vendorId))
  const pending = await create(key, { externalId: 'D', name: 'Shoes', sourceUrl: 'https://shop.example.com/d.pdf' })
  t.match(pending.data.createSizeChart, { source: 'PDF', status: 'PENDING', body: null, sourceUrl: 'https://shop.example.com/d.pdf', pdfUrl: 'https://shop.example.com/d.pdf' })
  t.ok(woken.includes(vendorId))
})

t.test('a chart is read by id or external id, and by nobody else', async (t) => {
  const [{ key }, other] = [await shop(), await shop()]
  const { id } = (await create(key, { externalId: 'C', name: 'C', body: 'b' })).data.createSizeChart as { id: string }
  const both = `{ byId: sizeChart(id: "${id}") { externalId } byExternalId: sizeChart(externalId: "C") { id } }`
  t.strictSame((await graphql(key, both)).data, { byId: { externalId: 'C' }, byExternalId: { id } })
  t.strictSame((await graphql(other.key, both)).data, { byId: null, byExternalId: null })
  t.equal(codeOf(await update(other.key, id, { name: 'mine' })), 'NOT_FOUND')
  t.equal(codeOf(await graphql(other.key, `mutation { deleteSizeChart(id: "${id}") }`)), 'NOT_FOUND')
  t.equal(codeOf(await graphql(key, '{ sizeChart { id } }')), 'BAD_USER_INPUT')
})

t.test('all of it needs SIZE_CHART_MANAGE, but what the assistant asks', async (t) => {
  const { vendorId, key } = await shop(['VIEW_NPS'])
  for (const operation of [
    '{ sizeCharts { totalCount } }', '{ sizeChart(externalId: "C") { id } }', 'mutation { deleteSizeChart(id: "x") }',
    'mutation { bulkDeleteSizeCharts(input: { externalIds: [] }) { total } }', 'mutation { createSizeChart(input: { externalId: "C", name: "N", body: "b" }) { id } }'
  ]) t.equal(codeOf(await graphql(key, operation)), 'FORBIDDEN', operation)
  t.equal(codeOf(await post(key, uploadForm('C', '%PDF-'))), 'FORBIDDEN')
  t.strictSame((await graphql(key, `{ sizeChartAnswer(vendorId: "${vendorId}", name: "x") { kind body pdfUrl sizeChart { id } } }`)).data.sizeChartAnswer, { kind: 'NONE', body: null, pdfUrl: null, sizeChart: null })
  t.equal(codeOf(await graphql(key, '{ sizeChartAnswer(vendorId: "another", name: "x") { kind } }')), 'FORBIDDEN')
})

t.test('wrong input is told with its field, and changes nothing', async (t) => {
  const { key } = await shop()
  const both = await create(key, { externalId: 'C', name: 'N', body: 'b', sourceUrl: 'https://example.com/' })
  t.match(both.errors?.[0], { message: 'Provide exactly one of body and sourceUrl', extensions: { code: 'BAD_USER_INPUT' } })
  t.match((await create(key, { externalId: 'C', name: 'N' })).errors?.[0], { message: 'Provide exactly one of body and sourceUrl' })
  t.equal(codeOf(await create(key, { externalId: 'C', name: 'N', body: 'x'.repeat(50_001) })), 'BAD_USER_INPUT')
  t.match((await bulk(key, [{ externalId: 'A', name: 'A', body: 'b' }, { externalId: 'B', name: '', body: 'b' }])).errors?.[0],
    { message: 'sizeCharts[1].name must not be blank', extensions: { field: 'sizeCharts[1].name' } })
  t.match((await bulk(key, [{ externalId: 'A', name: 'A' }])).errors?.[0], { message: 'sizeCharts[0]: Provide exactly one of body and sourceUrl' })
  t.equal((await graphql(key, '{ sizeCharts { totalCount } }')).data.sizeCharts.totalCount, 0)
  for (const first of [0, 101]) t.equal(codeOf(await graphql(key, `{ sizeCharts(first: ${first}) { totalCount } }`)), 'BAD_USER_INPUT')
  for (const cursor of ['x', 'eyJleHRlcm5hbElkIjp7fX0', '']) t.equal(codeOf(await graphql(key, `{ sizeCharts(cursor: "${cursor}") { totalCount } }`)), 'BAD_USER_INPUT', cursor)
})

t.test('an external id that is taken is a CONFLICT', async (t) => {
  const { key } = await shop()
  await create(key, { externalId: 'C', name: 'C', body: 'b' })
  const { id } = (await create(key, { externalId: 'D', name: 'D', body: 'b' })).data.createSizeChart as { id: string }
  t.equal(codeOf(await create(key, { externalId: 'C', name: 'C', body: 'b' })), 'CONFLICT')
  t.equal(codeOf(await update(key, id, { externalId: 'C' })), 'CONFLICT')
})

t.test('an update replaces what it names; a sourceUrl replaces the body', async (t) => {
  const { key } = await shop()
  const { id } = (await create(key, { externalId: 'C', name: 'C', body: 'b' })).data.createSizeChart as { id: string }
  t.match((await update(key, id, { name: 'Renamed' })).data.updateSizeChart, { name: 'Renamed', body: 'b', status: 'READY' })
  t.match((await update(key, id, { sourceUrl: 'http://example.com/c.pdf' })).data.updateSizeChart, { status: 'PENDING', source: 'PDF', body: null })
  t.match((await update(key, id, { body: 'again' })).data.updateSizeChart, { status: 'READY', source: 'MARKDOWN', body: 'again', sourceUrl: null, pdfUrl: null })
})

t.test('pages go through all charts once; a bulk counts created and updated', async (t) => {
  const { key } = await shop()
  const charts = Array.from({ length: 25 }, (_, index) => ({ externalId: `C${10 + index}`, name: 'C', body: 'b' }))
  t.strictSame((await bulk(key, charts)).data.bulkUpsertSizeCharts, { created: 25, updated: 0, total: 25 })
  t.strictSame((await bulk(key, [...charts.slice(0, 3), charts[0] as object, { externalId: 'new', name: 'n', body: 'b' }])).data.bulkUpsertSizeCharts, { created: 1, updated: 3, total: 4 })
  const seen: string[] = []
  for (let cursor: string | null = null; ;) {
    const { data } = await graphql(key, 'query ($cursor: ID) { sizeCharts(first: 10, cursor: $cursor) { nodes { externalId } totalCount hasNextPage endCursor } }', { cursor })
    const page = data.sizeCharts as { nodes: Array<{ externalId: string }>, totalCount: number, hasNextPage: boolean, endCursor: string }
    t.equal(page.totalCount, 26)
    seen.push(...page.nodes.map(({ externalId }) => externalId))
    if (!page.hasNextPage) break
    cursor = page.endCursor
  }
  t.strictSame(seen, [...charts.map(({ externalId }) => externalId), 'new'])
})

t.test('a bulk takes 5,000 and not one more; a bulk delete skips the unknown', async (t) => {
  const { key } = await shop()
  const ids = Array.from({ length: 5_001 }, (_, index) => `C${index}`)
  const remove = async (externalIds: string[]): Promise<GraphqlAnswer> =>
    await graphql(key, 'mutation ($ids: [String!]!) { bulkDeleteSizeCharts(input: { externalIds: $ids }) { deleted notFound total } }', { ids: externalIds })
  t.equal(codeOf(await bulk(key, ids.map((externalId) => ({ externalId, name: 'n', body: 'b' })))), 'BAD_USER_INPUT')
  t.equal(codeOf(await remove(ids)), 'BAD_USER_INPUT')
  await bulk(key, [{ externalId: 'C1', name: 'n', body: 'b' }])
  t.strictSame((await remove(['C1', 'C2', 'C2', '__proto__'])).data.bulkDeleteSizeCharts, { deleted: 1, notFound: 2, total: 3 })
})

t.test('an upload is PENDING, kept as it came, and served to whoever has its address', async (t) => {
  const { vendorId, key } = await shop()
  const { data, errors } = await post(key, uploadForm('U', '%PDF-1.4 the original'))
  t.equal(errors, undefined)
  const chart = data.uploadSizeChartPdf
  t.match(chart, { externalId: 'U', source: 'PDF', status: 'PENDING', body: null, sourceUrl: null, pdfUrl: `https://catalog.example.com/api/v1/size-charts/${chart.id}/pdf` })
  t.ok(woken.includes(vendorId))
  const url = `/api/v1/size-charts/${chart.id}/pdf`
  const served = await app.inject(url)
  t.equal(served.body, '%PDF-1.4 the original')
  t.match(served.headers, {
    'content-type': 'application/pdf', 'content-disposition': 'inline; filename="size-chart.pdf"', 'x-content-type-options': 'nosniff', 'content-length': '21', 'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'self'", 'x-frame-options': 'SAMEORIGIN'
  })
  t.equal((await app.inject({ url, headers: { 'if-none-match': served.headers.etag } })).statusCode, 304)
  t.equal((await app.inject({ url, method: 'HEAD' })).headers['content-length'], '21')
  await post(key, uploadForm('U', '%PDF-1.4 the next'))
  t.equal((await app.inject(url)).body, '%PDF-1.4 the next', 'the same chart has the new one')
  await graphql(key, `mutation { deleteSizeChart(id: "${chart.id}") }`)
  t.equal((await app.inject(url)).statusCode, 404)
})

for (const id of ['unknown', 'AAAAAAAAAAAAAAAAAAAAAA', '%00', '..%2f..', '__proto__', 'x'.repeat(90)]) {
  t.test(`there is no PDF of ${id.slice(0, 20)}`, async (t) => {
    const response = await app.inject(`/api/v1/size-charts/${id}/pdf`)
    t.equal(response.statusCode, 404)
    t.match(response.json(), { success: false, error: { code: 'NOT_FOUND' } })
  })
}

t.test('an upload of more than 20 MiB is refused and leaves nothing behind', async (t) => {
  const { vendorId, key } = await shop()
  const answer = await post(key, uploadForm('U', Buffer.alloc(20 * 1_024 * 1_024 + 1)))
  t.match(answer.errors?.[0], { message: 'The PDF is larger than 20 MiB', extensions: { code: 'BAD_USER_INPUT', field: 'file' } })
  t.equal(await repositories.sizeCharts.count(vendorId), 0)
  t.equal(codeOf(await post(key, uploadForm('U', Buffer.alloc(21 * 1_024 * 1_024)))), 'BAD_USER_INPUT', 'not even read')
})

t.test('an upload over the quota is refused, of charts as of bytes, and leaves nothing behind', async (t) => {
  const small = await testApi(t, { repositories: (_real, database) => createRepositories(database, { charts: 1, pdfBytes: 20 }) })
  const key = await small.keyOf('shop', ['SIZE_CHART_MANAGE'])
  const upload = async (externalId: string, pdf: string): Promise<GraphqlAnswer> => answerOf(await small.app.inject({
    method: 'POST', url: '/graphql', headers: { ...multipartHeaders, 'x-vendor-api-key': key }, payload: multipartBody(uploadForm(externalId, pdf))
  }))
  const kept = async (): Promise<number[]> => (await small.database.collections.sizeChartPdfFiles.find().toArray()).map(({ length }) => length)
  t.equal((await upload('U', '%PDF-1.4 first')).errors, undefined)
  t.match((await upload('V', '%PDF-1.4')).errors?.[0], { message: /so many bytes: 20$/, extensions: { code: 'LIMIT_EXCEEDED' } })
  t.match((await upload('V', '%PDF-')).errors?.[0], { message: /at most 1 size chart/, extensions: { code: 'LIMIT_EXCEEDED' } })
  t.strictSame(await kept(), [14])
  t.equal((await upload('U', '%PDF-1.4 another one')).errors, undefined, 'it takes the place of the first')
  t.strictSame(await kept(), [20])
})

t.test('nobody uploads without a key', async (t) => {
  t.match(await post(null, uploadForm('U', '%PDF-')), { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
})

t.test('a form that is not what the specification says is refused, and the service goes on', async (t) => {
  const { key } = await shop()
  const fine = uploadForm('U', '%PDF-')
  const [operations, map, file] = fine as [Part, Part, Part]
  const wrong: Record<string, Part[] | Buffer> = {
    'no map': [operations, file],
    misordered: [map, operations, file],
    'no file': [operations, map],
    'no operations': [map],
    nothing: [],
    'operations that are no JSON': [{ ...operations, content: '{' }, map, file],
    'a list of operations': [{ ...operations, content: `[${String(operations.content)}]` }, map, file],
    'a map to nowhere': uploadForm('U', '%PDF-', { map: { 0: ['variables.a.b.c'] } }),
    'a map to the prototype': uploadForm('U', '%PDF-', { map: { 0: ['variables.__proto__.polluted'] } }),
    'a map to the query': uploadForm('U', '%PDF-', { map: { 0: ['query'] } }),
    'a map to a shared function': uploadForm('U', '%PDF-', { map: { 0: ['variables.toString.call'] } }),
    'a map to the functions of functions': uploadForm('U', '%PDF-', { map: { 0: ['query.replace.call.apply'] } }),
    'a list four thousand million long': uploadForm('U', '%PDF-', { map: { 0: ['variables.list.4294967294'] }, variables: { list: [] }, query: 'mutation ($list: [String!]!) { bulkDeleteSizeCharts(input: { externalIds: $list }) { total } }' }),
    'two files': [operations, map, file, { ...file, name: '1' }],
    'a field that is too long': [{ ...operations, content: JSON.stringify({ query: '{ x }', variables: { x: 'x'.repeat(70_000) } }) }, map, file],
    'cut off': multipartBody(fine).subarray(0, 300),
    'no form at all': Buffer.from('hello')
  }
  for (const [name, parts] of Object.entries(wrong)) {
    const answer = await post(key, parts)
    t.ok(answer.errors, name)
    t.equal(codeOf(answer), 'BAD_USER_INPUT', name)
  }
  t.equal(codeOf(await post(key, multipartBody(fine), { 'content-type': 'multipart/form-data' })), 'BAD_USER_INPUT', 'no boundary')
  t.equal(typeof Object.prototype.toString.call, 'function')
  t.equal('x'.replace('x', 'y'), 'y')
  t.equal((await post(key, fine)).errors, undefined)
})

t.test('what looks like a file in JSON is none', async (t) => {
  const { key } = await shop()
  for (const file of ['x', {}, { promise: {} }, { promise: { then: 1 } }]) t.equal(codeOf(await graphql(key, uploadMutation, { file, externalId: 'U', name: 'U' })), 'BAD_USER_INPUT')
})

t.test('other routes read no forms', async (t) => {
  const { key } = await shop()
  const response = await app.inject({ method: 'POST', url: '/api/v1/products/import', headers: { ...multipartHeaders, 'x-vendor-api-key': key }, payload: multipartBody(uploadForm('U', '%PDF-')) })
  t.equal(response.statusCode, 400)
})

const withChart = (more: object = {}): object => ({
  externalId: 'P', name: 'P', brandName: 'Northwind', externalUrl: 'https://shop.example.com/p', variants: [{ externalId: 'V', name: 'V', ...more }], ...more
})
const upsert = async (key: string, vendorId: string, product: object): Promise<GraphqlAnswer> =>
  await graphql(key, `mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "${vendorId}", products: $products) { id } }`, { products: [product] })

t.test('a chart that is deleted is unlinked from every product; another of the same name is not linked by itself', async (t) => {
  const { vendorId, key } = await shop()
  const { id } = (await create(key, { externalId: 'C', name: 'C', body: 'b' })).data.createSizeChart as { id: string }
  await upsert(key, vendorId, withChart({ sizeChartExternalId: 'C' }))
  const linked = async (): Promise<unknown> => (await graphql(key, '{ product(externalId: "P") { sizeChart { externalId body } variants { sizeChart { externalId } } } }')).data.product
  t.strictSame(await linked(), { sizeChart: { externalId: 'C', body: 'b' }, variants: [{ sizeChart: { externalId: 'C' } }] })
  t.equal((await graphql(key, `mutation { deleteSizeChart(id: "${id}") }`)).data.deleteSizeChart, true)
  await create(key, { externalId: 'C', name: 'C', body: 'b' })
  t.strictSame(await linked(), { sizeChart: null, variants: [{ sizeChart: null }] })
  t.equal(codeOf(await graphql(key, `mutation { deleteSizeChart(id: "${id}") }`)), 'NOT_FOUND')
})

t.test('the assistant answers with the body, or with the PDF while there is none', async (t) => {
  const { vendorId, key } = await shop()
  const ask = async (args: string): Promise<unknown> =>
    (await graphql(key, `{ sizeChartAnswer(vendorId: "${vendorId}", ${args}) { kind body pdfUrl sizeChart { externalId } } }`)).data.sizeChartAnswer
  const { id } = (await create(key, { externalId: 'C', name: 'Men\'s Shirts', body: '| S |' })).data.createSizeChart as { id: string }
  const answer = { kind: 'BODY', body: '| S |', pdfUrl: null, sizeChart: { externalId: 'C' } }
  const none = { kind: 'NONE', body: null, pdfUrl: null, sizeChart: null }
  await upsert(key, vendorId, withChart({ sizeChartExternalId: 'C' }))
  t.strictSame(await ask('productExternalId: "P"'), answer)
  t.strictSame(await ask('name: "MEN\'S shirts"'), answer)
  t.strictSame(await ask(`name: "${id}"`), answer)
  t.strictSame(await ask('productExternalId: "unknown", name: "C"'), answer)
  t.strictSame(await ask('productExternalId: "unknown"'), none)
  await update(key, id, { sourceUrl: 'https://shop.example.com/c.pdf' })
  t.strictSame(await ask('productExternalId: "P"'), { kind: 'PDF_LINK', body: null, pdfUrl: 'https://shop.example.com/c.pdf', sizeChart: { externalId: 'C' } })
  await upsert(key, vendorId, withChart({ sizeChartExternalId: null, variants: [{ externalId: 'V', sizeChartExternalId: 'C' }] }))
  t.match(await ask('productExternalId: "P"'), { kind: 'PDF_LINK' }, 'that of a variant')
  await upsert(key, vendorId, { externalId: 'P', archived: true })
  t.strictSame(await ask('productExternalId: "P"'), none, 'an archived product is out of sight')
  t.equal(codeOf(await graphql(key, `{ sizeChartAnswer(vendorId: "${vendorId}") { kind } }`)), 'BAD_USER_INPUT')
})

t.test('the assistant says why a chart has no body: new, newer or failed; and nothing where there is no more to say', async (t) => {
  const { vendorId, key } = await shop()
  const ask = async (): Promise<unknown> =>
    (await graphql(key, `{ sizeChartAnswer(vendorId: "${vendorId}", productExternalId: "P") { kind body pdfUrl notice message } }`)).data.sizeChartAnswer
  const convert = async (id: string, result: ConversionResult): Promise<void> => {
    const claimed = await repositories.sizeCharts.claim(vendorId, (await repositories.sizeCharts.unclaimed(vendorId, 1))[0] ?? { _id: id, revision: 0 }, 'worker')
    t.ok((await repositories.sizeCharts.finish(claimed as SizeChartRecord, result)).applied)
  }
  const pdfUrl = 'https://shop.example.com/c.pdf'
  const converted: ConversionResult = { outcome: 'converted', body: '| S |', sha256: 'aa', converterVersion: 1, validators: null, pdf: null }
  await upsert(key, vendorId, withChart())
  t.strictSame(await ask(), { kind: 'NONE', body: null, pdfUrl: null, notice: null, message: null }, 'no chart')
  const { id } = (await create(key, { externalId: 'C', name: 'C', sourceUrl: pdfUrl })).data.createSizeChart as { id: string }
  await upsert(key, vendorId, withChart({ sizeChartExternalId: 'C' }))
  const without = { kind: 'PDF_LINK', body: null, pdfUrl }
  t.strictSame(await ask(), { ...without, notice: 'CONVERTING', message: 'This size chart is new and is still being read. Its PDF has the sizes.' })
  await convert(id, converted)
  t.strictSame(await ask(), { kind: 'BODY', body: '| S |', pdfUrl, notice: null, message: null })
  await update(key, id, { sourceUrl: pdfUrl })
  t.strictSame(await ask(), { ...without, notice: 'NEWER_VERSION_CONVERTING', message: 'A newer version of this size chart is still being read. Its PDF has the sizes.' })
  await convert(id, { outcome: 'failed', failure: { code: 'no-text' }, pdf: null })
  t.strictSame(await ask(), { ...without, notice: 'CONVERSION_FAILED', message: 'This size chart could not be read. Its PDF has the sizes.' })
  await update(key, id, { body: 'by hand' })
  t.match(await ask(), { kind: 'BODY', notice: null })
  await update(key, id, { sourceUrl: pdfUrl })
  t.match(await ask(), { notice: 'NEWER_VERSION_CONVERTING' }, 'also in the place of markdown')
})

t.test('the assistant promises no PDF where there is none', async (t) => {
  const { vendorId, key } = await shop()
  await post(key, uploadForm('U', '%PDF-'))
  const [seen] = await repositories.sizeCharts.unclaimed(vendorId, 1)
  const claimed = await repositories.sizeCharts.claim(vendorId, seen as SeenChart, 'worker') as SizeChartRecord
  await repositories.sizeCharts.finish(claimed, { outcome: 'failed', failure: { code: 'original-missing' }, pdf: null })
  await api.database.collections.sizeCharts.updateOne({ _id: claimed._id }, { $set: { pdf: null } })
  t.strictSame((await graphql(key, `{ sizeChartAnswer(vendorId: "${vendorId}", name: "U") { kind pdfUrl notice message } }`)).data.sizeChartAnswer,
    { kind: 'NONE', pdfUrl: null, notice: 'CONVERSION_FAILED', message: 'This size chart could not be read.' })
})
