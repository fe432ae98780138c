import t, { type Test } from 'tap'
import {
  claimConversion, finishConversion, nameKeyOf, newSizeChart, readDraft, readUpdate, returnClaim, shownBody, updateSizeChart,
  type ConversionResult, type SizeChartChange, type SizeChartOrigin, type SizeChartRecord
} from '../../../src/domain/size-chart.js'

const now = new Date('2026-01-01T00:00:00Z')
const url = 'https://shop.example.com/chart.pdf'
const pdf = { fileId: 'f1', sha256: 'aa', bytes: 3 }

const chart = (origin: SizeChartOrigin): SizeChartRecord => newSizeChart('shop', { externalId: 'C', name: 'Chart', origin }, now)
const after = (record: SizeChartRecord, change: SizeChartChange | null): SizeChartRecord => {
  if (change === null) throw new Error('nothing is to be written')
  return { ...record, ...change, revision: record.revision + 1 }
}
const claimed = (record: SizeChartRecord, token = 'me'): SizeChartRecord => after(record, claimConversion(record, token, record, now))
const converted: ConversionResult = { outcome: 'converted', body: '|S|', sha256: 'aa', converterVersion: 1, validators: null, pdf }
const refuses = (t: Test, input: object, message: string): void => {
  t.throws(() => readDraft({ externalId: 'C', name: 'N', ...input }), { code: 'BAD_USER_INPUT', message })
}

t.test('a draft has exactly one of body and sourceUrl', async (t) => {
  refuses(t, {}, 'Provide exactly one of body and sourceUrl')
  refuses(t, { body: null, sourceUrl: null }, 'Provide exactly one of body and sourceUrl')
  refuses(t, { body: 'b', sourceUrl: url }, 'Provide exactly one of body and sourceUrl')
  t.throws(() => readUpdate({ body: 'b', sourceUrl: url }), { message: 'Provide exactly one of body and sourceUrl' })
  t.strictSame(readUpdate({ body: null }), {})
})

t.test('texts are bounded, not blank, and valid Unicode', async (t) => {
  refuses(t, { body: 'b', externalId: ' ' }, 'externalId must not be blank')
  refuses(t, { body: 'b', name: 'n'.repeat(256) }, 'name must be at most 255 characters')
  refuses(t, { body: 'b'.repeat(50_001) }, 'body must be at most 50000 characters')
  refuses(t, { body: ' \n' }, 'body must not be blank')
  refuses(t, { body: 'a\ud83d' }, 'body contains a lone surrogate, which is not valid Unicode')
  t.strictSame(readDraft({ externalId: 'C', name: '𝒩'.repeat(255), body: '😀'.repeat(50_000) }).name.length, 510, 'characters are counted as people do')
  t.throws(() => readUpdate({ name: null }), { message: 'name must not be null' })
})

for (const sourceUrl of ['chart.pdf', 'ftp://example.com/a.pdf', 'file:///etc/passwd', 'javascript:alert(1)', `https://example.com/${'a'.repeat(2_048)}`, 'https://user:secret@example.com/a.pdf']) {
  t.test(`${sourceUrl.slice(0, 40)} is no sourceUrl`, async (t) => {
    t.throws(() => readDraft({ externalId: 'C', name: 'N', sourceUrl }, 'sizeCharts[3].'), { code: 'BAD_USER_INPUT', message: /^(?:Invalid URL format for )?sizeCharts\[3\]\.sourceUrl/ })
  })
}

t.test('a body is READY at once; a PDF is PENDING without a body', async (t) => {
  t.match(chart({ body: 'b' }), { status: 'READY', source: 'MARKDOWN', body: 'b', sourceUrl: null })
  t.match(chart({ sourceUrl: url }), { status: 'PENDING', source: 'PDF', body: null, sourceUrl: url })
  t.match(chart({ pdf }), { status: 'PENDING', source: 'PDF', body: null, sourceUrl: null, pdf })
})

t.test('ids are unguessable and never the same', async (t) => {
  t.not(chart({ body: 'b' })._id, chart({ body: 'b' })._id)
  t.match(chart({ body: 'b' })._id, /^[\w-]{22}$/)
})

t.test('converted becomes READY with its markdown, failed becomes FAILED with its reason', async (t) => {
  const waiting = claimed(chart({ sourceUrl: url }))
  t.match(after(waiting, finishConversion(waiting, waiting, converted, now)), { status: 'READY', body: '|S|', pdf, conversion: { claim: null } })
  const failed = after(waiting, finishConversion(waiting, waiting, { outcome: 'failed', failure: { code: 'no-text' }, pdf }, now))
  t.match(failed, { status: 'FAILED', failure: { code: 'no-text' }, pdf })
  t.equal(shownBody(failed), null)
})

