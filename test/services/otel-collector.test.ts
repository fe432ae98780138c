/** Traces as OpenTelemetry's own collector takes them: over OTLP, with nothing of ours between. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { CollectedSpan } from '../support/collector.js'
import { eventually } from '../support/eventually.js'
import { givenTopics } from '../support/own-names.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { startOtelCollector } from './parts/otel-collector.js'
import { temporaryFolder } from './parts/temporary-folder.js'

// The collector is built with the first run.
t.setTimeout(3_000_000)

const folder = await temporaryFolder(join(tmpdir(), 'catalog-otel-collector-'))
const collector = await startOtelCollector(folder.path)
t.teardown(async () => {
  await collector.stop()
  await folder.remove()
})

t.test('a real import is one trace there, from the client\'s span over Kafka to the last bulk', async (t) => {
  const service = await startServiceProcess(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'catalog-under-test' } })
  const vendor = await createVendor(service, 'traced')
  await vendor.put('first.jsonl', file(line('A'), line('B')))
  const [traceId, clientSpanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const response = await fetch(`${service.url}/api/v1/products/import`, {
    method: 'POST',
    body: JSON.stringify({ files: ['first.jsonl'], mode: 'REPLACE' }),
    headers: { 'content-type': 'application/json', 'x-vendor-api-key': vendor.apiKey, traceparent: `00-${traceId}-${clientSpanId}-01` }
  })
  t.equal(response.status, 202)
  const { jobId } = await response.json() as { jobId: string }
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsCreated: 2 } })

  // From the last bulk up: the names of the spans that lead to it.
  const way = ['write products', 'import file', 'import', `send ${givenTopics().productImports}`, 'POST /api/v1/products/import']
  const spans = await eventually('the trace is there', async () => {
    const ofTrace = (await collector.spans()).filter((span) => span.traceId === traceId)
    return way.every((each) => ofTrace.some(({ name }) => name === each)) ? ofTrace : null
  }, 60_000)
  let parent = spans.find(({ name }) => name === way[0])?.spanId ?? ''
  const found: CollectedSpan[] = []
  for (let span = spans.find(({ spanId }) => spanId === parent); span !== undefined; span = spans.find(({ spanId }) => spanId === parent)) {
    found.push(span)
    parent = span.parentSpanId
  }
  t.strictSame(found.map(({ name }) => name), way)
  t.equal(parent, clientSpanId)
  t.match(found.find(({ name }) => name === 'import'), { isFailed: false, attributes: { 'catalog.job.id': jobId, 'catalog.import.outcome': 'completed', 'catalog.import.products_created': 2 } })
  t.ok(spans.every(({ resource }) => resource['service.name'] === 'catalog-under-test'))
  t.notMatch(await collector.log(), /\t(?:error|warn)\t/)
})
