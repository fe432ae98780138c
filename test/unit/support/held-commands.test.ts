import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { besides, scatters, sorts, walks } from '../../support/allowed-looks.js'
import { lookOf, type Look } from '../../support/command-looks.js'
import { expectedIndexes, faultsOf, unneeded } from '../../support/held-commands.js'
import { recordedLooks, recordingInto, wordFaults } from '../../support/recorded-looks.js'
import { testFolder } from '../../support/test-folder.js'

const indexes = await expectedIndexes()
const find = (collection: string, filter: object, sort: object = {}): Look => lookOf({ find: collection, filter, sort })[0] as Look
const faults = (...given: Parameters<typeof find>): string[] => faultsOf(find(...given), indexes)

t.test('a shape that an index serves is no fault, one that none serves is', async (t) => {
  t.strictSame(faults('import_jobs', { vendorId: 'a' }, { createdAt: -1, _id: -1 }), [])
  t.strictSame(faults('import_jobs', { leftAt: 1 }), ['no index'])
  t.strictSame(faults('import_jobs', {}), ['no index'])
})

t.test('a shape that is in a list is no fault, whatever its values', async (t) => {
  t.strictSame(faults('schema_versions', {}), [])
  t.strictSame(faults('size_chart_pdfs.files', {}, { _id: 1 }), [])
})

t.test('a collection whose indexes nobody knows is a fault, and those of GridFS are known', async (t) => {
  t.strictSame(faults('scratch', { _id: 'a' }), ['the indexes of this collection are not known'])
  t.strictSame(faults('size_chart_pdfs.chunks', { files_id: 'a' }), [])
  t.strictSame(faults('size_chart_pdfs.chunks', { n: 1 }), ['no index', 'every shard'])
})

t.test('an order that no index has behind what is given is a fault', async (t) => {
  t.match(faults('import_jobs', { vendorId: 'a' }, { startedAt: 1 }), [/^no index has its order/])
  t.strictSame(faults('search_vocabularies', { dueAt: { $lte: 1 } }, { dueAt: 1 }), [])
  t.strictSame(faults('import_jobs', { _id: 'a' }, { startedAt: 1 }), [], 'one document')
})

t.test('a condition that the index does not know is a fault, beside a range and without one', async (t) => {
  t.strictSame(faults('import_jobs', { vendorId: 'a', mode: 'UPDATE' }), ['mode in no index that serves the rest'])
  t.strictSame(faults('fitment_targets', { vendorId: 'a', order: { $gt: 1 }, name: 'x' }), ['name beside a range of an index'])
  t.strictSame(faults('import_jobs', { vendorId: 'a', status: 'running' }), [], 'another index knows it')
  t.strictSame(faults('import_jobs', { _id: 'a', mode: 'UPDATE' }), [], 'one document')
})

t.test('what is one of a sharded collection and has nowhere to go is a fault, in a list or not', async (t) => {
  const [look] = lookOf({ update: 'products', updates: [{ q: { vendorId: 'a', archived: false, targeted: true }, u: {} }] })
  t.strictSame(faultsOf(look as Look, indexes), ['nowhere to go'])
})

t.test('entries that no shape needs are told', async (t) => {
  const all = [walks, sorts, besides, scatters].reduce((count, list) => count + Object.keys(list).length, 0)
  t.equal(unneeded([], indexes).length, all)
  const left = unneeded([find('schema_versions', {}), find('workers', { _id: 'a' })], indexes)
  t.equal(left.length, all - 1)
  t.notOk(left.includes('walks: schema_versions find'))
  t.ok(left.includes('walks: vendors find'))
})

t.test('a shape without an index is told with the test files that it came from', async (t) => {
  const folder = testFolder(t)
  const ofFile = recordingInto(folder)
  const line = JSON.stringify(find('import_jobs', { leftAt: 1 }))
  for (const [file, text] of [['import-order', line], ['api-keys', line], ['migrate', JSON.stringify(find('users', { _id: 'a' }))]] as const) {
    const { env, flags } = ofFile(`dist/test/system/${file}.test.js`)
    t.match(flags, [/^--import=.*record-commands\.js$/])
    await writeFile(join(env['TEST_COMMANDS_FOLDER'] ?? '', '1-0.jsonl'), `${text}\n`)
  }
  // Of a service of its own (commands-have-indexes).
  await mkdir(join(folder, 'migrate', 'own'))
  await writeFile(join(folder, 'migrate', 'own', '2-0.jsonl'), `${line}\n`)
  const recorded = await recordedLooks(folder)
  t.equal(recorded.length, 2)
  t.match(wordFaults(recorded, indexes), [/^import_jobs find leftAt: no index \(api-keys, import-order, migrate\): \{/])
})

t.test('unit tests are not recorded: what they ask for is of their own making', async (t) => {
  t.strictSame(recordingInto(testFolder(t))('dist/test/unit/store/catalog/links.test.js'), { flags: [], env: {} })
})
