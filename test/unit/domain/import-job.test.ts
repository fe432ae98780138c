import t from 'tap'
import { checkImportRequest, isJsonArrayFile, type ImportRequest } from '../../../src/domain/import-job.js'

const request = (fields: Partial<ImportRequest>): ImportRequest => ({ files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null, ...fields })

for (const name of ['a.jsonl', 'a.jsonl.gz', 'a.gz', 'a.json', 'a.json.gz', 'A.JSONL', 'A.Json.GZ', 'products full.jsonl', 'a..b.jsonl', 'ü.jsonl', 'x'.repeat(249) + '.jsonl', '-rf.jsonl', '~.gz']) {
  t.test(`the file name ${name.slice(0, 20)} is accepted`, async (t) => { t.doesNotThrow(() => { checkImportRequest(request({ files: [name] })) }) })
}

for (const name of [
  '', '.', '..', '.a.jsonl', '.jsonl', '../a.jsonl', 'a/b.jsonl', '/a.jsonl', 'a\\b.jsonl', '..\\a.jsonl', 'a\0.jsonl', 'a.jsonl\0', 'a.txt', 'a', 'a.jsonl.zip', 'a.jsonl ', 'a.jsonl\n',
  'jsonl', 'x'.repeat(250) + '.jsonl', '\uD800.jsonl'
]) {
  t.test(`the file name ${JSON.stringify(name.slice(0, 20))} is refused, and which one it was`, async (t) => {
    t.throws(() => { checkImportRequest(request({ files: ['a.jsonl', name] }), 'input.') }, { code: 'BAD_USER_INPUT', field: 'input.files[1]' })
  })
}

t.test('1 to 100 files', async (t) => {
  const files = (length: number): string[] => Array.from({ length }, (_, index) => `${index}.jsonl`)
  t.throws(() => { checkImportRequest(request({ files: [] })) }, { code: 'BAD_USER_INPUT', field: 'files' })
  t.doesNotThrow(() => { checkImportRequest(request({ files: files(100) })) })
  t.throws(() => { checkImportRequest(request({ files: files(101) })) }, { code: 'BAD_USER_INPUT', field: 'files' })
})

t.test('maxArchivePercent is from 0 to 100', async (t) => {
  for (const maxArchivePercent of [0, 0.5, 100, null]) t.doesNotThrow(() => { checkImportRequest(request({ maxArchivePercent })) }, String(maxArchivePercent))
  for (const maxArchivePercent of [-0.1, 100.1, NaN, Infinity]) {
    t.throws(() => { checkImportRequest(request({ maxArchivePercent })) }, { code: 'BAD_USER_INPUT', field: 'maxArchivePercent' }, String(maxArchivePercent))
  }
})

t.test('only .json and .json.gz hold an array', async (t) => {
  t.strictSame(['a.json', 'A.JSON', 'a.json.gz', 'a.jsonl', 'a.jsonl.gz', 'a.gz', 'a.json.jsonl'].map(isJsonArrayFile), [true, true, true, false, false, false, false])
})
