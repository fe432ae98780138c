/** `catalog validate`: an import's verdicts without a server. */
import { join } from 'node:path'
import { truncateSync } from 'node:fs'
import t from 'tap'
import { countBadLines, sampleCatalog, writeSampleFile } from '../../src/cli/sample-catalog.js'
import { jsonOf, runCatalog } from '../unit/cli/support/run-catalog.js'
import { testFolder } from '../support/test-folder.js'

const good = '{"externalId":"1","name":"A","brandName":"B","externalUrl":"https://example.com/1"}'

t.test('a clean file exits with 0', async (t) => {
  const file = join(testFolder(t, { 'a.jsonl': `${good}\n` }), 'a.jsonl')
  t.same(await runCatalog(['validate', file]), { exitCode: 0, stdout: `${file}: 1 line, 0 errors, 0 warnings\n`, stderr: '' })
})

t.test('each bad line is told by file and line', async (t) => {
  const file = join(testFolder(t, { 'a.jsonl': `${good}\n\n{"externalId":"2","brandName":"B","externalUrl":"x"}\n{oops\n` }), 'a.jsonl')
  const { exitCode, stdout } = await runCatalog(['validate', file])
  t.equal(exitCode, 1)
  t.same(stdout.split('\n'), [
    `${file}:3 2: Missing required field: name; Invalid URL format for externalUrl`,
    `${file}:4: Malformed JSON`,
    `${file}: 1 line without an externalId that can be told: a REPLACE of it archives nothing`,
    `${file}: 3 lines, 2 errors, 0 warnings`,
    ''
  ])
})

t.test('without --mode a line must be complete, in UPDATE it need not', async (t) => {
  const file = join(testFolder(t, { 'a.jsonl': '{"externalId":"1"}\n' }), 'a.jsonl')
  t.equal((await runCatalog(['validate', file])).exitCode, 1)
  t.equal((await runCatalog(['validate', file, '--mode', 'UPDATE'])).exitCode, 0)
})

t.test('a sample file has exactly the bad lines that were put into it, also gzipped', async (t) => {
  const options = { products: 300, seed: 1, badLineEvery: 50 }
  const file = join(testFolder(t), 'sample.jsonl.gz')
  await writeSampleFile(file, sampleCatalog(options))
  const run = await runCatalog(['validate', file, '--json'])
  const { files: [report] } = jsonOf(run) as { files: Array<{ lines: number, errors: number, failure: string | null, issues: Array<{ severity: string, line: number }> }> }
  t.match(report, { lines: 300, errors: countBadLines(options), failure: null })
  t.same(report?.issues.filter(({ severity }) => severity === 'error').map(({ line }) => line), [50, 100, 150, 200, 250, 300])
})

t.test('only the first issues are told, all are counted', async (t) => {
  const file = join(testFolder(t, { 'a.jsonl': '{oops\n'.repeat(1_500) }), 'a.jsonl')
  const { stdout } = await runCatalog(['validate', file])
  t.equal(stdout.split('\n').length, 100 + 3 + 1)
  t.match(stdout, /and 1,400 more issues/)
  const { files: [report] } = jsonOf(await runCatalog(['validate', file, '--json'])) as { files: Array<{ errors: number, issues: unknown[] }> }
  t.same([report?.errors, report?.issues.length], [1_500, 1_000])
})

t.test('an unreadable file fails, the others are checked all the same', async (t) => {
  const folder = testFolder(t, { 'a.jsonl': `${good}\n` })
  await writeSampleFile(join(folder, 'cut.jsonl.gz'), sampleCatalog({ products: 100, seed: 1 }))
  truncateSync(join(folder, 'cut.jsonl.gz'), 2_000)
  const run = await runCatalog(['validate', ...['missing.jsonl', 'cut.jsonl.gz', 'a.jsonl'].map((name) => join(folder, name)), '--json'])
  const { files } = jsonOf(run) as { files: Array<{ failure: string | null, errors: number }> }
  t.equal(run.exitCode, 1)
  t.same(files.map(({ failure }) => failure === null), [false, false, true])
  t.match(run.stderr, /^error: [^\n]*missing.jsonl[^\n]*\nerror: [^\n]*cut.jsonl.gz is truncated[^\n]*\n$/)
})

t.test('a hostile external id cannot steer the terminal', async (t) => {
  const file = join(testFolder(t, { 'a.jsonl': '{"externalId":"\\u001b[2Jx","name":1}\n' }), 'a.jsonl')
  t.notOk((await runCatalog(['validate', file])).stdout.includes('\u001B'))
})
