import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import t from 'tap'
import { markLine, maxLineBytes } from '../../../src/domain/line-markers.js'
import { guardLines } from '../../../src/sources/line-guard.js'

/** The lines behind the guard of a source that comes in pieces of `pieceBytes`. */
async function guarded (bytes: Buffer, limit: number, pieceBytes = bytes.length): Promise<string[]> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes))
  const byteText = await textOf(Readable.from(pieces, { objectMode: false }).pipe(guardLines(limit)))
  const text = Buffer.from(byteText, 'latin1').toString()
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

const tooLongMarker = markLine('line-too-long', null)
const invalidUtf8Marker = markLine('invalid-utf8', null)
const limit = 10
const invalid = Buffer.from([0x61, 0xFF, 0x62])

for (const pieceBytes of [1, 2, 3, 7, 11, 1_000]) {
  t.test(`in pieces of ${pieceBytes} bytes`, async (t) => {
    const lines = async (content: string | Buffer): Promise<string[]> => await guarded(Buffer.from(content), limit, pieceBytes)
    t.test('lines pass as they are, the last one also without its end', async (t) => {
      t.strictSame(await lines('ab\n\ncd\r\n e'), ['ab', '', 'cd\r', ' e'])
      t.strictSame(await lines('ab\n'), ['ab'])
      t.strictSame(await lines(''), [])
    })
    t.test('a line exactly at the limit passes, first, in between and last', async (t) => {
      const full = 'x'.repeat(limit)
      t.strictSame(await lines(`${full}\na\n${full}\n${full}`), [full, 'a', full, full])
    })
    t.test('a line one byte over the limit is marked, and its neighbours stay', async (t) => {
      const over = 'x'.repeat(limit + 1)
      t.strictSame(await lines(`${over}\na\n${over}\nb\n${over}`), [tooLongMarker, 'a', tooLongMarker, 'b', tooLongMarker])
    })
    t.test('a line many times the limit is one line', async (t) => {
      t.strictSame(await lines(`a\n${'x'.repeat(500)}\nb\n`), ['a', tooLongMarker, 'b'])
    })
    t.test('bytes are counted, not characters', async (t) => {
      t.strictSame(await lines(`${'é'.repeat(5)}\n${'é'.repeat(5)}x\n`), ['é'.repeat(5), tooLongMarker])
    })
    t.test('characters of several bytes are put together again', async (t) => {
      t.strictSame(await lines('é€😀\n😀\n'), ['é€😀', '😀'])
    })
    t.test('invalid UTF-8 marks its own line alone', async (t) => {
      t.strictSame(await lines(Buffer.concat([Buffer.from('é\n'), invalid, Buffer.from('\n€\n'), invalid])), ['é', invalidUtf8Marker, '€', invalidUtf8Marker])
    })
    t.test('a character cut off by the line\'s end is invalid, and does not eat the next line', async (t) => {
      t.strictSame(await lines(Buffer.concat([Buffer.from([0xE2, 0x82]), Buffer.from('\nok\n')])), [invalidUtf8Marker, 'ok'])
    })
    t.test('surrogates in UTF-8 and overlong forms are invalid', async (t) => {
      t.strictSame(await lines(Buffer.from([0xED, 0xA0, 0x80, 0x0A, 0xC0, 0x80, 0x0A, 0x61])), [invalidUtf8Marker, invalidUtf8Marker, 'a'])
    })
    t.test('a line too long is told as such, also when its bytes are no UTF-8', async (t) => {
      t.strictSame(await lines(Buffer.concat([Buffer.alloc(20, 0xFF), Buffer.from('\na')])), [tooLongMarker, 'a'])
    })
  })
}

t.test('the bound of a product line is 16 MiB: exactly that passes, one byte more does not', async (t) => {
  t.equal(maxLineBytes, 16_777_216)
  for (const pieceBytes of [64 * 1024, 5_000_001]) {
    const [full, over, last] = await guarded(Buffer.concat([Buffer.alloc(maxLineBytes, 'x'), Buffer.from('\n'), Buffer.alloc(maxLineBytes + 1, 'x'), Buffer.from('\nok')]), maxLineBytes, pieceBytes)
    t.equal(full?.length, maxLineBytes)
    t.strictSame([over, last], [tooLongMarker, 'ok'])
  }
})

t.test('nothing of a line beyond the bound is held', async (t) => {
  const guard = guardLines(1_024)
  const piece = Buffer.alloc(64 * 1024, 'x')
  let read = 0
  const source = Readable.from((function * () { for (; read < 4_000; read++) yield piece })(), { objectMode: false })
  const before = process.memoryUsage().rss
  const out = await textOf(source.pipe(guard))
  t.equal(out, `${tooLongMarker}\n`)
  t.ok(process.memoryUsage().rss - before < 128 * 1024 * 1024, '250 MiB of one line')
})

t.test('of a line that is not handed on its external id is, as far as it can be told', async (t) => {
  const long = `{"externalId":"P1","description":"${'x'.repeat(100)}`
  for (const pieceBytes of [1, 7, 1_000]) {
    t.strictSame(await guarded(Buffer.from(`${long}\na`), 50, pieceBytes), [markLine('line-too-long', 'P1'), 'a'])
    const bad = Buffer.concat([Buffer.from('{"name":"Caf'), Buffer.of(0xE9), Buffer.from('","externalId":"P2"}\na')])
    t.strictSame(await guarded(bad, 50, pieceBytes), [markLine('invalid-utf8', 'P2'), 'a'])
  }
})

t.test('others have their turn again and again while a line without end is thrown away', async (t) => {
  let turns = 0
  let timer = setTimeout(function next () {
    turns += 1
    timer = setTimeout(next, 0)
  }, 0)
  t.teardown(() => { clearTimeout(timer) })
  await guarded(Buffer.alloc(5 * 1024 * 1024, 'x'), limit, 64 * 1024)
  t.ok(turns >= 4, `${turns} turns`)
})
