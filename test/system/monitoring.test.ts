/** The alert rules and the dashboard in deploy/monitoring ask for what the service exports, and for nothing else. */
import t from 'tap'
import { alertRules, dashboardPanels, metricsIn } from '../support/monitoring.js'
import { startServiceProcess } from '../support/service-process.js'

const [rules, panels] = await Promise.all([alertRules(), dashboardPanels()])

t.test('metrics are found in expressions, and nothing else', async (t) => {
  t.strictSame(metricsIn('histogram_quantile(0.95, sum by (le) (rate(a_bucket{job="x"}[5m]))) > 1.2e9'), ['a_bucket'])
  t.strictSame(metricsIn('(count(up{job=~"x"} == 1) > 0) unless on () count(b_total)'), ['up', 'b_total'])
})

t.test('every metric that is asked for is exported', async (t) => {
  const service = await startServiceProcess(t)
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const exported = new Set(['up', ...Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type = '']) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]).flat()])
  const asked = [...rules.map(({ expr }) => expr), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))]
  for (const expr of asked) {
    const names = metricsIn(expr)
    t.ok(names.length > 0, expr)
    for (const name of names) t.ok(exported.has(name), `${name}, in ${expr}`)
  }
})

t.test('every alert says what it means and what to do, once', async (t) => {
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, labels, annotations } of rules) {
    t.match(labels.severity, /^(critical|warning)$/, alert)
    t.ok(annotations.summary && annotations.action, alert)
  }
})

t.test('panels do not lie on each other', async (t) => {
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
  t.equal(new Set(places).size, panels.length)
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
})
