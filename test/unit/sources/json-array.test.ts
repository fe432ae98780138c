import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import type { Batch } from '../../../src/engine/envelope.js'
import { jsonArray } from '../../../src/sources/json-array.js'

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

t.test('nesting costs no stack', async (t) => {
  const [envelope] = await read(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, 65_536)
  t.ok(Array.isArray(envelope?.value))
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
