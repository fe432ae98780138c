import { Readable } from 'node:stream'
import t from 'tap'
import { batchLines, collect, type BatchLimits } from '../../../src/engine/batching.js'
import { Envelope } from '../../../src/engine/envelope.js'

const limits: BatchLimits = { maxRecords: 3, maxCharacters: 10 }

function batchesOf (lines: string[], onLine?: () => void): Array<Array<[line: number, text: string]>> {
  const { add, rest } = batchLines(2, limits, onLine)
  return [...lines.map(add), rest()].flatMap((batch) => batch === undefined ? [] : [batch.map(({ position, value }): [number, string] => [position.line, value ?? ''])])
}

t.test('a batch holds at most maxRecords', async (t) => {
  t.strictSame(batchesOf(['a', 'b', 'c', 'd']), [[[1, 'a'], [2, 'b'], [3, 'c']], [[4, 'd']]])
})

t.test('a batch holds at most maxCharacters', async (t) => {
  t.strictSame(batchesOf(['aaaaa', 'bbbbb', 'c']), [[[1, 'aaaaa'], [2, 'bbbbb']], [[3, 'c']]])
})

t.test('a huge record is alone in its batch', async (t) => {
  t.strictSame(batchesOf(['a', 'b'.repeat(50), 'c'.repeat(50), 'd']), [[[1, 'a']], [[2, 'b'.repeat(50)]], [[3, 'c'.repeat(50)]], [[4, 'd']]])
})

t.test('blank lines are no products and still count as physical lines', async (t) => {
  let lines = 0
  t.strictSame(batchesOf(['', ' \t\r', 'a', '\u00A0', 'b\r', ''], () => { lines += 1 }), [[[3, 'a'], [5, 'b\r']]])
  t.equal(lines, 6)
})

t.test('nothing but blank lines is no batch', async (t) => {
  t.strictSame(batchesOf(['', '  ']), [])
})

t.test('a byte order mark is dropped at the file\'s start and nowhere else', async (t) => {
  t.strictSame(batchesOf(['\uFEFF{}', '\uFEFF{}']), [[[1, '{}'], [2, '\uFEFF{}']]])
})

t.test('a first line that is only a byte order mark is blank', async (t) => {
  t.strictSame(batchesOf(['\uFEFF', 'a']), [[[2, 'a']]])
})

t.test('an envelope knows its file', async (t) => {
  const { add, rest } = batchLines(2, limits)
  add('a')
  t.strictSame(rest()?.[0]?.position, { file: 2, line: 1 })
})

t.test('an error of the reader is an error of the stream', async (t) => {
  const stream = Readable.from([1, 2]).pipe(collect<number>(limits, (value) => {
    if (value === 2) throw new Error('no')
    return new Envelope({ file: 0, line: value }, value, 1)
  }))
  await t.rejects(stream.toArray(), new Error('no'))
})
