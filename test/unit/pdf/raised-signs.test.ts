import t from 'tap'
import { readLines } from '../../../src/pdf/text-lines.js'

t.test('a page of thousands of texts that end at one place is read, and none is looked for among all', async (t) => {
  const count = 20_000
  const glyphs = Array.from({ length: count }, (_, run) =>
    ({ text: '1', left: 100 + 5 * (run % 2), right: 105 + 5 * (run % 2), baseline: 10 + run / 100, size: 5 + run % 3, run, order: run }))
  const { asWritten } = readLines(glyphs)
  const read = asWritten.flatMap(({ pieces }) => pieces.flatMap(({ words }) => words.map(({ text }) => text))).join('')
  t.equal(read.replaceAll(' ', '').length, count)
})
