import t from 'tap'
import { queryWordsOf } from '../../../../src/domain/search/query-words.js'

const keysOf = (text: string): string[] => queryWordsOf(text).map(({ key }) => key)
const headOf = (text: string): string | undefined => queryWordsOf(text).find(({ isHead }) => isHead)?.key

t.test('case, accents and the s of a plural do not count, and what is said twice counts once', async (t) => {
  t.strictSame(keysOf('GOLD Écläirs gold'), ['gold', 'eclair'])
})

t.test('words that say nothing of a product are left out, unless there are no others', async (t) => {
  t.strictSame(keysOf('I am looking for a lamp with shade'), ['lamp', 'shade'])
  t.strictSame(keysOf('mit und für'), ['mit', 'und', 'fur'])
  t.strictSame(keysOf('???'), [])
})

t.test('the thing itself is the last of the words that stand together', async (t) => {
  for (const [text, head] of [
    ['lamp', 'lamp'], ['wood lamp', 'lamp'], ['gold necklace for my wife', 'necklace'], ['lampe de chevet', 'lampe'], ['eine Halskette aus Gold', 'halskette'], ['iphone 15 case 12', 'case'], ['15 12', '12']
  ] as const) t.equal(headOf(text), head, text)
})

t.test('a text of any length is eight words at most', async (t) => {
  t.equal(keysOf(Array.from({ length: 900 }, (_, n) => `w${n}`).join(' ')).length, 8)
})
