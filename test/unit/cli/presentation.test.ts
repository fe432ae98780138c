import { PassThrough } from 'node:stream'
import t from 'tap'
import { describeImport } from '../../../src/cli/describe-import.js'
import { expectImport } from '../../../src/cli/demo-checks.js'
import type { RemoteImport } from '../../../src/cli/import-api.js'
import { createOutput, type Terminal } from '../../../src/cli/output.js'
import { createProgress } from '../../../src/cli/progress.js'
import { createScreen } from '../../../src/cli/screen.js'
import { alignNumbers, wordBytes, wordCount, wordDuration } from '../../../src/cli/wording.js'

function stream (isTTY = false): Terminal & { text: () => string } {
  const through = new PassThrough()
  const pieces: string[] = []
  through.on('data', (piece: Buffer) => { pieces.push(String(piece)) })
  return Object.assign(through, { isTTY, columns: 80, text: () => pieces.join('') })
}

const lineErrors = (count: number) => Array.from({ length: count }, (_, index) => ({ line: index + 1, externalId: index === 0 ? null : `P${index}`, message: 'Malformed JSON' }))
const job = (more: Partial<RemoteImport>): RemoteImport => ({
  jobId: 'the-job',
  status: 'completed',
  mode: 'REPLACE',
  stats: { productsProcessed: 20, productsCreated: 8, productsUpdated: 0, productsArchived: 1, productsSkipped: 12, errors: 12 },
  errorDetails: [],
  completedAt: null,
  ...more
})

t.test('numbers are worded for people', async (t) => {
  t.same([0, 999, 1_500, 4_800_000, 2_000_000_000].map(wordBytes), ['0 B', '999 B', '1.5 kB', '4.8 MB', '2.0 GB'])
  t.same([400, 61_000, 125_000].map(wordDuration), ['0.4 s', '1 min 01 s', '2 min 05 s'])
  t.same([wordCount(1, 'line'), wordCount(20_000, 'line'), wordCount(0, 'line')], ['1 line', '20,000 lines', '0 lines'])
  t.same(alignNumbers([['a', 1], ['longer', 1_000]]), ['  a           1', '  longer  1,000'])
})

t.test('foreign text cannot steer the terminal', async (t) => {
  const stdout = stream()
  createOutput(stdout, stream()).print('id\u001B[2J\u001B]0;title\u0007\r\u202Eevil\u009B1m')
  t.equal(stdout.text(), 'id\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{d}\\u{202e}evil\\u{9b}1m\n')
})

t.test('an error is one line on stderr', async (t) => {
  const [stdout, stderr] = [stream(), stream()]
  createOutput(stdout, stderr).error('first\n    at second\n')
  t.equal(stderr.text(), 'error: first at second\n')
  t.equal(stdout.text(), '')
})

t.test('an import is told with its first ten errors and where all of them are', async (t) => {
  const lines = describeImport(job({ errorDetails: lineErrors(12) }), 'http://host/')
  t.equal(lines[0], 'Import the-job (REPLACE) completed')
  t.ok(lines.includes('  line 1: Malformed JSON') && lines.includes('  line 10, P9: Malformed JSON'))
  t.notOk(lines.some((line) => line.includes('line 11')))
  t.equal(lines.at(-1), 'All of them, with the same key: GET http://host/api/v1/products/import/the-job/errors')
})

t.test('a failed import is told with its reason, apart from its lines', async (t) => {
  const lines = describeImport(job({ status: 'failed', stats: null, errorDetails: [{ line: null, externalId: null, message: 'a.jsonl is missing' }] }), 'http://host')
  t.same(lines, ['Import the-job (REPLACE) failed', 'Reason: a.jsonl is missing'])
})

t.test('without a terminal progress is a line now and then, without escapes', async (t) => {
  const out = stream()
  const progress = createProgress({ stream: out, label: 'upload', lineEveryMs: 0 })
  progress.update(null, 'queued')
  progress.update(0.456, '4 of 9 MB')
  progress.end()
  t.equal(out.text(), '  upload        queued\n  upload  45 %  4 of 9 MB\n')
  const sparse = stream()
  const slow = createProgress({ stream: sparse, label: 'upload', lineEveryMs: 60_000 })
  for (let done = 0; done < 100; done += 1) slow.update(done / 100, '')
  t.equal(sparse.text(), '')
})

t.test('on a terminal progress is a bar that is gone in the end', async (t) => {
  const out = stream(true)
  // What cli-progress asks of a terminal.
  Object.assign(out, { cursorTo: () => true, moveCursor: () => true, clearLine: () => true, clearScreenDown: () => true })
  const progress = createProgress({ stream: out, label: 'upload', lineEveryMs: 0 })
  progress.update(0.5, 'half')
  progress.end()
  t.match(out.text(), /upload/)
  t.ok(out.text().includes('\u001B[?25h'), 'the cursor is shown again')
})

t.test('the demo\'s screen is plain without a terminal, and without colours where they are not wanted', async (t) => {
  const plain = stream()
  const screen = createScreen(plain, {})
  screen.doing('passing')
  screen.done('step', 'told')
  t.equal(plain.text(), '  ✔ step                  told\n')
  const uncoloured = stream(true)
  createScreen(uncoloured, { NO_COLOR: '1' }).done('step', 'told')
  t.notOk(uncoloured.text().includes('\u001B[32m'))
  const coloured = stream(true)
  createScreen(coloured, {}).done('step', 'told')
  t.ok(coloured.text().includes('\u001B[32m✔\u001B[0m'))
})

t.test('the demo refuses any number that is off', async (t) => {
  const good = job({ errorDetails: [{ line: 5, externalId: null, message: 'x' }], stats: { productsProcessed: 9, productsCreated: 8, productsUpdated: 0, productsArchived: 0, productsSkipped: 1, errors: 1 } })
  const expected = { lines: 9, created: 8, updated: 0, badLines: [5] }
  expectImport(good, expected)
  t.throws(() => { expectImport({ ...good, status: 'failed', errorDetails: [{ line: null, externalId: null, message: 'disk full' }] }, expected) }, { message: 'The REPLACE import failed: disk full' })
  t.throws(() => { expectImport({ ...good, stats: null }, expected) }, { message: /no stats/ })
  t.throws(() => { expectImport(good, { ...expected, badLines: [6] }) }, { message: /the lines with errors should be \[6\], it is \[5\]/ })
  for (const name of ['productsProcessed', 'productsCreated', 'productsUpdated', 'productsArchived', 'productsSkipped', 'errors'] as const) {
    const stats = { productsProcessed: 9, productsCreated: 8, productsUpdated: 0, productsArchived: 0, productsSkipped: 1, errors: 1, [name]: 7 }
    t.throws(() => { expectImport({ ...good, stats }, expected) }, { message: new RegExp(name) })
  }
})
