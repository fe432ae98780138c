/** Which of two products answers a query better. */
import t from 'tap'
import { queryWordsOf } from '../../../../src/domain/search/query-words.js'
import { placesOf, rankOf, weigh, type Rank, type RankedProduct } from '../../../../src/domain/search/rank.js'
import { readQuery } from '../../../../src/domain/search/word-forms.js'
import { searchKeysOf, wordKey } from '../../../../src/domain/search-keys.js'
import { vocabularyOf } from './vocabulary-of.js'

interface Given extends Partial<Omit<RankedProduct, 'places'>> { name?: string, brandName?: string, labels?: string }

const product = ({ name = 'X', brandName = 'Y', labels = '', ...more }: Given): RankedProduct => ({
  places: placesOf({ name, brandName, categories: [], tags: labels.split(' ') }), description: null, isLinked: false, isInStock: true, ...more
})

function ranksOf (text: string, products: Given[]): Rank[] {
  const made = products.map(product)
  const vocabulary = vocabularyOf(...made.map(({ places }) => [...places.keys()].join(' ')))
  const words = weigh(vocabulary, [...readQuery(vocabulary, queryWordsOf(text), false)])
  return made.map((each) => rankOf(each, words))
}

for (const [what, text, products] of [
  ['all words before some', 'gold necklace', [{ name: 'Bold Necklaec', labels: 'gold' }, { name: 'Necklace' }]],
  ['exact before forgiving, wherever it stands', 'necklace', [{ labels: 'necklace' }, { name: 'Neklace' }]],
  ['another form before a slip', 'battery', [{ name: 'Batteries' }, { name: 'Buttery' }]],
  ['one slip before two', 'necklace', [{ name: 'Neklace' }, { name: 'Nekclae' }]],
  ['name before brand', 'acme', [{ name: 'Acme' }, { brandName: 'Acme' }]],
  ['brand before tags', 'acme', [{ brandName: 'Acme' }, { labels: 'acme' }]],
  ['tags before description', 'acme lamp', [{ name: 'Lamp', labels: 'acme' }, { name: 'Lamp', description: 'as acme makes' }]],
  ['tags before description, of one word too', 'acme', [{ labels: 'acme' }, { description: 'as acme makes' }]],
  ['a word in the description before none', 'acme', [{ description: 'as acme makes' }, { name: 'Lamp' }]],
  ['description before nothing', 'acme lamp', [{ name: 'Lamp', description: 'as acme makes' }, { name: 'Lamp' }]],
  ['the thing itself before what it is like', 'wood lamp', [{ name: 'Lamp' }, { name: 'Wood table' }]],
  ['made for the target before others', 'lamp', [{ name: 'Lamp', isLinked: true, isInStock: false }, { name: 'Lamp' }]],
  ['in stock first among equals', 'lamp', [{ name: 'Lamp' }, { name: 'Lamp', isInStock: false }]],
  ['in stock only among equals', 'lamp', [{ name: 'Lamp', isInStock: false }, { labels: 'lamp' }]]
] as Array<[string, string, [Given, Given]]>) {
  t.test(what, async (t) => {
    const [first, second] = ranksOf(text, products)
    t.ok((first?.value ?? 0) > (second?.value ?? 0), `${first?.value} ${second?.value}`)
  })
}

t.test('wood is no lamp, and a necklace for whom the catalog does not know is one', async (t) => {
  t.match(ranksOf('wood lamp', [{ name: 'Wood table' }, { name: 'Chair' }]), [{ hasAll: false, hasMost: false }, { value: 0 }])
  t.match(ranksOf('necklace for granny', [{ name: 'Necklace' }, { name: 'Chair' }]), [{ hasAll: false, hasMost: true }, { value: 0 }])
  t.match(ranksOf('red cotton shirt', [{ name: 'Shirt' }, { name: 'Red cotton' }]), [{ hasMost: true }, { hasMost: false }])
  t.match(ranksOf('necklace 585', [{ name: 'Necklace' }, { name: 'Chair' }]), [{ hasMost: true }, { value: 0 }])
})

t.test('a rank is a whole number that a cursor can hold', async (t) => {
  for (const { value } of ranksOf('gold necklace', [{ name: 'Gold Necklace', isLinked: true }])) t.ok(Number.isSafeInteger(value) && value > 0)
})

t.test('the words that a product is ranked by are those that it is found by', async (t) => {
  const tags = Array.from({ length: 100 }, (_, index) => `tag${index}`)
  for (const each of [{ name: 'Brake Pads', brandName: 'Bremsen', categories: ['Car parts', 'Brakes'], tags: ['brake', 'new'] }, { name: 'x '.repeat(90), brandName: 'Y', categories: [], tags }, { name: 'Écläir', brandName: '!', categories: tags, tags }]) {
    t.strictSame([...placesOf(each).keys()].map(wordKey), searchKeysOf({ ...each, fitmentTargetIds: [], variants: [], publishedAt: new Date(0) }, new Date()))
  }
})
