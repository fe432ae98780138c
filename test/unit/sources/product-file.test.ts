import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Batch } from '../../../src/engine/envelope.js'
import { decodeProductFile } from '../../../src/sources/product-file.js'

/** Number and value of each record: text of a line, JSON value of an element. */
async function records (name: string, bytes: Buffer): Promise<Array<[number, unknown]>> {
  const source = Readable.from([bytes.subarray(0, 3), bytes.subarray(3)], { objectMode: false })
  const decoder = await decodeProductFile(source, name, 0)
  const found: Array<[number, unknown]> = []
  const end = new PassThrough({ objectMode: true })
  end.on('data', (batch: Batch<unknown>) => { found.push(...batch.map(({ position, value }): [number, unknown] => [position.line, value])) })
  try {
    await pipeline([source, ...decoder.streams, end])
  } catch (error) {
    throw decoder.explain(error)
  }
  decoder.verify()
  return found
}

const jsonl = Buffer.from('{"a":1}\n\n{"b":2}\n')
const array = Buffer.from('\n[{"a":1},\n{"b":2}]')

for (const name of ['a.jsonl', 'a.jsonl.gz', 'a.gz', 'A.JSONL.GZ']) {
  for (const [packed, bytes] of [['gzip', gzipSync(jsonl)], ['plain', jsonl]] as const) {
    t.test(`${name} that is ${packed} holds lines`, async (t) => {
      t.strictSame(await records(name, bytes), [[1, '{"a":1}'], [3, '{"b":2}']])
    })
  }
}

for (const name of ['a.json', 'a.json.gz', 'A.JSON']) {
  for (const [packed, bytes] of [['gzip', gzipSync(array)], ['plain', array]] as const) {
    t.test(`${name} that is ${packed} holds one array, its elements numbered from 1`, async (t) => {
      t.strictSame(await records(name, bytes), [[1, { a: 1 }], [2, { b: 2 }]])
    })
  }
}

t.test('an empty file of lines has no products', async (t) => { t.strictSame(await records('a.jsonl', Buffer.alloc(0)), []) })

t.test('an empty file where an array is wanted is no array', async (t) => {
  await t.rejects(records('a.json', Buffer.alloc(0)), { kind: 'fatal', message: /^a\.json is not a JSON array/ })
})

for (const name of ['a.jsonl.gz', 'a.json.gz']) {
  t.test(`${name}: corrupt gzip is the file's fault, named`, async (t) => {
    const bytes = gzipSync(Buffer.from('[1]\n'.repeat(1_000)))
    await t.rejects(records(name, bytes.subarray(0, -5)), { kind: 'fatal', message: new RegExp(`^${name} is truncated`) })
    await t.rejects(records(name, Buffer.concat([gzipSync(name === 'a.json.gz' ? array : jsonl), Buffer.from('tail')])), { kind: 'fatal', message: new RegExp(`^${name} is corrupt`) })
  })
}

t.test('an array unpacked from gzip that is cut short says that it was cut, or that it is no array', async (t) => {
  await t.rejects(records('a.json.gz', gzipSync(array.subarray(0, -1))), { kind: 'fatal', message: /^a\.json\.gz is not a JSON array/ })
})
