import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { gunzipIfGzip } from '../../../src/sources/gunzip.js'

/** The text of a file, read in pieces of `pieceBytes`. */
async function read (file: Buffer, pieceBytes: number): Promise<string> {
  const pieces: Buffer[] = []
  for (let at = 0; at < file.length; at += pieceBytes) pieces.push(file.subarray(at, at + pieceBytes))
  const source = Readable.from(pieces, { objectMode: false })
  const decoder = await gunzipIfGzip(source, 'a.gz')
  const out: Buffer[] = []
  try {
    await pipeline([source, ...decoder.streams, collectInto(out)])
  } catch (error) {
    throw decoder.explain(error)
  }
  decoder.verify()
  return Buffer.concat(out).toString()
}

const collectInto = (out: Buffer[]): Writable => new Writable({
  write (chunk: Buffer, _encoding, done) {
    out.push(chunk)
    done()
  }
})

const hello = gzipSync('hello\n')
const world = gzipSync('world\n')

for (const pieceBytes of [1, 7, 1024]) {
  t.test(`in pieces of ${pieceBytes} bytes`, async (t) => {
    const read1 = async (file: Buffer): Promise<string> => await read(file, pieceBytes)
    t.test('gzip is unpacked', async (t) => { t.equal(await read1(hello), 'hello\n') })
    t.test('what is not gzip passes through', async (t) => { t.equal(await read1(Buffer.from('{"a":1}\n')), '{"a":1}\n') })
    t.test('one byte passes through', async (t) => { t.equal(await read1(Buffer.from('x')), 'x') })
    t.test('an empty file is empty', async (t) => { t.equal(await read1(Buffer.alloc(0)), '') })
    t.test('several members are one file', async (t) => { t.equal(await read1(Buffer.concat([hello, world])), 'hello\nworld\n') })
    for (const cut of [4, 12, hello.length - 4, hello.length - 1]) {
      t.test(`gzip cut after ${cut} bytes is told as truncated`, async (t) => {
        await t.rejects(read1(hello.subarray(0, cut)), { kind: 'fatal', message: 'a.gz is truncated: its gzip data ends too early' })
      })
    }
    t.test('a cut second member is told as truncated', async (t) => {
      await t.rejects(read1(Buffer.concat([hello, world.subarray(0, 5)])), { kind: 'fatal', message: /truncated/ })
    })
    for (const [what, tail] of Object.entries({ garbage: 'garbage', zeros: '\0'.repeat(64), 'zeros and garbage': '\0\0x' })) {
      t.test(`${what} behind the gzip data is told, not ignored`, async (t) => {
        await t.rejects(read1(Buffer.concat([hello, Buffer.from(tail)])), { kind: 'fatal', message: /^a\.gz is corrupt/ })
      })
    }
    t.test('a member hidden behind zeros is never silently lost', async (t) => {
      await t.rejects(read1(Buffer.concat([hello, Buffer.alloc(8), world])), { kind: 'fatal', message: /^a\.gz is corrupt/ })
    })
    t.test('a flipped byte is told as corrupt', async (t) => {
      const flipped = Buffer.from(hello)
      flipped[flipped.length - 6]! ^= 0xFF
      await t.rejects(read1(flipped), { kind: 'fatal', message: /^a\.gz is corrupt/ })
    })
  })
}

t.test('an error of the source arrives', async (t) => {
  const source = new Readable({ read () { this.destroy(new Error('gone')) } })
  await t.rejects(gunzipIfGzip(source, 'a.gz'), new Error('gone'))
})
