/** Where traces cannot go, everything else goes on as it does without them. */
import t from 'tap'
import { freePort } from '../../src/embedded/local-ports.js'
import { eventually } from '../support/eventually.js'
import { file, lines } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const service = await startServiceProcess(t, { env: { SFTP_URL: '', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret' } })

t.test('imports run, the service is ready, one line says that spans are lost, and it ends in good order', async (t) => {
  const vendor = await createVendor(service, 'acme')
  await vendor.put('a.jsonl', file(...lines(1_200)))
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'REPLACE' }), { status: 'completed', stats: { productsCreated: 1_200 } })
  const lost = (): unknown[] => service.logs.filter(({ msg }) => msg === 'spans are lost: the collector of traces does not take them')
  await eventually('it is told of', () => lost().length > 0, 60_000)
  t.match(lost(), [{ level: 40, reason: 'ECONNREFUSED', lost: Number }])
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  t.match(metrics, 'http_request_duration_seconds_count{method="POST",route="/api/v1/products/import",status="202"} 1')
  t.strictSame(await service.terminate(), { code: 0, signal: null })
  t.notMatch(JSON.stringify(service.logs), /s3cret/)
})
