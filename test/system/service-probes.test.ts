/** Health and metrics of a process that serves no API. */
import t from 'tap'
import { startServiceProcess } from '../support/service-process.js'

t.test('a process without the API answers probes on PROBE_PORT', async (t) => {
  const service = await startServiceProcess(t, { env: { ROLES: 'worker,sftp', PROBE_PORT: '0' } })
  t.equal(service.url, '', 'there is no API')
  const ready = service.logs.find((record) => record['ready'] === true)
  const probes = String(ready?.['probes'])
  t.equal((await fetch(`${probes}/healthz`)).status, 200)
  t.match(await (await fetch(`${probes}/readyz`)).json(), { checks: { database: 'ok', queue: 'ok', files: 'ok' } })
  const metrics = await (await fetch(`${probes}/metrics`)).text()
  t.match(metrics, /^catalog_import_vendors_waiting 0$/m)
  t.match(metrics, /^process_cpu_seconds_total /m)
  t.equal((await fetch(`${probes}/graphql`)).status, 404)
  t.strictSame(await service.terminate(), { code: 0, signal: null })
})
