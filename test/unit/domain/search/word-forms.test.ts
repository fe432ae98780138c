/** What a typed word may mean in a catalog: domain/search/word-forms. */
import t from 'tap'
import { queryWordsOf } from '../../../../src/domain/search/query-words.js'
import { readQuery } from '../../../../src/domain/search/word-forms.js'
import { vocabularyOf } from './vocabulary-of.js'

type Catalog = ReturnType<typeof vocabularyOf>

const formsIn = (catalog: Catalog, text: string, isBegun = false): string[][] =>
  [...readQuery(catalog, queryWordsOf(text), isBegun)].map(({ forms }) => forms.map(({ keys }) => keys.join('+')))

t.test('a word of four letters matches with one slip, one of eight with two, a shorter one with none', async (t) => {
  const catalog = vocabularyOf('lamp', 'necklace', 'pin', 'earring', 'bracelet')
  for (const [typed, meant] of [
    ['lmap', 'lamp'], ['lanp', 'lamp'], ['laamp', 'lamp'], ['eaming', null], ['earings', 'earring'], ['necklaec', 'necklace'], ['neklaec', null], ['nekclaec', 'necklace'], ['braclte', null], ['barcelte', 'bracelet'], ['pni', null]
  ] as const) t.strictSame(formsIn(catalog, typed)[0]?.slice(1), meant === null ? [] : [meant], typed)
})

t.test('digits must be right', async (t) => {
  const catalog = vocabularyOf('f150', 'model2018')
  t.strictSame(formsIn(catalog, 'f250'), [['f250']])
  t.strictSame(formsIn(catalog, 'model2019'), [['model2019']])
  t.strictSame(formsIn(catalog, 'modle2018'), [['modle2018', 'model2018']])
})

t.test('plurals and singulars are those of the catalog\'s languages', async (t) => {
  const english = vocabularyOf('battery', 'watche', 'knife')
  t.match(formsIn(english, 'batteries'), [['batterie', 'battery']])
  t.match(formsIn(english, 'watch'), [['watch', 'watche']])
  const german = vocabularyOf('hocker aus buche', 'lampe mit schirm', 'bucher und hefte', 'kinder schrank')
  t.match(formsIn(german, 'schranken')[0], ['schranken', 'schrank'])
  t.ok(formsIn(german, 'buch')[0]?.includes('bucher'))
  t.notOk(formsIn(vocabularyOf('bucher', 'hefte'), 'buch')[0]?.includes('bucher'), 'no word tells that it is German')
})

t.test('the last word is the beginning of one while it is being typed, and no other word is', async (t) => {
  const catalog = vocabularyOf('necklace gold', 'necklet', 'golden')
  t.strictSame(formsIn(catalog, 'necklac', true), [['necklac', 'necklace']])
  t.strictSame(formsIn(catalog, 'neck', true), [['neck', 'necklace', 'necklet']])
  t.strictSame(formsIn(catalog, 'neck', false), [['neck']])
  t.strictSame(formsIn(catalog, 'gol neckl', true)[0], ['gol'])
  t.strictSame(formsIn(catalog, 'n', true), [['n']], 'a letter is none yet')
})

t.test('a compound is parted where both parts are known, and found by a part of it', async (t) => {
  const catalog = vocabularyOf('gold kette', 'silberkette silber', 'hochzeit ring', 'hochzeitsring')
  t.match(formsIn(catalog, 'goldkette')[0], ['goldkette', 'gold+kette'])
  t.match(formsIn(catalog, 'kette')[0], ['kette', 'silberkette'])
  t.match(formsIn(catalog, 'silber')[0], ['silber', 'silberkette'])
  t.ok(formsIn(catalog, 'hochzeit')[0]?.includes('hochzeitsring'), 'with what joins them')
  t.match(formsIn(vocabularyOf('hochzeit', 'ring'), 'hochzeitsring')[0], ['hochzeitsring', 'hochzeit+ring'])
  t.strictSame(formsIn(vocabularyOf('gold'), 'goldkette'), [['goldkette']], 'one part is not enough')
})

t.test('two words are one where the catalog writes them together', async (t) => {
  t.match(formsIn(vocabularyOf('necklace', 'earring'), 'neck lace'), [['neck', 'necklace'], ['lace', 'necklace']])
  t.match(formsIn(vocabularyOf('earring'), 'ear rings'), [['ear', 'earring'], ['ring', 'earring']])
})

t.test('exact comes before forgiving', async (t) => {
  const catalog = vocabularyOf(...Array.from({ length: 9 }, () => 'lamb'), 'lamp', 'lampe', 'lampshade shade')
  t.strictSame(formsIn(catalog, 'lamp', true)[0], ['lamp', 'lampe', 'lampshade', 'lamb'])
})

t.test('a query of words that differ by a letter from very many others costs a part of what counting these does', async (t) => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const hostile: string[] = []
  for (let n = 0; n < 50_000; n++) hostile.push(`neck${letters[n % 26]}${letters[Math.floor(n / 26) % 26]}${letters[Math.floor(n / 676) % 26]}${letters[Math.floor(n / 17_576) % 26]}`)
  const catalog = vocabularyOf(...hostile)
  const text = ['neckaaaa', 'neckaaab', 'neckabaa', 'neckzzzz', 'neckyyyy', 'necklace', 'neckneck', 'xeckaaaa'].join(' ')
  // Of the processor, since others share it; the quickest, since it is compiled meanwhile.
  const leastMs = (times: number, work: () => void): number => Math.min(...Array.from({ length: times }, () => {
    const startedAt = process.cpuUsage().user
    work()
    return (process.cpuUsage().user - startedAt) / 1_000
  }))
  const queryMs = leastMs(7, () => { t.ok(formsIn(catalog, text, true).every((each) => each.length <= 64), 'of each word, some forms') })
  const countingMs = leastMs(3, () => { vocabularyOf(...hostile) })
  t.ok(queryMs < countingMs, `${queryMs} ms, and ${countingMs} ms for counting`)
})
