/** From the request over the message to the last bulk: one trace, which a client may have begun, and which the log names. */
import t from 'tap'
import { startCollector, type CollectedSpan } from '../support/collector.js'
import { eventually } from '../support/eventually.js'
import { givenTopics } from '../support/own-names.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor, type TestVendor } from '../support/vendor.js'

const collector = await startCollector(t)
const service = await startServiceProcess(t, { env: { SFTP_URL: '', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0p' } })
const vendor = await createVendor(service, 'acme')

const traceId = (): string => Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('').replace(/^./, 'a')
const topic = givenTopics().productImports
const clientSpanId = '00f067aa0ba902b7'

/** Once the job has come, which ends after all that it has done, and the message, whose delivery may be told of later. */
const traceOf = async (id: string): Promise<CollectedSpan[]> => await eventually('the trace comes', () => {
  const spans = collector.spans.filter((span) => span.traceId === id)
  return ['import', `send ${topic}`].every((last) => spans.some(({ name }) => name === last)) ? spans : null
})

const named = (spans: CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.filter((span) => span.name === name)
  if (found.length !== 1) throw new Error(`${found.length} spans ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found[0] as CollectedSpan
}

async function post (path: string, body: unknown, headers: Record<string, string> = {}, { apiKey }: TestVendor = vendor): Promise<{ status: number, body: unknown }> {
  const response = await fetch(`${service.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey, ...headers } })
  return { status: response.status, body: await response.json() }
}

const products = (count: number, from = 0): string => file(...Array.from({ length: count }, (_, index) => line(`p-${from + index}`)))

t.test('an import that is asked for over REST is one trace, from the client\'s span to the last bulk', async (t) => {
  await vendor.put('first.jsonl', products(700))
  await vendor.put('second.jsonl', products(30, 700))
  const id = traceId()
  const { status, body } = await post('/api/v1/products/import', { files: ['first.jsonl', 'second.jsonl'], mode: 'REPLACE' }, { traceparent: `00-${id}-${clientSpanId}-01` })
  t.equal(status, 202)
  const { jobId } = body as { jobId: string }
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsCreated: 730 } })
  const spans = await traceOf(id)

  const request = named(spans, 'POST /api/v1/products/import')
  t.match(request, { parentSpanId: clientSpanId, kind: 2, isFailed: false, attributes: { 'http.request.method': 'POST', 'http.route': '/api/v1/products/import', 'http.response.status_code': 202, 'catalog.vendor.id': 'acme' } })
  const sent = named(spans, `send ${topic}`)
  t.match(sent, { parentSpanId: request.spanId, kind: 4, isFailed: false, attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': topic, 'catalog.job.id': jobId } })
  const job = named(spans, 'import')
  t.match(job, {
    parentSpanId: sent.spanId,
    kind: 5,
    isFailed: false,
    attributes: {
      'catalog.vendor.id': 'acme', 'catalog.job.id': jobId, 'catalog.import.mode': 'REPLACE', 'catalog.import.attempt': 1, 'catalog.import.files': 2,
      'catalog.import.hinted': true, 'catalog.import.outcome': 'completed', 'catalog.import.products_created': 730
    }
  })
  t.match([named(spans, 'look up live products'), named(spans, 'archive absent products')], [{ parentSpanId: job.spanId }, { parentSpanId: job.spanId }])

  const files = spans.filter(({ name }) => name === 'import file')
  t.match(files, [
    { parentSpanId: job.spanId, attributes: { 'catalog.file.index': 0, 'catalog.file.lines': 700, 'catalog.bulks.count': 2, 'catalog.bulks.documents': 700, 'catalog.bulks.failed': 0 } },
    { parentSpanId: job.spanId, attributes: { 'catalog.file.index': 1, 'catalog.file.lines': 30, 'catalog.bulks.count': 1, 'catalog.bulks.documents': 30 } }
  ])
  const bulks = spans.filter(({ name }) => name === 'write products')
  t.strictSame(bulks.map(({ parentSpanId }) => files.findIndex(({ spanId }) => spanId === parentSpanId)).sort(), [0, 0, 1])
  t.strictSame(bulks.map(({ attributes }) => attributes['catalog.bulk.inserts']).sort(), [200, 30, 500])
  for (const { name, startMs, endMs } of [...files, ...bulks]) {
    t.ok(startMs >= job.startMs - 1 && endMs <= job.endMs + 1 && startMs <= endMs, `${name} is within its job`)
  }
  t.match(job.resource, { 'service.name': 'merchant-catalog', 'service.version': /^\d+\.\d+\.\d+/ })
  t.ok(collector.requests.every(({ path, headers }) => path === '/v1/traces' && headers.authorization === 'Bearer t0p'))

  const logged = (msg: string): Record<string, unknown> | undefined => service.logs.find((entry) => entry['msg'] === msg && entry['trace_id'] === id)
  t.match([logged('request completed'), logged('import accepted')], [{ span_id: request.spanId }, { span_id: request.spanId, jobId }])
  t.match([logged('import started'), logged('import ended')], [{ span_id: job.spanId, jobId }, { span_id: job.spanId, jobId }])
})

t.test('an import that is asked for over GraphQL goes on with the trace of its operation', async (t) => {
  await vendor.put('third.jsonl', products(3))
  const id = traceId()
  const query = 'mutation Nightly($input: ProcessProductImportInput!) { processProductImport(input: $input) { jobId } }'
  const { body } = await post('/graphql', { query, variables: { input: { files: ['third.jsonl'], mode: 'UPDATE' } } }, { traceparent: `00-${id}-${clientSpanId}-01` })
  const { jobId } = (body as { data: { processProductImport: { jobId: string } } }).data.processProductImport
  await vendor.ended(jobId)
  const spans = await traceOf(id)
  const request = named(spans, 'POST /graphql')
  const operation = named(spans, 'mutation processProductImport')
  const sent = named(spans, `send ${topic}`)
  t.match([request, operation, sent, named(spans, 'import')], [
    { parentSpanId: clientSpanId },
    { parentSpanId: request.spanId, attributes: { 'graphql.operation.type': 'mutation', 'graphql.operation.name': 'Nightly' } },
    { parentSpanId: operation.spanId },
    { parentSpanId: sent.spanId, attributes: { 'catalog.job.id': jobId } }
  ])
})

t.test('an operation that is answered in a thread is part of its request\'s trace, and so is the import that it starts', async (t) => {
  await vendor.put('fourth.jsonl', products(3))
  const id = traceId()
  // More than 200 objects: a thread's.
  const query = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "acme", products: $products) { id } processProductImport(input: { files: ["fourth.jsonl"], mode: UPDATE }) { jobId } }'
  const many = Array.from({ length: 201 }, (_, index) => ({ externalId: `many-${index}`, name: 'Many', brandName: 'B', externalUrl: 'https://shop.example.com/x' }))
  const { body } = await post('/graphql', { query, variables: { products: many } }, { traceparent: `00-${id}-${clientSpanId}-01` })
  t.match(body, { data: { processProductImport: { jobId: /./ } } })
  const spans = await traceOf(id)
  const handedOn = named(spans, 'large request')
  const operation = named(spans, 'mutation upsertProducts')
  t.match([handedOn, operation, named(spans, `send ${topic}`)], [
    { parentSpanId: named(spans, 'POST /graphql').spanId }, { parentSpanId: handedOn.spanId }, { parentSpanId: handedOn.spanId }
  ])
})

