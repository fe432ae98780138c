import t from 'tap'
import { Vocabulary } from '../../../../src/domain/search/vocabulary.js'
import { WordCounts } from '../../../../src/domain/search/word-counts.js'
import { vocabularyOf } from './vocabulary-of.js'

t.test('words are in order, with the products that have them', async (t) => {
  const { words, counts, products } = (() => {
    const all = new WordCounts()
    all.add('a', ['ring', 'gold'])
    all.add('b', ['ring'])
    return all.content(all.words().sort())
  })()
  t.strictSame([words, counts, products], [['gold', 'ring'], [1, 2], 2])
})

t.test('of more words than are kept, the rarest go, however many there are', async (t) => {
  const counts = new WordCounts(100)
  for (let n = 0; n < 20_000; n++) counts.add(`P${n}`, ['ring', n % 2 === 0 ? 'gold' : 'silver', `w${n}`, `v${n}`])
  const words = counts.words()
  t.ok(words.length <= 100, String(words.length))
  t.ok(['gold', 'ring', 'silver'].every((word) => words.includes(word)))
})

t.test('what fewer products have goes first, when it came last too', async (t) => {
  const counts = new WordCounts(10)
  for (const n of [1, 2]) counts.add(`A${n}`, Array.from({ length: 12 }, (_, w) => `twice${w}`))
  counts.add('B', ['once'])
  t.strictSame(counts.words().filter((word) => word === 'once'), [])
  t.equal(counts.words().length, 10)
})

t.test('of a common word it is known up to which product so many have it', async (t) => {
  const vocabulary = vocabularyOf(...Array.from({ length: 1_000 }, (_, n) => n % 2 === 0 ? 'ring' : 'chain'), 'rare')
  t.strictSame(vocabulary.reachesOf('ring'), [56, 112, 168, 224, 280, 336, 392, 448].map((products) => ({ products, externalId: `P${String(products * 2 - 2).padStart(6, '0')}` })))
  t.strictSame(vocabulary.reachesOf('rare'), [])
})

t.test('a catalog\'s languages are told by its words', async (t) => {
  t.strictSame(vocabularyOf('table', 'lamp').languages, ['english'])
  t.strictSame(vocabularyOf('tisch aus eiche', 'lampe mit schirm').languages, ['english', 'german'])
  t.strictSame(vocabularyOf('mesa con cajon', 'falda para mujer', 'lamp').languages, ['english', 'spanish'])
  const mostly = [...Array.from({ length: 2_000 }, () => 'lamp'), 'tisch aus eiche', 'lampe mit schirm']
  t.strictSame(vocabularyOf(...mostly).languages, ['english'], 'two products of two thousand are not its language')
})

t.test('an empty catalog has no words', async (t) => {
  const empty = new Vocabulary({ ...new WordCounts().content([]), isComplete: true, hasAllArchived: true, described: [] })
  t.strictSame([empty.size, empty.countOf('ring'), empty.near('ring', 1, 8), empty.startingWith('r', 8)], [0, 0, [], []])
})
