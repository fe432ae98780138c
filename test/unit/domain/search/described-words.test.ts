import t from 'tap'
import { areAllKept, describedBy, DescribedWords, describedWordsOf } from '../../../../src/domain/search/described-words.js'

const linesOf = (described: DescribedWords): string[] => described.lines(described.words().sort())

t.test('words of a description are those that are read, and tell something', async (t) => {
  t.strictSame([...describedWordsOf('<p class="strong">Made of <b>Walnut</b> &amp; oak, for the HALLS</p>')], ['made', 'walnut', 'oak', 'hall'])
  t.equal(describedWordsOf('<'.repeat(100_000)).size, 0)
})

t.test('a word in a description alone has its products, one that they are found by anyway has none', async (t) => {
  const described = new DescribedWords()
  described.add('one', 'a walnut shelf', new Set(['shelf']), 'PUBLISHED')
  described.add('two', 'walnut oak', new Set(), 'PUBLISHED')
  const lines = linesOf(described)
  t.strictSame([lines.length, describedBy(lines, 'walnut', 'PUBLISHED'), describedBy(lines, 'oak', 'PUBLISHED'), describedBy(lines, 'shelf', 'PUBLISHED'), describedBy(lines, 'zebra', 'PUBLISHED'), describedBy([], 'oak', 'PUBLISHED')], [2, ['one', 'two'], ['two'], [], [], []])
})

t.test('of a word some products are known, and of all words what a document can hold', async (t) => {
  const described = new DescribedWords()
  for (let n = 0; n < 20_000; n++) described.add(String(n).padStart(22, '0'), Array.from({ length: 20 }, (_, word) => `walnut w${n * 20 + word}`).join(' '), new Set(), 'PUBLISHED')
  const lines = linesOf(described)
  t.equal(describedBy(lines, 'walnut', 'PUBLISHED').length, 20)
  t.ok(lines.join('\n').length < 1_600_000)
})

t.test('each visibility has products of its own', async (t) => {
  const described = new DescribedWords()
  for (let n = 0; n < 20; n++) described.add(`draft-${n}`, 'walnut', new Set(), 'DRAFT')
  described.add('shown', 'walnut', new Set(), 'PUBLISHED')
  described.add('gone', 'walnut oak', new Set(), 'ARCHIVED')
  const lines = linesOf(described)
  t.strictSame([describedBy(lines, 'walnut', 'PUBLISHED'), describedBy(lines, 'walnut', 'DRAFT').length, describedBy(lines, 'walnut', 'ARCHIVED'), describedBy(lines, 'oak', 'PUBLISHED')], [['shown'], 20, ['gone'], []])
})

t.test('of live products all may be known where archived ones were too many', async (t) => {
  const described = new DescribedWords()
  described.add('shown', 'walnut', new Set(), 'PUBLISHED')
  for (let n = 0; n < 20_000; n++) described.add(String(n).padStart(22, '0'), Array.from({ length: 20 }, (_, word) => `w${n * 20 + word}`).join(' '), new Set(), 'ARCHIVED')
  const lines = linesOf(described)
  t.strictSame([areAllKept(lines, 'PUBLISHED'), areAllKept(lines, 'DRAFT'), areAllKept(lines, 'ARCHIVED')], [true, true, false])
})
