/** By which keys products are looked for, and how far: domain/search/look-ups. */
import t from 'tap'
import { lookUpsInTurns, lookUpsOf, type LookUps } from '../../../../src/domain/search/look-ups.js'
import type { Vocabulary } from '../../../../src/domain/search/vocabulary.js'
import type { WordForm } from '../../../../src/domain/search/word-forms.js'
import { partOf, vocabularyOf } from './vocabulary-of.js'

/** 200 products have a ring, 3 of them a necklace, and 2 a chain. */
const catalog = vocabularyOf(...Array.from({ length: 200 }, (_, n) => n < 3 ? 'ring necklace' : n < 5 ? 'ring chain' : 'ring'))

const form = (...keys: string[]): WordForm => ({ keys, closeness: 15, count: Math.min(...keys.map((key) => catalog.countOf(key))) })
const looksFor = (forms: WordForm[], { vocabulary = catalog, products = 112, lookUps = 16, seen = new Set<string>() }: { vocabulary?: Vocabulary, products?: number, lookUps?: number, seen?: Set<string> } = {}): LookUps =>
  lookUpsOf(vocabulary, forms, { products, lookUps }, seen)
const keysOf = ({ lookUps }: LookUps): string[] => lookUps.map(({ key }) => key)

t.test('a key with few products is looked up to its end, a common one so far as so many have it', async (t) => {
  t.strictSame(looksFor([form('necklace'), form('ring')]), {
    lookUps: [{ key: 'necklace', reach: { upTo: null, products: 3 } }, { key: 'ring', reach: { upTo: 'P000055', products: 56 } }], lookedAt: 59
  })
})

t.test('of a catalog that is counted in part, how far few products reach is not known, and as many again are expected', async (t) => {
  const inPart = partOf('ring', 'ring necklace', 'ring chain')
  t.strictSame(looksFor([form('necklace'), form('unknown'), form('ring')], { vocabulary: inPart }), {
    lookUps: ['necklace', 'unknown', 'ring'].map((key) => ({ key, reach: null })), lookedAt: 2 + 0 + 6
  })
  t.strictSame(keysOf(looksFor([form('ring'), form('chain')], { vocabulary: inPart, products: 5 })), ['ring'], 'no more than may be looked at')
})

t.test('where enough products are looked at, further forms are not', async (t) => {
  t.strictSame(keysOf(looksFor([form('necklace'), form('chain'), form('ring')], { products: 5 })), ['necklace', 'chain'])
})

t.test('of more forms than a text may have look-ups, the closest are taken', async (t) => {
  t.strictSame(keysOf(looksFor([form('necklace'), form('chain'), form('ring')], { lookUps: 2 })), ['necklace', 'chain'])
})

t.test('a key that another word of the text was looked for by is not looked up again', async (t) => {
  const seen = new Set<string>()
  looksFor([form('neck'), form('necklace')], { seen })
  t.strictSame(looksFor([form('lace'), form('necklace')], { seen }), { lookUps: [{ key: 'lace', reach: { upTo: null, products: 0 } }], lookedAt: 0 })
})

t.test('of two keys that a product has to have both, the rarer one finds it', async (t) => {
  t.strictSame(keysOf(looksFor([form('ring', 'chain')])), ['chain'])
})

const turnsOf = (words: string[], { enough = 20, perText = 112 } = {}): string[] =>
  lookUpsInTurns(catalog, words.map((word) => ({ forms: [form(word)] })), { enough, perText, perWord: perText / 2, inAll: 2 * perText, lookUps: 16 })
    .map((turn) => turn.flatMap(({ lookUps }) => lookUps.map(({ key }) => key)).join(' '))

t.test('where a word is not expected to do, the next is looked for at the same time', async (t) => {
  t.strictSame(turnsOf(['chain', 'necklace', 'ring']), ['chain necklace ring'])
  t.strictSame(turnsOf(['unknown', 'ring']), ['unknown ring'])
})

t.test('where it is, the next waits for its turn', async (t) => {
  t.strictSame(turnsOf(['necklace', 'ring'], { enough: 3 }), ['necklace', 'ring'])
  t.strictSame(turnsOf(['chain', 'necklace', 'ring'], { enough: 1 }), ['chain necklace', 'ring'], 'hardly one has a chain and a necklace')
})

t.test('what is looked for only where nothing has all words yet waits for its turn, and there is an end', async (t) => {
  t.strictSame(turnsOf(['necklace', 'chain', 'ring'], { enough: 1_000, perText: 3 }), ['necklace', 'chain', 'ring'])
  t.strictSame(turnsOf(['necklace', 'chain', 'ring', 'unknown'], { enough: 1_000, perText: 2 }), ['necklace', 'chain', 'ring'])
})
