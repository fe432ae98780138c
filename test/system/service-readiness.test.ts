/** /healthz says that the process is up, /readyz what it needs and lacks; both whatever else is away. */
import t from 'tap'
import { freePort } from '../../src/embedded/local-ports.js'
import { testDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { file, line } from '../support/product-lines.js'
import { proxiedDatabase } from '../support/proxied-database.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const { url } = await testDatabase(t)
interface Readiness { status: number, body: { status: string, checks: Record<string, string> } }

async function readinessOf (base: string): Promise<Readiness> {
  const response = await fetch(`${base}/readyz`)
  return { status: response.status, body: await response.json() as Readiness['body'] }
}

const allFine = { status: 200, body: { status: 'ready', checks: { database: 'ok', queue: 'ok', files: 'ok' } } }
const withoutDatabase = { status: 503, body: { status: 'unavailable', checks: { database: 'unavailable', queue: 'ok', files: 'ok' } } }

t.test('a database that goes away and comes back', async (t) => {
  const { proxy, url: mongodbUrl } = await proxiedDatabase(t, url)
  const service = await startServiceProcess(t, { mongodbUrl })
  const vendor = await createVendor(service)
  await vendor.put('a.jsonl', file(line('A')))
  await eventually('the service is ready', async () => (await readinessOf(service.url)).status === 200)
  t.strictSame(await readinessOf(service.url), allFine)

  for (const away of [() => { proxy.cut() }, () => { proxy.hang() }]) {
    away()
    const readiness = await eventually('the database is missed', async () => {
      const now = await readinessOf(service.url)
      return now.status === 503 ? now : null
    })
    t.strictSame(readiness, withoutDatabase)
    t.equal((await fetch(`${service.url}/healthz`)).status, 200)
    proxy.restore()
    await eventually('the service is ready again', async () => (await readinessOf(service.url)).status === 200)
    t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' }), { status: 'completed', stats: { productsProcessed: 1 } })
  }
  t.strictSame(await service.terminate(), { code: 0, signal: null })
})

t.test('a database that is away at the start', async (t) => {
  const { proxy, url: mongodbUrl } = await proxiedDatabase(t, url)
  proxy.cut()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const starting = startServiceProcess(t, { mongodbUrl, env: { PORT: String(port) } })
  starting.catch(() => {}) // told below
  try {
    await eventually('the process is up', async () => await fetch(`${base}/healthz`).then(({ status }) => status === 200, () => false))
    t.match(await readinessOf(base), { status: 503, body: { checks: { database: 'unavailable' } } })
  } finally {
    proxy.restore()
  }
  const service = await starting
  await eventually('the service is ready', async () => (await readinessOf(service.url)).status === 200)
  const vendor = await createVendor(service, 'late')
  await vendor.put('a.jsonl', file(line('A')))
  t.equal((await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })).status, 'completed')
})
