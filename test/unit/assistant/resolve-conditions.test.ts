/** Ranges of years, "not" and several vehicles in free text, in four languages (test/unit/assistant/conditional-phrasings.ts). */
import t from 'tap'
import { resolveFitment, type FitmentAnswer } from '../../../src/assistant/resolve-fitment.js'
import { newTarget } from '../../../src/domain/fitment-target.js'
import { negations, ranges, severalVehicles } from './conditional-phrasings.js'
import { facetsInOrder, knowledgeOf, vehicles } from './vehicles.js'
import { wordAnswer } from './word-answer.js'

const facets = facetsInOrder('make model year')
const knowledge = knowledgeOf(facets, vehicles(facets))
const idOf = (slug: string): string => `id-of-${slug}`

for (const [what, rows] of Object.entries({ ranges, negations, 'several vehicles': severalVehicles })) {
  t.test(what, async (t) => {
    for (const [text, expected] of rows) {
      const answer = await resolveFitment(knowledge, { text, given: [], remembered: [] })
      t.equal(wordAnswer(answer, expected.includes(' ')), expected, text)
    }
  })
}

/** Of a small catalog: `make model year`, with underscores for spaces. */
function ask (targets: string[], order = 'make model year') {
  const facets = facetsInOrder(order)
  const known = knowledgeOf(facets, targets.map((words, index) => newTarget('shop', index + 1, {
    externalId: words,
    facetValues: words.split(' ').map((value, at) => ({ facetId: idOf(['make', 'model', 'year'][at] ?? ''), value: value.replaceAll('_', ' ') })).sort((a, b) => a.facetId < b.facetId ? -1 : 1)
  })))
  return async (text: string, remembered: Record<string, string> = {}): Promise<FitmentAnswer> =>
    await resolveFitment(known, { text, given: [], remembered: Object.entries(remembered).map(([slug, value]) => ({ facetId: idOf(slug), value })) })
}
const yearsOf = (vehicle: string, from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, index) => `${vehicle} ${from + index}`)

t.test('of a long range those years are asked that there are, and models of its late years are not forgotten', async (t) => {
  const say = ask([...yearsOf('Rover LR3', 2005, 2009), ...yearsOf('Rover Velar', 2018, 2021), ...yearsOf('Rover Old', 1950, 1989)])
  t.equal(wordAnswer(await say('lr3 since 1990'), true), '?year 2005, 2006, 2007, 2008, 2009')
  t.equal(wordAnswer(await say('rover since 1990'), true), '?model LR3, Velar')
  t.equal(wordAnswer(await say('rover 2007-2019'), true), '?model LR3, Velar')
  t.equal(wordAnswer(await say('rover since 2019'), true), '?year 2019, 2020, 2021')
  t.equal(wordAnswer(await say('lr3 2010-2020'), true), '-')
  t.equal(wordAnswer(await say('velar 05-09'), true), '?year 2018, 2019, 2020, 2021', 'two digits may be anything')
})

t.test('a range is asked by the order of the facets, too', async (t) => {
  const say = ask([...yearsOf('Honda Civic', 2010, 2024), ...yearsOf('Ford Focus', 2012, 2014)], 'year make model')
  t.equal(wordAnswer(await say('2013-2015'), true), '?year 2013, 2014, 2015')
  t.equal(wordAnswer(await say('focus since 2013'), true), '?year 2013, 2014')
})

t.test('a model that is called like a year is no year of a range', async (t) => {
  const say = ask([...yearsOf('Peugeot 2008', 2014, 2020), ...yearsOf('Peugeot 208', 2005, 2020)])
  t.equal(wordAnswer(await say('peugeot 2008 2018-2020'), true), '?year 2018, 2019, 2020')
  t.equal(wordAnswer(await say('peugeot 2005-2010'), true), '?year 2005, 2006, 2007, 2008, 2009, 2010')
})

