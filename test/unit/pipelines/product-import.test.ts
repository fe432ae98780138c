/** A file through the whole pipeline, up to the sink. */
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { wordFault } from '../../../src/domain/issue.js'
import type { Batch } from '../../../src/engine/envelope.js'
import type { LinkLookup, ResolvedPatch } from '../../../src/stages/resolve-links.js'
import { importProductFile } from '../../../pipelines/product-import.js'
import { file, line, lines, product } from '../../support/product-lines.js'

const noLinks: LinkLookup = { fitmentTargetIds: async () => new Map(), sizeChartIds: async () => new Map(), stockLocations: async () => [] }

interface Taken { batches: number[], read: number, records: Array<[line: number, externalId: string | null, faults: string[]]> }

async function take (name: string, content: string | Buffer, signal = new AbortController().signal): Promise<Taken> {
  const taken: Taken = { batches: [], read: 0, records: [] }
  await importProductFile({
    source: Readable.from([Buffer.from(content)], { objectMode: false }), name, index: 0, vendorId: 'acme', mode: 'REPLACE', links: noLinks, onUnknownStoreCode: () => {}, signal,
    onLine: () => { taken.read += 1 },
    sink: {
      async write (batch: Batch<ResolvedPatch>) {
        taken.batches.push(batch.length)
        for (const { position, externalId, faults } of batch) taken.records.push([position.line, externalId, faults.map(wordFault)])
      },
      flush: async () => {}
    }
  })
  return taken
}

t.test('every line arrives once, in order, good or bad', async (t) => {
  const content = `\uFEFF${line('P1')}\r\n\r\n{"externalId":\n${JSON.stringify({ externalId: 'P2' })}\n  \n${line('P3')}`
  const { records, read } = await take('a.jsonl', content)
  t.strictSame(records, [
    [1, 'P1', []],
    [3, null, ['Malformed JSON']],
    [4, 'P2', ['Missing required field: name', 'Missing required field: brandName', 'Missing required field: externalUrl']],
    [6, 'P3', []]
  ])
  t.equal(read, 6)
})

t.test('gzip is told by its bytes, not by the file\'s name', async (t) => {
  for (const name of ['a.jsonl', 'a.jsonl.gz', 'a.gz']) t.equal((await take(name, gzipSync(file(line('P'))))).records.length, 1, name)
  t.equal((await take('a.gz', file(line('P')))).records.length, 1)
})

t.test('elements of an array go the same way as lines', async (t) => {
  const { records } = await take('a.json', JSON.stringify([product('P1'), 5, product('P2', { name: '' }), null]))
  t.strictSame(records, [
    [1, 'P1', []], [2, null, ['A product must be a JSON object']], [3, 'P2', ['name must not be blank']], [4, null, ['A product must be a JSON object']]
  ])
})

t.test('an element of an array has the faults that the same line would have', async (t) => {
  const bad = [
    { externalId: 'P', name: 5 }, product('P', { externalUrl: 'x', variants: [{ prices: [{ price: -1 }] }] }), product('P', { 'meta:k': 'x'.repeat(65_537) }), {}, [], 'P'
  ]
  const asLines = await take('a.jsonl', file(...bad.map((one) => JSON.stringify(one))))
  t.strictSame(await take('a.json', JSON.stringify(bad)), asLines)
})

t.test('a line of more than 16 MiB is one error, and the lines around it are read', async (t) => {
  const { records } = await take('a.jsonl', file(line('P1'), line('huge', { description: 'x'.repeat(16 * 1024 * 1024) }), line('P2')))
  t.strictSame(records, [[1, 'P1', []], [2, null, ['Line is longer than 16777216 bytes']], [3, 'P2', []]])
})

t.test('batches are bounded', async (t) => {
  const { batches } = await take('a.jsonl', file(...lines(1_203)))
  t.strictSame(batches, [500, 500, 203])
})

t.test('no bad line ends the file, whatever is wrong with it', async (t) => {
  const hostile = [
    '{', '[]', 'null', '5', '"x"', '{"externalId":{"$gt":""}}', '{"externalId":"P","name":{"$ne":null}}', '{"__proto__":{"externalId":"P"}}', '{"externalId":"P","variants":{"length":1e9}}',
    `{"externalId":"P","meta:x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '{"externalId":"\\ud800"}', `{"externalId":"P","tags":[${'1,'.repeat(10_000)}1]}`,
    `{${Array.from({ length: 1_000 }, (_, index) => `"meta:${index}":"${'x'.repeat(10)}"`).join()}}`, '\u0000', '}{', '{"externalId":"P"}}'
  ]
  const { records } = await take('a.jsonl', file(...hostile, line('last')))
  t.equal(records.length, hostile.length + 1)
  t.ok(records.slice(0, -1).every(([, , faults]) => faults.length > 0))
  t.strictSame(records.at(-1), [hostile.length + 1, 'last', []])
})

t.test('a file cut short is fatal, and says so', async (t) => {
  await t.rejects(take('a.jsonl.gz', gzipSync(file(...lines(100))).subarray(0, -9)), { kind: 'fatal', message: /^a\.jsonl\.gz is truncated/ })
  await t.rejects(take('a.json', '[{"externalId":"P"}'), { kind: 'fatal', message: /^a\.json is not a JSON array/ })
})

t.test('an abort ends it', async (t) => {
  await t.rejects(take('a.jsonl', file(line('P')), AbortSignal.abort()))
})
