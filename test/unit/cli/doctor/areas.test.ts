import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../../src/package-root.js'
import { loadConfig } from '../../../../src/config.js'
import { doctorAreas } from '../../../../src/cli/doctor.js'
import type { Finding, Status } from '../../../../src/cli/doctor/check.js'
import { openDoctorParts } from '../../../../src/cli/doctor/parts.js'
import { reportLines } from '../../../../src/cli/doctor/report.js'
import { silent } from '../../../support/log.js'

const settings: NodeJS.ProcessEnv[] = [{}, { MONGODB_URL: 'mongodb://h/c', KAFKA_BROKERS: 'k:1' }]

for (const env of settings) {
  t.test(`all is over within a minute, whatever hangs: ${Object.keys(env).join(' ') || 'embedded parts'}`, async (t) => {
    const areas = await doctorAreas(openDoctorParts(loadConfig(env), silent))
    for (const sequence of areas) {
      const checks = sequence.flatMap((area) => [...area.checks])
      t.ok(checks.reduce((sum, { limitMs }) => sum + limitMs, 0) <= 60_000, checks.map(({ name }) => name).join(', '))
    }
    const names = areas.flat().flatMap(({ checks }) => checks.map(({ name }) => name))
    t.equal(new Set(names).size, names.length, 'each check has a name of its own')
  })
}

/** What a report says that stands in a page. */
function findingsIn (report: string): Finding[] {
  const findings: Finding[] = []
  for (const line of report.split('\n')) {
    const [, status, name = '', detail = ''] = /^ {2}(ok|warn|fail) {2,4}(\S+(?: \S+)*) {2,}(.*)$/.exec(line) ?? []
    const [, fix] = /^ +→ (.*)$/.exec(line) ?? []
    const last = findings.at(-1)
    if (status !== undefined) findings.push({ name, status: status as Status, detail, fix: null })
    else if (fix !== undefined && last !== undefined) last.fix = fix
  }
  return findings
}

t.test('the page\'s reports are such as the doctor prints, with every check that it has', async (t) => {
  const page = await readFile(join(packageRoot(), 'docs/operations.md'), 'utf8')
  const reports = Array.from(page.matchAll(/^```\n( {2}ok {4}configuration [^]*?)\n```$/gm), ([, report = '']) => report)
  t.equal(reports.length, 2)
  for (const report of reports) t.equal(reportLines(findingsIn(report), { isTTY: false }, {}).join('\n'), report)
  const areas = await doctorAreas(openDoctorParts(loadConfig({ MONGODB_URL: 'mongodb://h/c', KAFKA_BROKERS: 'k:1' }), silent))
  const names = ['configuration', ...areas.flat().flatMap(({ checks }) => checks.map(({ name }) => name))]
  const [healthy = [], broken = []] = reports.map((report) => findingsIn(report).map(({ name }) => name))
  t.strictSame(healthy, names)
  t.strictSame(broken, names.filter((name) => broken.includes(name)), 'without what is left out behind what has failed')
})