t.test('a value of the catalog that is found whole wins over what its words say', async (t) => {
  const say = ask([
    ...yearsOf('Acme No_Limit', 2018, 2019), ...yearsOf('Acme Limit', 2018, 2019), ...yearsOf('Acme Nota', 2018, 2019), ...yearsOf('Acme Since_2018', 2018, 2019), ...yearsOf('Acme Civic', 2018, 2019),
    'Acme Wide 2015-2018', 'Acme Wide 2019-2021', ...yearsOf('Acme 9-3', 2018, 2019)
  ])
  t.equal(wordAnswer(await say('no limit 2019'), true), 'Acme No_Limit 2019')
  t.equal(wordAnswer(await say('nota 2019'), true), 'Acme Nota 2019')
  t.equal(wordAnswer(await say('not a civic, the limit 2019'), true), 'Acme Limit 2019', 'no Nota')
  t.equal(wordAnswer(await say('not a no limit, a limit 2019'), true), 'Acme Limit 2019')
  t.equal(wordAnswer(await say('since 2018 2019'), true), 'Acme Since_2018 2019')
  t.equal(wordAnswer(await say('wide 2015-2018'), true), 'Acme Wide 2015-2018')
  t.equal(wordAnswer(await say('9-3 2018-2019'), true), '?year 2018, 2019')
  const others = ask([...yearsOf('Sans_Souci Without', 2018, 2019), ...yearsOf('Acme Civic', 2018, 2019)])
  t.equal(wordAnswer(await others('sans souci 2019'), true), 'Sans_Souci Without 2019')
  t.equal(wordAnswer(await others('without 2019'), true), 'Sans_Souci Without 2019')
})

t.test('what is denied is neither remembered nor offered, and what follows from it neither', async (t) => {
  const say = ask([...yearsOf('Honda Civic', 2018, 2020), ...yearsOf('Honda Accord', 2018, 2020), ...yearsOf('Ford Focus', 2018, 2020)])
  const civic = { make: 'Honda', model: 'Civic', year: '2019' }
  t.match(await say('not a civic', civic), { status: 'RESOLVED', target: { externalId: 'Honda Accord 2019' } })
  t.match(await say('I do not have a 2019', civic), { status: 'NEEDS_FACET', candidates: ['2018', '2020'], values: [{ value: 'Honda' }, { value: 'Civic' }] })
  t.match(await say('it is not a honda', civic), { status: 'NEEDS_FACET', values: [{ value: 'Ford' }, { value: 'Focus' }] })
  t.match(await say('it is not a honda civic', { make: 'Honda' }), { status: 'NEEDS_FACET', candidates: ['2018', '2019', '2020'], values: [{ value: 'Honda' }, { value: 'Accord' }] })
  t.match(await say('not a civic, not an accord', { make: 'Honda' }), { status: 'NEEDS_FACET', facet: { slug: 'make' }, values: [] })
  t.match(await say('not honda, not ford'), { status: 'NO_MATCH', values: [] })
  t.match(await say('civic, not a honda'), { status: 'NO_MATCH' }, 'there is no other')
})

t.test('a range goes before a year that was known, and leaves the rest', async (t) => {
  const say = ask([...yearsOf('Honda Civic', 2015, 2020), ...yearsOf('Honda Accord', 2018, 2020)])
  const civic = { make: 'Honda', model: 'Civic', year: '2019' }
  t.match(await say('since 2018', civic), { status: 'NEEDS_FACET', candidates: ['2018', '2019', '2020'], values: [{ value: 'Honda' }, { value: 'Civic' }] })
  t.match(await say('up to 2016', { ...civic, model: 'Accord' }), { status: 'NEEDS_FACET', candidates: ['2015', '2016'], values: [{ value: 'Honda' }, { value: 'Civic' }] })
})

t.test('given values and a range are both meant', async (t) => {
  const question = { text: '2018-2020', remembered: [] }
  t.match(await resolveFitment(knowledge, { ...question, given: [{ facetId: idOf('model'), value: 'civic' }] }), { status: 'NEEDS_FACET', candidates: ['2018', '2019', '2020'] })
  t.match(await resolveFitment(knowledge, { ...question, given: [{ facetId: idOf('model'), value: 'civic' }, { facetId: idOf('year'), value: '2019' }] }), { status: 'RESOLVED', target: { externalId: 'Honda Civic 2019' } })
  t.match(await resolveFitment(knowledge, { ...question, given: [{ facetId: idOf('year'), value: '2015' }] }), { status: 'NO_MATCH' })
})
