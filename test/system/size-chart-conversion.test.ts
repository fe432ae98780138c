/** Size charts in the whole service: from the request over Kafka and the converter's process to the answer, also over kill -9. */
import t from 'tap'
import { multipartBody, multipartHeaders, uploadForm } from '../unit/api/graphql/multipart.js'
import { eventually } from '../support/eventually.js'
import { startPdfServer } from '../support/pdf-server.js'
import { startServiceProcess } from '../support/service-process.js'
import { corpusPdf, expectations, tablesIn } from '../support/size-chart-corpus.js'

/** While set, answers begin and do not end. */
let hanging = false
const shop = await startPdfServer(t, (path, response) => {
  if (hanging) response.writeHead(200).write('%PDF-')
  else response.writeHead(200).end(corpusPdf(path.slice(1)))
})
const service = await startServiceProcess(t, { env: { SIZE_CHART_ALLOWED_HOSTS: shop.host } })
const { vendors, integrationApiKeys } = service.repositories()
await vendors.create('acme', 'Acme')
const { key } = await integrationApiKeys.create('acme', 'test', ['SIZE_CHART_MANAGE'])

interface Chart { id: string, status: string, body: string | null, conversionError: string | null, pdfUrl: string }
const fields = 'id status body conversionError pdfUrl'

async function send (body: string | Buffer, headers: Record<string, string>): Promise<Record<string, Chart>> {
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers: { ...headers, 'x-vendor-api-key': key }, body })
  const { data, errors } = await response.json() as { data: Record<string, Chart>, errors?: unknown }
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}
const graphql = async (query: string, variables: object = {}): Promise<Record<string, Chart>> =>
  await send(JSON.stringify({ query, variables }), { 'content-type': 'application/json' })
const create = async (name: string): Promise<void> => {
  await graphql('mutation ($input: CreateSizeChartInput!) { createSizeChart(input: $input) { id } }', { input: { externalId: name, name, sourceUrl: shop.url(`/${name}`) } })
}
const settled = async (externalId: string): Promise<Chart> => await eventually(`${externalId} is converted`, async () => {
  const { sizeChart } = await graphql(`query ($externalId: String!) { sizeChart(externalId: $externalId) { ${fields} } }`, { externalId })
  return sizeChart?.status === 'PENDING' ? null : sizeChart
})
async function conversions (outcome: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^size_chart_conversions_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}
const tablesOf = (name: string): unknown => (expectations[name] as { tables: unknown }).tables

t.test('a sourceUrl becomes markdown with its table; the same again is not converted again', async (t) => {
  await create('ruled')
  const first = await settled('ruled')
  t.equal(first.status, 'READY')
  t.strictSame(tablesIn(first.body ?? ''), tablesOf('ruled'))
  // A conversion is counted after it can be seen.
  await eventually('the conversion is counted', async () => await conversions('converted') === 1)
  await graphql('mutation ($id: ID!, $input: UpdateSizeChartInput!) { updateSizeChart(id: $id, input: $input) { id } }', { id: first.id, input: { sourceUrl: shop.url('/ruled') } })
  t.strictSame(await settled('ruled'), first)
  await eventually('the second is counted as unchanged', async () => await conversions('unchanged') === 1)
  t.equal(await conversions('converted'), 1)
})

t.test('an upload becomes markdown, and its original can be opened', async (t) => {
  await send(multipartBody(uploadForm('non-latin', corpusPdf('non-latin'))), multipartHeaders)
  const { status, body, pdfUrl } = await settled('non-latin')
  t.strictSame([status, tablesIn(body ?? '')], ['READY', tablesOf('non-latin')])
  t.ok(Buffer.from(await (await fetch(pdfUrl)).arrayBuffer()).equals(corpusPdf('non-latin')))
})

t.test('what is no chart fails with the reason', async (t) => {
  await create('scan-without-text')
  t.match(await settled('scan-without-text'), { status: 'FAILED', body: null, conversionError: /has no text in it/ })
  await graphql('mutation { createSizeChart(input: { externalId: "inside", name: "inside", sourceUrl: "http://169.254.169.254/latest/" }) { id } }')
  t.match(await settled('inside'), { status: 'FAILED', conversionError: 'The sourceUrl, or a redirect from it, does not lead to a public internet address' })
})

t.test('kill -9 in the middle: the next start converts what waits', async (t) => {
  hanging = true
  const asked = shop.requests.length
  await create('two-tables')
  await eventually('the PDF is being fetched', () => shop.requests.length > asked)
  await service.kill9()
  hanging = false
  await service.start()
  const { status, body } = await settled('two-tables')
  t.strictSame([status, tablesIn(body ?? '')], ['READY', tablesOf('two-tables')])
})