t.test('what is no traceparent begins a trace, and stands nowhere', async (t) => {
  const before = new Set(collector.spans)
  const hostile = [
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-h0stile', `00-${'h0stile'.repeat(1_000)}`, '{"h0stile":1}'
  ]
  for (const traceparent of hostile) {
    const { status } = await post('/graphql', { query: '{ productImportJobs { totalCount } }' }, { traceparent, tracestate: 'h0stile=1', baggage: 'h0stile=1' })
    t.match(status, /^(?:200|503)$/, 'it is answered, or told to come again on a busy machine')
  }
  const spans = await eventually('the requests come', () => {
    const requests = collector.spans.filter((span) => !before.has(span) && span.name === 'POST /graphql')
    return requests.length === hostile.length ? requests : null
  })
  t.ok(spans.every(({ parentSpanId }) => parentSpanId === ''))
  t.equal(new Set(spans.map((span) => span.traceId)).size, hostile.length)
  t.notMatch(collector.text(), /h0stile|4bf92f3577b34da6a3ce929d0e0e4736/i)
})

t.test('no credential, variable, document or file name is in any span, and probes and unknown paths have none', async (t) => {
  const id = traceId()
  const traced = { traceparent: `00-${id}-${clientSpanId}-01` }
  for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere', '/api/v1/nowhere', '/api/v1/%zz', '/console']) await fetch(`${service.url}${path}`, { headers: traced })
  await post('/graphql', { query: `query ${vendor.apiKey}($id: ID!) { productImportJob(jobId: $id) { jobId } }`, variables: { id: 'v4riable' } }, traced)
  await post('/graphql?t0ken=1', { query: '{ products(text: "l1teral") { totalCount } }' }, { ...traced, authorization: 'Bearer t0ken', 'x-vendor-api-key': 'svc_t0ken' })
  await eventually('both requests come', () => collector.spans.filter(({ traceId, name }) => traceId === id && name === 'POST /graphql').length === 2)
  t.strictSame(new Set(collector.spans.filter(({ traceId }) => traceId === id).map(({ name }) => name)), new Set(['POST /graphql', 'query productImportJob']))
  t.notMatch(collector.text(), new RegExp(`${vendor.apiKey}|v4riable|t0ken|l1teral|\\.jsonl|t0p`))
  t.notMatch(JSON.stringify(service.logs), /t0p/)
})
