/** Alert rules and dashboard before a real Prometheus that scrapes a service. */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { alertRules, dashboardPanels, monitoringFile } from '../support/monitoring.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { prometheusPrograms, startPrometheus } from './parts/prometheus.js'
import { temporaryFolder } from './parts/temporary-folder.js'

interface Answer { status: string, error?: string, data: { result: Array<{ metric: Record<string, string> }> } }
interface Rule { name: string, health: string, state: string, lastError?: string, lastEvaluation: string }
interface Rules { data: { groups: Array<{ rules: Rule[] }> } }

const { promtool } = await prometheusPrograms()
const alerts = monitoringFile('alerts.yaml')

t.test('promtool finds nothing wrong with the rules', async (t) => {
  const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', alerts])
  t.match(stdout, new RegExp(`SUCCESS: ${(await alertRules()).length} rules found`))
})

t.test('every query is answered, every rule is evaluated, and none fires over a service that is well', { timeout: 180_000 }, async (t) => {
  const folder = await temporaryFolder(join(tmpdir(), 'catalog-prometheus-'))
  const service = await startServiceProcess(t)
  const prometheus = await startPrometheus(folder.path, { target: new URL(service.url).host, jobs: ['catalog-api', 'catalog-worker', 'catalog-sftp'], ruleFile: alerts })
  t.teardown(async () => {
    await prometheus.stop()
    await folder.remove()
  })
  const ask = async <T>(path: string): Promise<T> => await (await fetch(`${prometheus.url}/api/v1/${path}`)).json() as T
  const query = async (expr: string): Promise<Answer> => await ask(`query?query=${encodeURIComponent(expr)}`)

  const vendor = await createVendor(service, 'watched')
  await vendor.put('a.jsonl', file(line('A')))
  await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })
  await eventually('the service is scraped', async () => (await query('up == 1')).data.result.length === 3)
  await eventually('a rate can be told', async () => (await query('rate(http_request_duration_seconds_count[1m])')).data.result.length > 0)

  const expressions = (await dashboardPanels()).flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const empty: string[] = []
  for (const expr of expressions) {
    const { status, error, data } = await query(expr)
    t.equal(status, 'success', `${expr}: ${String(error)}`)
    if (data.result.length === 0) empty.push(expr)
  }
  // Nothing has been refused, converted or lost.
  t.strictSame(empty.filter((expr) => !/refused|thread_deaths|thread_hold_ups|size_chart|analytics/.test(expr)), [])

  // Before its first scrape Prometheus knows of no worker, and a rule that was evaluated then says so until it is evaluated again.
  const scrapedAt = Date.now()
  const rules = await eventually('the rules are evaluated on what was scraped', async () => {
    const found = (await ask<Rules>('rules')).data.groups.flatMap((group) => group.rules)
    return found.length > 0 && found.every(({ health, lastEvaluation }) => health !== 'unknown' && Date.parse(lastEvaluation) > scrapedAt) ? found : undefined
  }, 60_000)
  t.strictSame(rules?.map(({ name, health, state, lastError }) => [name, health, state, lastError]), (await alertRules()).map(({ alert }) => [alert, 'ok', 'inactive', undefined]))
})
