/** docs/analytics.md says of every kind what the code does, and its example is what the service answers. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import { fieldRows } from '../../../src/domain/analytics/field.js'
import { recordFields, type RecordKind } from '../../../src/domain/analytics/records.js'
import { testAnalytics } from './test-analytics.js'

const text = await readFile(join(packageRoot(), 'docs/analytics.md'), 'utf8')

t.test('every field of every kind has its row', (t) => {
  for (const [kind, fields] of Object.entries(recordFields)) {
    const section = text.split(`### ${kind}\n`)[1]?.split('\n#')[0] ?? ''
    t.strictSame(section.split('\n').filter((line) => line.startsWith('| `')), fieldRows(fields), kind)
  }
  t.end()
})

t.test('the example', async (t) => {
  const { write, ask } = await testAnalytics(t)
  for (const [, kind, rows] of text.matchAll(/```jsonl (\S+)\n([^`]*)```/g)) {
    await write('acme', kind as RecordKind, (rows ?? '').trim().split('\n').map((row) => JSON.parse(row) as unknown))
  }
  const figures = JSON.parse(/```json figures\n([^`]*)```/.exec(text)?.[1] ?? '{}') as Record<string, unknown>
  const fields = Object.keys(figures).map((name) => name === 'attributedRevenueTimeSeries' ? `${name}(timezone: "Europe/Berlin") { precision time totalAttributedValue }` : name)
  const { data } = await ask('acme', `{ vendorById(vendorId: "acme") {
    conversationAggregateStatistics(start: "2025-03-29T23:00:00Z", end: "2025-03-30T22:00:00Z") { ${fields.join(' ')} }
  } }`)
  t.ok(fields.length >= 20)
  t.strictSame(data.vendorById.conversationAggregateStatistics, figures)
})
