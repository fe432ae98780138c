/** Who does not ask for traces pays nothing for them: no module of OpenTelemetry is loaded, in no thread. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startCollector } from '../support/collector.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess, type ServiceProcess } from '../support/service-process.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'

interface Loaded { isMainThread: boolean, modules: string[] }

const preload = fileURLToPath(new URL('../support/loaded-modules.js', import.meta.url))

/** Runs an import and a large request; gives the service, which has ended, and what each of its threads had loaded. */
async function run (t: Test, env: NodeJS.ProcessEnv): Promise<{ service: ServiceProcess, loaded: Loaded[] }> {
  const loadedFile = join(testFolder(t, {}), 'loaded')
  const service = await startServiceProcess(t, { env: { SFTP_URL: '', NODE_OPTIONS: `--import=${preload}`, LOADED_MODULES_FILE: loadedFile, ...env } })
  const vendor = await createVendor(service, 'acme')
  await vendor.put('a.jsonl', file(line('a')))
  await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })
  const many = Array.from({ length: 201 }, (_, index) => ({ externalId: `many-${index}` }))
  await vendor.graphql('mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "acme", products: $products) { id } }', { products: many })
  t.equal((await service.terminate()).code, 0)
  const loaded = (await readFile(loadedFile, 'utf8')).trim().split('\n').map((text) => JSON.parse(text) as Loaded)
  return { service, loaded }
}

/** prom-client looks for the trace of what it measures by the API alone, whoever uses it. */
const ofOpenTelemetry = ({ modules }: Loaded): string[] => modules.filter((path) => path.includes('/@opentelemetry/') && !path.includes('/@opentelemetry/api/'))

t.test('without the variable nothing is loaded, and no log names a trace', async (t) => {
  const { service, loaded } = await run(t, {})
  t.ok(loaded.some(({ isMainThread }) => isMainThread))
  t.ok(loaded.filter(({ isMainThread }) => !isMainThread).length >= 3, 'SFTP, imports, large requests')
  t.ok(loaded.every(({ modules }) => modules.length > 10), 'what is loaded is seen')
  for (const each of loaded) t.strictSame(ofOpenTelemetry(each), [])
  t.notMatch(JSON.stringify(service.logs), /trace_id|span_id/)
})

t.test('with it the process loads it, and its threads do not', async (t) => {
  const collector = await startCollector(t)
  const { loaded } = await run(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  t.ok(loaded.some((each) => each.isMainThread && ofOpenTelemetry(each).length > 0), 'what would be found is found')
  for (const each of loaded.filter(({ isMainThread }) => !isMainThread)) t.strictSame(ofOpenTelemetry(each), [])
})