t.test('a newer source wins over an older conversion', async (t) => {
  for (const newer of [{ sourceUrl: 'https://other.example.com/new.pdf' }, { sourceUrl: url }, { body: 'by hand' }, { pdf: { ...pdf, fileId: 'f2' } }] satisfies SizeChartOrigin[]) {
    const old = claimed(chart({ sourceUrl: url }))
    const current = after(old, updateSizeChart(old, { origin: newer }, now))
    t.equal(finishConversion(current, old, converted, now), null, JSON.stringify(newer))
    t.equal(returnClaim(current, old), null)
  }
})

t.test('the same source again: PENDING, the body hidden; unchanged gives it back', async (t) => {
  const waiting = claimed(chart({ sourceUrl: url }))
  const ready = after(waiting, finishConversion(waiting, waiting, converted, now))
  const again = claimed(after(ready, updateSizeChart(ready, { origin: { sourceUrl: url } }, now)))
  t.match(again, { status: 'PENDING', converted: { sha256: 'aa' } })
  t.equal(shownBody(again), null)
  const unchanged = after(again, finishConversion(again, again, { outcome: 'unchanged', validators: null, pdf }, now))
  t.equal(shownBody(unchanged), '|S|')
})

t.test('markdown in the place of a PDF drops what belonged to that', async (t) => {
  const waiting = claimed(chart({ sourceUrl: url }))
  const ready = after(waiting, finishConversion(waiting, waiting, converted, now))
  t.match(after(ready, updateSizeChart(ready, { origin: { body: 'new' } }, now)), {
    status: 'READY', source: 'MARKDOWN', body: 'new', sourceUrl: null, converted: null, validators: null, pdf: null
  })
})

t.test('another address drops the original of the one before; markdown is not what a PDF was', async (t) => {
  const waiting = claimed(chart({ sourceUrl: url }))
  const ready = after(waiting, finishConversion(waiting, waiting, converted, now))
  t.match(updateSizeChart(ready, { origin: { sourceUrl: `${url}?v=2` } }, now), { status: 'PENDING', pdf: null, validators: null })
  const markdown = chart({ body: 'b' })
  t.match(updateSizeChart(markdown, { origin: { sourceUrl: url } }, now), { status: 'PENDING', body: null })
})

t.test('the same markdown and name again is no change', async (t) => {
  t.equal(updateSizeChart(chart({ body: 'b' }), { externalId: 'C', name: 'Chart', origin: { body: 'b' } }, now), null)
})

t.test('a rename touches neither source nor conversion', async (t) => {
  t.strictSame(updateSizeChart(chart({ sourceUrl: url }), { name: ' Ｓhoes ' }, now), { name: ' Ｓhoes ', nameKey: 'shoes', updatedAt: now })
  t.equal(nameKeyOf('SHOES'), 'shoes')
})

t.test('a claim stands unless nothing has been heard of it since it was seen', async (t) => {
  const free = chart({ sourceUrl: url })
  const mine = claimed(free)
  t.equal(claimConversion(mine, 'other', free, now), null, 'free when it was seen')
  t.equal(claimConversion({ ...mine, revision: mine.revision + 1 }, 'other', mine, now), null, 'a sign of life')
  const theirs = claimed(mine, 'other')
  t.match(theirs.conversion, { attempts: 2, claim: { token: 'other' } })
  t.equal(returnClaim(theirs, mine), null)
})

t.test('a chart that was renamed since it was seen is free all the same', async (t) => {
  const seen = chart({ sourceUrl: url })
  t.match(claimConversion(after(seen, updateSizeChart(seen, { name: 'Another' }, now)), 'me', seen, now), { conversion: { attempts: 1 } })
})

t.test('a claim that is handed back counts no attempt', async (t) => {
  const mine = claimed(chart({ sourceUrl: url }))
  t.match(after(mine, returnClaim(mine, mine)).conversion, { attempts: 0, claim: null })
})

t.test('three attempts that ended by a crash are enough', async (t) => {
  let record = chart({ sourceUrl: url })
  for (let attempt = 0; attempt < 3; attempt++) record = claimed(record, `worker ${attempt}`)
  t.match(claimConversion(record, 'one more', record, now), { status: 'FAILED', failure: { code: 'given-up' } })
})

t.test('only what waits can be claimed', async (t) => {
  const markdown = chart({ body: 'b' })
  t.equal(claimConversion(markdown, 'me', markdown, now), null)
})
