/** The report says what has not passed, whatever else has. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import type { Figure } from '../../services/certify/figure.js'
import { reportOf, type ReportOptions } from '../../services/certify/report.js'

const at = new Date('2026-01-02T03:04:05Z')
const good: ReportOptions = {
  startedAt: at,
  endedAt: new Date(at.getTime() + 61_000),
  isPassed: true,
  isInterrupted: false,
  versions: { service: '0.1.0', MongoDB: '8.0.4 at db-0' },
  files: ['dist/test/system/import-a.test.js', 'dist/test/system/import-b.test.js'],
  results: [
    { file: 'dist/test/system/import-a.test.js', seconds: 1.23, passed: 3, failures: [] },
    { file: 'dist/test/system/import-b.test.js', seconds: 4, passed: 2, failures: [] }
  ],
  figures: [{ what: 'first load', lines: 20_000, seconds: 8 }],
  leftBehind: []
}

t.test('all that passed, with versions and figures', async (t) => {
  const report = reportOf(good)
  t.match(report, /^# Certification\n\n2026-01-02T03:04:05\.000Z, 61 s\. \*\*All 2 files passed\.\*\*\n/)
  t.match(report, '\n| MongoDB | 8.0.4 at db-0 |\n')
  t.match(report, '\n| first load | 20,000 | 8.0 | 2,500 |\n')
  t.match(report, '\n| import-a | passed | 1.2 | 3 |\n')
  t.match(report, /\nAll that was made on the servers has been removed\.\n$/)
})

t.test('what failed is named, on one line and within its table', async (t) => {
  const [first, second] = good.results as [ReportOptions['results'][0], ReportOptions['results'][0]]
  const report = reportOf({ ...good, isPassed: false, results: [first, { ...second, failures: ['a line\nand a | more', 'another'] }] })
  t.match(report, '**1 of 2 files failed.**')
  t.match(report, '\n| import-b | **failed** |')
  t.match(report, '\n- import-b: a line and a | more; another\n')
})

t.test('what was not run to its end, and what is left, is told', async (t) => {
  const report = reportOf({ ...good, isPassed: false, isInterrupted: true, results: good.results.slice(0, 1), figures: [], leftBehind: ['topic a is left: no answer'] })
  t.match(report, '**Interrupted. 1 did not come to an end. Not all that was made on the servers could be removed.**')
  t.match(report, '\n| import-b | not run to its end |')
  t.match(report, '\n## What is left on the servers\n\n- topic a is left: no answer\n')
  t.match(report, '\nNot measured.\n')
})

t.test('a run that ended with an error, though nothing in it failed, has not passed', async (t) => {
  t.match(reportOf({ ...good, isPassed: false }), '**The tests ended with an error.**')
})

/** Rows of a table, without its head. */
const rowsOf = (section: string): string[][] => section.split('\n').filter((line) => line.startsWith('| ')).slice(2).map((line) => line.slice(2, -2).split(' | '))

t.test('the page\'s report is such as a certification writes', async (t) => {
  const page = await readFile(join(packageRoot(), 'docs/operations.md'), 'utf8')
  const [, sample = ''] = /^```\n(# Certification\n[^]*?)```$/m.exec(page) ?? []
  const [, startedAt = '', seconds] = /^(\S+Z), (\d+) s\./m.exec(sample) ?? []
  const [head = '', throughput = '', tests = ''] = sample.split('\n## ')
  const results = rowsOf(tests).map(([file = '', , ran, passed]) => ({ file: `${file}.test.js`, failures: [], seconds: Number(ran), passed: Number(passed) }))
  t.ok(results.length > 0)
  t.equal(reportOf({
    startedAt: new Date(startedAt),
    endedAt: new Date(Date.parse(startedAt) + Number(seconds) * 1_000),
    isPassed: true,
    isInterrupted: false,
    versions: Object.fromEntries(rowsOf(head)),
    files: results.map(({ file }) => file),
    results,
    figures: rowsOf(throughput).map(([what = '', lines = '', , rate = '']) => ({ what: what as Figure['what'], lines: Number(lines.replace(',', '')), seconds: Number(lines.replace(',', '')) / Number(rate.replace(',', '')) })),
    leftBehind: []
  }), sample)
})
