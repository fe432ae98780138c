/** What a question may cost, whatever a vendor has put into its vocabulary: counted, not timed. */
import t from 'tap'
import type { FitmentKnowledge } from '../../../src/assistant/fitment-knowledge.js'
import { readPhrase } from '../../../src/assistant/read-phrase.js'
import { resolveFitment } from '../../../src/assistant/resolve-fitment.js'
import { spellingsOf } from '../../../src/domain/fitment-spelling.js'
import type { KnownValue } from '../../../src/store/fitment/fitment-vocabulary.js'
import { facetsInOrder } from './vehicles.js'

const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** A vocabulary that counts how often the text of a value is looked at. */
function vocabulary (texts: Array<{ facetId: string, value: string }>) {
  const bySpelling = new Map<string, KnownValue[]>()
  let looks = 0
  for (const { facetId, value } of texts) {
    const known: KnownValue = {
      facetId,
      get value () {
        looks++
        return value
      },
      neighboursAt: () => null
    }
    for (const spelling of spellingsOf(value)) bySpelling.set(spelling, [...bySpelling.get(spelling) ?? [], known])
  }
  return {
    looks: () => looks,
    lookup: async (spellings: string[]) => [...new Set(spellings.flatMap((spelling) => bySpelling.get(spelling) ?? []))]
  }
}

const head = (n: number): string => `${String.fromCharCode(97 + n).repeat(3)}qz${String.fromCharCode(97 + n)}lw`
const letters = (n: number): string => n.toString(36).replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))

t.test('a value is worked out once, not for every word of the text', async (t) => {
  const { lookup, looks } = vocabulary(list(24 * 20, (n) => ({ facetId: 'f', value: `${head(n % 24)} ${letters(n)}model` })))
  const { said } = await readPhrase(list(24, head).join(' '), lookup)
  t.equal(said.length, 24)
  t.ok(looks() <= 3 * 24 * 20, `${looks()} looks at ${24 * 20} values`)
})

t.test('a word means 200 values at most', async (t) => {
  const { lookup } = vocabulary(list(500, (n) => ({ facetId: 'f', value: `silverado ${letters(n)}model` })))
  t.strictSame((await readPhrase('silverado', lookup)).said.map(({ options }) => options.length), [200])
})

t.test('a typo is seen among more values that a word is part of than are looked at', async (t) => {
  const { lookup } = vocabulary([...list(500, (n) => ({ facetId: 'f', value: `silverado ${letters(n)}model` })), { facetId: 'g', value: 'Silveradoo' }])
  t.match((await readPhrase('silverado', lookup)).said.map(({ options }) => options.map(({ value }) => value)), [['Silveradoo']])
})

const knowledge = (parts: Partial<FitmentKnowledge>): FitmentKnowledge => ({
  facets: [], findBySpellings: async () => [], find: async () => [], valuesOf: async () => [], firstWith: async () => null, firstOf: async () => null, hasTargets: async () => true, ...parts
})
const target = { _id: 't', vendorId: 'shop', externalId: 'T', order: 1, label: { kind: 'automatic' as const }, facetValues: [], revision: 1 }

t.test('of words with many meanings no more combinations are made than are considered', async (t) => {
  const facets = facetsInOrder('a b c d e f g h')
  const { lookup, looks } = vocabulary(facets.flatMap(({ _id }, f) => list(190, (n) => ({ facetId: _id, value: `${head(f)} ${letters(n)}model` }))))
  const given = facets.map(({ _id }, f) => ({ facetId: _id, value: head(f) }))
  const answer = await resolveFitment(knowledge({ facets, findBySpellings: lookup, firstWith: async () => target, firstOf: async () => target }), { text: null, given, remembered: [] })
  t.equal(answer.status, 'NEEDS_FACET')
  t.ok(looks() <= 4 * 8 * 190, `${looks()} looks at ${8 * 190} values`)
})

t.test('of many vehicles in one text some are looked at', async (t) => {
  const facets = facetsInOrder('a b')
  const texts = facets.flatMap(({ _id }, f) => list(24, (n) => ({ facetId: _id, value: f === 0 ? head(n) : `${head(n)} model` })))
  const { lookup } = vocabulary(texts)
  let asked = 0
  const firstWith = async (): Promise<typeof target> => {
    asked++
    return target
  }
  await resolveFitment(knowledge({ facets, findBySpellings: lookup, firstWith, firstOf: firstWith }), { text: list(24, head).join(' or '), given: [], remembered: [] })
  t.ok(asked <= 1_024, `${asked} look-ups`)
})

for (const [what, text] of Object.entries({
  negations: 'not a '.repeat(166), 'one negation of everything': `not ${list(23, head).join(' ')}`, 'values and negations in turn': list(12, (n) => `${head(n)} not `).join(''),
  ors: 'or '.repeat(333), ranges: '1900-2050 '.repeat(100), 'open ranges': 'since 1900 until 2050 '.repeat(45), dashes: `2018${'-'.repeat(990)}2020`, 'spaced dashes': `2018${' -'.repeat(490)} 2020`,
  quotes: `'18${'\''.repeat(990)}-'20`, spaces: `not${' '.repeat(990)}civic`, digits: '2'.repeat(1_000), 'a word per letter and digit': 'a1'.repeat(500), accents: `2018 ${'a\u0301'.repeat(490)}`
})) {
  t.test(`for a text of ${what} each value is looked at a few times at most`, async (t) => {
    const facets = facetsInOrder('a b c')
    const texts = [
      ...list(24, (n) => n).flatMap((n) => list(20, (m) => ({ facetId: facets[0]?._id ?? '', value: `${head(n)} ${letters(m)}model` }))),
      ...facets.flatMap(({ _id }) => list(151, (n) => ({ facetId: _id, value: String(1_900 + n) })))
    ]
    const { lookup, looks } = vocabulary(texts)
    let asked = 0
    const count = async (): Promise<typeof target> => {
      asked++
      return target
    }
    const of = knowledge({ facets, findBySpellings: lookup, valuesOf: async () => list(500, (n) => `value ${n}`), firstWith: count, firstOf: count })
    await resolveFitment(of, { text: text.slice(0, 1_000), given: [], remembered: [] })
    t.ok(looks() <= 6 * texts.length, `${looks()} looks at ${texts.length} values`)
    t.ok(asked <= 1_024, `${asked} look-ups`)
  })
}

t.test('the database is asked for some 500 candidates, however many facets there are of whose values none is possible any more', async (t) => {
  const facets = facetsInOrder(list(50, (n) => `facet${n}`).join(' '))
  let asked = 0
  const answer = await resolveFitment(knowledge({
    facets,
    valuesOf: async () => list(64, (n) => `value ${n}`),
    firstWith: async () => {
      asked++
      return null
    }
  }), { text: null, given: [], remembered: [] })
  t.equal(answer.status, 'NO_MATCH')
  t.ok(asked <= 512, `${asked} look-ups`)
})
