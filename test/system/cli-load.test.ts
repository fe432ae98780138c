/** `catalog load` as a person runs it, against a real database. */
import { gzipSync } from 'node:zlib'
import { join } from 'node:path'
import t from 'tap'
import { testDatabase } from '../support/database.js'
import { jsonOf, runCatalog, type Run } from '../unit/cli/support/run-catalog.js'
import { testFolder } from '../support/test-folder.js'

t.test('the command line loads analytics records', async (t) => {
  const { url, repositories } = await testDatabase(t)
  await repositories.vendors.create('acme', 'Acme')
  const folder = testFolder(t, {
    'experts.jsonl.gz': gzipSync('{"id":"e1"}\n{"id":"e2"}\n'),
    'bad.json': '[{"id":"e3"},{"id":7},{"id":"e4","firstName":"\\u001b[31mred"}]'
  })
  const load = async (...args: string[]): Promise<Run> => await runCatalog(['load', ...args], { env: { MONGODB_URL: url } })

  t.test('a good file, and the same again', async (t) => {
    const run = await load('experts', join(folder, 'experts.jsonl.gz'), '--vendor', 'acme', '--json')
    t.strictSame([run.exitCode, run.stderr, jsonOf(run)], [0, '', { read: 2, written: 2, unchanged: 0, errors: 0 }])
    t.match((await load('experts', join(folder, 'experts.jsonl.gz'), '--vendor', 'acme')).stdout, /2 records read, 2 written \(2 unchanged\), 0 errors/)
  })

  t.test('bad records are told by their place, and the exit code says so', async (t) => {
    const run = await load('experts', join(folder, 'bad.json'), '--vendor', 'acme', '--json')
    t.strictSame([run.exitCode, jsonOf(run)], [1, { read: 3, written: 2, unchanged: 0, errors: 1 }])
    t.match(run.stderr, /bad\.json:2: id must be a string\n/)
  })

  t.test('what cannot be done is said in one line', async (t) => {
    t.match(await load('experts', join(folder, 'none.jsonl'), '--vendor', 'acme'), { exitCode: 1, stderr: /^error: .*no such file\n$/ })
    t.match(await load('experts', join(folder, 'bad.json'), '--vendor', 'nobody'), { exitCode: 1, stderr: /There is no vendor "nobody"/ })
    t.equal((await load('invoices', join(folder, 'bad.json'), '--vendor', 'acme')).exitCode, 2)
    t.equal((await load('experts', join(folder, 'bad.json'))).exitCode, 2)
  })
})
