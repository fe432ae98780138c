import t from 'tap'
import { describedBy, DescribedWords, describedWordsOf } from '../../../../src/domain/search/described-words.js'

const linesOf = (described: DescribedWords): string[] => described.lines(described.words().sort())

t.test('words of a description are those that are read, and tell something', async (t) => {
  t.strictSame([...describedWordsOf('<p class="strong">Made of <b>Walnut</b> &amp; oak, for the HALLS</p>')], ['made', 'walnut', 'oak', 'hall'])
  t.equal(describedWordsOf('<'.repeat(100_000)).size, 0)
})

t.test('a word in a description alone has its products, one that they are found by anyway has none', async (t) => {
  const described = new DescribedWords()
  described.add('one', 'a walnut shelf', new Set(['shelf']))
  described.add('two', 'walnut oak', new Set())
  const lines = linesOf(described)
  t.strictSame([lines.length, describedBy(lines, 'walnut'), describedBy(lines, 'oak'), describedBy(lines, 'shelf'), describedBy(lines, 'zebra'), describedBy([], 'oak')], [2, ['one', 'two'], ['two'], [], [], []])
})

t.test('of a word some products are known, and of all words what a document can hold', async (t) => {
  const described = new DescribedWords()
  for (let n = 0; n < 20_000; n++) described.add(String(n).padStart(22, '0'), Array.from({ length: 20 }, (_, word) => `walnut w${n * 20 + word}`).join(' '), new Set())
  const lines = linesOf(described)
  t.equal(describedBy(lines, 'walnut').length, 20)
  t.ok(lines.join('\n').length < 1_600_000)
})
