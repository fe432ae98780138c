import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import { wordFault } from '../../../src/domain/issue.js'
import { maxJsonValues } from '../../../src/domain/json-bounds.js'
import type { Batch, Envelope } from '../../../src/engine/envelope.js'
import { jsonArray } from '../../../src/sources/json-array.js'
import { adopt } from '../../../src/stages/parse.js'

async function read (text: string | Buffer, pieceBytes = 5): Promise<Batch<unknown>> {
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes))
  const out: Batch<unknown> = []
  const decoder = jsonArray(0, 'a.json')
  try {
    await pipeline([
      Readable.from(pieces, { objectMode: false }),
      ...decoder.streams,
      new Writable({ objectMode: true, write (batch: Batch<unknown>, _encoding, done) { out.push(...batch); done() } })
    ])
  } catch (error) {
    throw decoder.explain(error)
  }
  return out
}

t.test('elements come with their number, as JSON.parse would give them', async (t) => {
  const value = [{ a: [1, -2.5e3, { b: null }], c: 'x\n"é€😀"', '': {} }, { t: true, f: false }, 5, 'text', [], null]
  const envelopes = await read(JSON.stringify(value))
  t.same(envelopes.map((envelope) => envelope.value), value)
  t.same(envelopes.map((envelope) => envelope.position.line), [1, 2, 3, 4, 5, 6])
})

t.test('an empty array has no elements', async (t) => { t.same(await read(' [ ] '), []) })

t.test('__proto__ is a key like any other', async (t) => {
  const [envelope] = await read('[{"__proto__":{"polluted":true}}]')
  t.same(Object.keys(envelope?.value as object), ['__proto__'])
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

t.test('a byte order mark is accepted', async (t) => { t.equal((await read('\uFEFF[1]')).length, 1) })

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

for (const pieceBytes of [1, 7, 65_536]) {
  t.test(`in pieces of ${pieceBytes} bytes: an element that is too deep is an error of its own, and the next one is read`, async (t) => {
    const text = `[{"externalId":"A"},{"externalId":"B","x":${deep(5_000)},"name":"b"},{"externalId":"C","x":${deep(100)}}]`
    const found = await adopt(await read(text, pieceBytes))
    t.strictSame(found.map(({ externalId, faults }) => [externalId, faults.map(wordFault)]), [
      ['A', []], ['B', ['x is nested deeper than 100 levels']], ['C', []]
    ])
  })
}

t.test('an element that is nothing but nesting is too deep', async (t) => {
  t.match(await read(`[${deep(100_000)},{}]`, 65_536), [{ faults: [{ code: 'too-deep', path: '' }] }, { faults: [] }])
})

t.test('brackets that never close end the file with a reason that names the bound, and are not kept', async (t) => {
  const before = process.memoryUsage().heapUsed
  await t.rejects(read('['.repeat(20_000_000), 65_536), {
    kind: 'fatal', message: 'a.json is not a JSON array of products: element 1, which is nested deeper than 100 levels, cannot be read'
  })
  // 8 bytes each would be 160 MB.
  t.ok(process.memoryUsage().heapUsed - before < 80_000_000)
})

t.test('an element of more than 250,000 values is rejected and the next one is read', async (t) => {
  const list = (values: number): string => `[${'0,'.repeat(values - 2)}0]`
  t.match(await read(`[${list(maxJsonValues)},${list(maxJsonValues + 1)},{"a":1}]`, 65_536), [
    { faults: [] }, { value: null, faults: [{ code: 'too-many-values', detail: maxJsonValues }] }, { value: { a: 1 }, faults: [] }
  ])
})

t.test('of an element that passes a bound no key is kept', async (t) => {
  const [{ value }, next] = await read(`[{${'"k":0,'.repeat(400_000)}"k":0},{"k":1}]`, 65_536) as [Envelope<unknown>, Envelope<unknown>]
  t.equal(value, null)
  t.same(next.value, { k: 1 })
})

t.test('an element over 16 MiB is rejected and the next one is read', async (t) => {
  const [long, next] = await read(`["${'x'.repeat(17 * 1024 * 1024)}",{"a":1}]`, 65_536)
  t.match(long, { value: null, faults: [{ code: 'line-too-long' }] })
  t.same(next?.value, { a: 1 })
})

for (const [what, text] of Object.entries({
  'an object': '{"a":1}', nothing: '', 'an array that does not end': '[{"a":1}', 'malformed JSON': '[{"a":}]', 'a second array': '[1][2]'
})) {
  t.test(`${what} is refused with a reason that names the file`, async (t) => {
    await t.rejects(read(text), { kind: 'fatal', message: /^a\.json is not a JSON array of products/ })
  })
}

t.test('invalid UTF-8 is refused', async (t) => {
  await t.rejects(read(Buffer.from([0x5B, 0x22, 0xFF, 0x22, 0x5D])), { kind: 'fatal', message: 'a.json is not valid UTF-8' })
})

t.test('a character cut off at the end is refused', async (t) => {
  await t.rejects(read(Buffer.concat([Buffer.from('[1] '), Buffer.from([0xE2, 0x82])])), { message: /a\.json/ })
})

t.test('of an element that passes a bound it is told whose it is, where that comes before', async (t) => {
  const values = JSON.stringify(Array.from({ length: maxJsonValues }, () => 0))
  const [before, after] = await read(`[{"externalId":"P1","tags":${values}},{"tags":${values},"externalId":"P2"}]`, 64 * 1024)
  t.strictSame([before?.externalId, before?.salvagedId], [null, 'P1'])
  t.strictSame([after?.externalId, after?.salvagedId], [null, null])
})
