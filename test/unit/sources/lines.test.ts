import { PassThrough, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import type { Envelope } from '../../../src/engine/envelope.js'
import { type Batch } from '../../../src/engine/envelope.js'
import { wordFault } from '../../../src/domain/issue.js'
import { parse } from '../../../src/stages/parse.js'
import { lines } from '../../../src/sources/lines.js'

async function linesOf (content: string | Buffer, pieceBytes = 1_000, onLine?: () => void): Promise<Array<Envelope<string>>> {
  const bytes = Buffer.from(content)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes))
  const found: Array<Envelope<string>> = []
  const end = new PassThrough({ objectMode: true })
  end.on('data', (batch: Batch<string>) => found.push(...batch))
  await pipeline([Readable.from(pieces, { objectMode: false }), ...lines(0, onLine), end])
  return found
}

const numbered = async (content: string | Buffer, pieceBytes?: number): Promise<Array<[number, string]>> =>
  (await linesOf(content, pieceBytes)).map(({ position, value }) => [position.line, value ?? ''])

for (const pieceBytes of [1, 4, 1_000]) {
  t.test(`in pieces of ${pieceBytes} bytes: BOM, CRLF, blank lines and a last line without end`, async (t) => {
    t.strictSame(await numbered('\uFEFF{"a":1}\r\n\r\n   \n{"b":2}\n\n{"c":"é😀"}', pieceBytes), [[1, '{"a":1}\r'], [4, '{"b":2}'], [6, '{"c":"é😀"}']])
  })
}

t.test('the number of a line is its physical number, counted over blank, bad and good ones', async (t) => {
  let count = 0
  const found = await linesOf('\n\nx\n\n', 3, () => { count += 1 })
  t.strictSame(found.map(({ position }) => position), [{ file: 0, line: 3 }])
  t.equal(count, 4)
})

t.test('a chunk of the shortest lines is not all records before the first batch of them is taken', async (t) => {
  let count = 0
  const taken = new Writable({
    objectMode: true,
    write (batch: Batch<string>, _encoding, done) {
      if (batch[0]?.position.line === 1) t.ok(count < 20_000, `${count} lines`)
      done()
    }
  })
  await pipeline([Readable.from([Buffer.from('x\n'.repeat(65_536))], { objectMode: false }), ...lines(0, () => { count += 1 }), taken])
  t.equal(count, 65_536)
})

t.test('where a batch is not taken, one more waits, and no others are read', async (t) => {
  let count = 0
  const [pieces, perBatch] = [1_000, 10]
  const streams = [Readable.from(Array.from({ length: pieces }, () => Buffer.from('x\n')), { objectMode: false }), ...lines(0, () => { count += 1 }, { maxRecords: perBatch, maxCharacters: 1_000 })]
  const taking = new Writable({ objectMode: true, highWaterMark: 1, write () {} })
  const over = pipeline([...streams, taking])
  // All that is there to be read is read by then.
  for (let round = 0; round < 2 * pieces; round++) await new Promise(setImmediate)
  t.ok(count >= perBatch && count <= 2 * perBatch, `${count} lines`)
  taking.destroy()
  await t.rejects(over)
})

t.test('only a line feed ends a line', async (t) => {
  t.strictSame(await numbered('"a\u2028b\u2029c\u0085d\u000Be\rf"\n2'), [[1, '"a\u2028b\u2029c\u0085d\u000Be\rf"'], [2, '2']])
})

t.test('each line is decoded by itself, whatever its characters and however long it is', async (t) => {
  for (const character of ['a', 'é', '€', '😀']) {
    for (const count of [1, 16_384, 65_535, 65_536, 65_537, 100_000]) {
      const line = character.repeat(count)
      const found = await numbered(`${line}\nplain\n${line}`, 50_000)
      t.ok(found.length === 3 && found[0]?.[1] === line && found[1]?.[1] === 'plain' && found[2]?.[1] === line, `${count} × ${character}`)
    }
  }
})

t.test('an empty file has no lines', async (t) => { t.strictSame(await numbered(''), []) })

const faultsOf = async (content: Buffer | string): Promise<Array<[number, string[]]>> =>
  parse(await linesOf(content)).map(({ position, faults }) => [position.line, faults.map(wordFault)])

t.test('invalid UTF-8 is an error of its line alone', async (t) => {
  const bad = Buffer.concat([Buffer.from('{"externalId":"'), Buffer.from([0xC3, 0x28]), Buffer.from('"}')])
  t.strictSame(await faultsOf(Buffer.concat([Buffer.from('{}\n'), bad, Buffer.from('\n{}\n')])), [[1, []], [2, ['Invalid UTF-8']], [3, []]])
})

t.test('UTF-16 is an error of each line, not of the file', async (t) => {
  const faults = await faultsOf(Buffer.from('\uFEFF{"externalId":"P"}\n', 'utf16le'))
  t.ok(faults.length > 0 && faults.every(([, messages]) => messages.length === 1))
})

for (const control of ['\u0018', '\u001A']) {
  t.test(`a line that is the control character ${JSON.stringify(control)} is malformed JSON`, async (t) => {
    t.strictSame(await faultsOf(`{}\n${control}\n`), [[1, []], [2, ['Malformed JSON']]])
  })
}
