import t from 'tap'
import { createImportSpans, maxBulkSpans } from '../../../src/jobs/import-spans.js'
import { recordingTracer, type RecordedSpan } from '../../support/recorded-spans.js'

const named = (spans: RecordedSpan[], name: string): RecordedSpan[] => spans.filter((span) => span.name === name)

t.test('of a million lines the first bulks have a span each, and so has the last of each file', async (t) => {
  const { root, spans } = recordingTracer()
  const { file, inTurn } = createImportSpans(root)
  for (const [index, bulks] of [2_000, 3].entries()) {
    await file(index, async () => { for (let bulk = 0; bulk < bulks; bulk++) await inTurn(async () => {}, { inserts: bulk, updates: 1 }) }, () => ({ 'catalog.file.lines': bulks * 500 }))
  }
  const written = named(spans, 'write products').map(({ attributes }) => attributes['catalog.bulk.inserts'])
  t.strictSame(written, [...Array.from({ length: maxBulkSpans }, (_, bulk) => bulk), 1_999, 2])
  t.match(named(spans, 'import file'), [
    { attributes: { 'catalog.file.index': 0, 'catalog.file.lines': 1_000_000, 'catalog.bulks.count': 2_000, 'catalog.bulks.documents': 1_999 * 1_000 + 2_000, 'catalog.bulks.failed': 0 }, endMs: Number },
    { attributes: { 'catalog.file.index': 1, 'catalog.bulks.count': 3, 'catalog.bulks.documents': 6 }, endMs: Number }
  ])
})

t.test('a last bulk that was told of is not told again', async (t) => {
  const { root, spans } = recordingTracer()
  const { file, inTurn } = createImportSpans(root)
  await file(0, async () => { await inTurn(async () => {}, { inserts: 1, updates: 0 }) }, () => ({}))
  t.equal(named(spans, 'write products').length, 1)
})

t.test('what a bulk has waited for its turn is no time of its own', async (t) => {
  const { root, spans } = recordingTracer()
  const { file, inTurn } = createImportSpans(root, async (write) => {
    const from = performance.now()
    while (performance.now() - from < 20) await new Promise((resolve) => { setImmediate(resolve) })
    return await write()
  })
  await file(0, async () => { await inTurn(async () => {}) }, () => ({}))
  const [bulk] = named(spans, 'write products')
  t.ok(Number(bulk?.attributes['catalog.bulk.waited_ms']) >= 20)
  t.ok(Number(bulk?.startMs) >= Number(named(spans, 'import file')[0]?.startMs) + 19)
})

t.test('a bulk that fails has failed, is counted, and rejects as it did', async (t) => {
  const { root, spans } = recordingTracer()
  const { file, inTurn } = createImportSpans(root)
  const reading = file(0, async () => { await inTurn(async () => { throw new Error('secret of the database') }) }, () => ({ 'catalog.file.lines': 1 }))
  await t.rejects(reading, { message: 'secret of the database' })
  t.match(spans, [{ name: 'root' }, { name: 'import file', failed: 'threw', attributes: { 'catalog.bulks.failed': 1, 'catalog.file.lines': 1 } }, { name: 'write products', failed: 'threw' }])
  t.notMatch(JSON.stringify(spans), 'secret')
})

t.test('what a write gives is given on', async (t) => {
  t.equal(await createImportSpans(recordingTracer().root).inTurn(async () => 7), 7)
})
