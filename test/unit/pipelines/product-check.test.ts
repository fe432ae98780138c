import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { wordFault } from '../../../src/domain/issue.js'
import type { ImportMode } from '../../../src/domain/import-job.js'
import { checkProductFile } from '../../../pipelines/product-check.js'
import { file, line } from '../../support/product-lines.js'
import { testFolder } from '../../support/test-folder.js'

const folder = testFolder(t, {})

async function check (name: string, content: string | Buffer, mode: ImportMode = 'REPLACE'): Promise<{ totals: unknown, issues: string[] }> {
  const path = join(folder, name)
  await writeFile(path, content)
  const issues: string[] = []
  const totals = await checkProductFile(path, {
    mode, onIssue: ({ severity, line, externalId, faults }) => { issues.push(`${severity} ${line} ${externalId ?? '-'}: ${faults.map(wordFault).join('; ')}`) }
  })
  return { totals, issues }
}

t.test('a good file has no issues', async (t) => {
  t.strictSame(await check('good.jsonl', file(line('a'), '', line('b'))), { totals: { lines: 2, errors: 0, warnings: 0, untold: 0 }, issues: [] })
})

t.test('each bad line is told once with all its faults, each warning by itself', async (t) => {
  const twice = { externalId: 'V', name: 'V' }
  t.strictSame(await check('bad.jsonl.gz', gzipSync(file(line('a', { name: '', archived: 1 }), '{', line('c', { variants: [twice, twice, twice] })))), {
    totals: { lines: 3, errors: 2, warnings: 2, untold: 1 },
    issues: [
      'error 1 a: name must not be blank; archived must be true or false',
      'error 2 -: Malformed JSON',
      'warning 3 c: variants[1] repeats variant "V": the later fields win',
      'warning 3 c: variants[2] repeats variant "V": the later fields win'
    ]
  })
})

t.test('links are the server\'s knowledge and are not asked for', async (t) => {
  const content = file(line('a', { fitmentTargetExternalIds: ['T'], sizeChartExternalId: 'C', variants: [{ sku: 'S', name: 'S', inventoryByLocation: { NYC: 1 } }] }))
  t.strictSame((await check('links.jsonl', content)).issues, [])
})

t.test('in UPDATE a line may be partial', async (t) => {
  t.strictSame((await check('delta.jsonl', file(JSON.stringify({ externalId: 'a' })), 'UPDATE')).issues, [])
  t.equal((await check('delta.jsonl', file(JSON.stringify({ externalId: 'a' })))).issues.length, 1)
})

t.test('a file that is not there, or is a folder, is fatal', async (t) => {
  const options = { mode: 'UPDATE', onIssue: () => {} } as const
  await t.rejects(checkProductFile(join(folder, 'nowhere.jsonl'), options), { kind: 'fatal', message: /^File not found/ })
  await t.rejects(checkProductFile(folder, options), { kind: 'fatal', message: /^File cannot be read/ })
})

t.test('a file that cannot be read to its end is fatal', async (t) => {
  await t.rejects(check('cut.jsonl.gz', gzipSync(file(line('a'))).subarray(0, -5)), { kind: 'fatal', message: /truncated/ })
})
