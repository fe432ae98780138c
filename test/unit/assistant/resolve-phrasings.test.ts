/** Free text, over 20 makes, 200 models and 30 years (test/unit/assistant/phrasings.ts). */
import t from 'tap'
import { resolveFitment } from '../../../src/assistant/resolve-fitment.js'
import { phrasings } from './phrasings.js'
import { facetsInOrder, knowledgeOf, makes, vehicles } from './vehicles.js'
import { wordAnswer } from './word-answer.js'

const facets = facetsInOrder('make model year')
const all = vehicles(facets)
const knowledge = knowledgeOf(facets, all)

t.test('the market is as large as it is said to be', async (t) => {
  t.equal(makes.length, 20)
  t.equal(all.length, 6_000)
  t.ok(phrasings.length >= 200, `${phrasings.length} phrasings`)
})

t.test('make, then model, then year', async (t) => {
  for (const [text, expected] of phrasings) {
    const answer = await resolveFitment(knowledge, { text, given: [], remembered: [] })
    t.equal(wordAnswer(answer, expected.includes(' ')), expected, text)
  }
})

t.test('whichever facet is asked first, what is unambiguous resolves to the same', async (t) => {
  const yearFirst = knowledgeOf(facetsInOrder('year make model'), all)
  for (const [text, expected] of phrasings.filter(([, expected]) => !expected.startsWith('?'))) {
    t.equal(wordAnswer(await resolveFitment(yearFirst, { text, given: [], remembered: [] }), false), expected, text)
  }
})
