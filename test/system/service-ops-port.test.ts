/** OPS_PORT: metrics and the details of readiness, in any role, and what is left of them on PORT. */
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { startServiceProcess } from '../support/service-process.js'

t.test('a process without the API answers on OPS_PORT', async (t) => {
  const service = await startServiceProcess(t, { env: { ROLES: 'worker,sftp', OPS_PORT: '0' } })
  t.equal(service.url, '', 'there is no API')
  const ready = service.logs.find((record) => record['ready'] === true)
  const ops = String(ready?.['ops'])
  t.equal((await fetch(`${ops}/healthz`)).status, 200)
  t.match(await (await fetch(`${ops}/readyz`)).json(), { checks: { database: 'ok', queue: 'ok', files: 'ok' } })
  const metrics = await (await fetch(`${ops}/metrics`)).text()
  t.match(metrics, /^catalog_import_vendors_waiting 0$/m)
  t.match(metrics, /^process_cpu_seconds_total /m)
  t.equal((await fetch(`${ops}/graphql`)).status, 404)
  t.strictSame(await service.terminate(), { code: 0, signal: null })
})

t.test('an API tells on PORT then whether it is ready, and no more', async (t) => {
  const service = await startServiceProcess(t, { env: { OPS_PORT: '0' } })
  const ready = service.logs.find((record) => record['ready'] === true)
  const ops = String(ready?.['ops'])
  t.strictSame(await (await fetch(`${service.url}/readyz`)).json(), { status: 'ready' })
  t.equal((await fetch(`${service.url}/healthz`)).status, 200)
  t.equal((await fetch(`${service.url}/metrics`)).status, 404)
  t.match(await (await fetch(`${ops}/readyz`)).json(), { checks: { database: 'ok', queue: 'ok', files: 'ok' } })
  t.match(await (await fetch(`${ops}/metrics`)).text(), /http_request_duration_seconds_count\{method="GET",route="\/readyz",status="200"\} 1/)
  t.strictSame(await service.terminate(), { code: 0, signal: null })
})

t.test('a process that ends is not ready, and answers for DRAIN_DELAY_SECONDS', async (t) => {
  const service = await startServiceProcess(t, { env: { OPS_PORT: '0', DRAIN_DELAY_SECONDS: '5' } })
  const ops = String(service.logs.find((record) => record['ready'] === true)?.['ops'])
  const ended = service.terminate()
  const statuses = async (): Promise<number[]> => await Promise.all([`${ops}/readyz`, `${service.url}/readyz`, `${service.url}/healthz`].map(async (url) => (await fetch(url)).status))
  await eventually('it says that it is about to end', async () => (await statuses()).join() === '503,503,200')
  t.strictSame(await ended, { code: 0, signal: null })
})

t.test('a process that serves SFTP alone is ready when it does', async (t) => {
  const service = await startServiceProcess(t, { env: { ROLES: 'sftp', SFTP_URL: '', OPS_PORT: '0' } })
  const ready = service.logs.find((record) => record['ready'] === true)
  t.strictSame(await (await fetch(`${String(ready?.['ops'])}/readyz`)).json(), { status: 'ready', checks: { database: 'ok', files: 'ok' } })
  t.strictSame(await service.terminate(), { code: 0, signal: null })
})
