/** What reading the vocabulary may cost; what it knows is in system/api-fitment-assistant. */
import t from 'tap'
import type { Filter, FindOptions } from 'mongodb'
import type { Collections } from '../../../../src/store/database/connection.js'
import type { FitmentValueDocument } from '../../../../src/store/fitment/fitment-value-document.js'
import { createFitmentVocabulary } from '../../../../src/store/fitment/fitment-vocabulary.js'
import { foundCursor } from '../../../support/found-cursor.js'

const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

interface Query { filter: Filter<FitmentValueDocument>, options: FindOptions }

/** Answers every query with as many values as it may, and keeps the queries. */
function answering (answer: (query: Query) => Array<Partial<FitmentValueDocument>>) {
  const queries: Query[] = []
  const find = (filter: Filter<FitmentValueDocument>, options: FindOptions) => {
    const found = async (): Promise<Array<Partial<FitmentValueDocument>>> => {
      queries.push({ filter, options })
      return answer({ filter, options })
    }
    return Object.assign(foundCursor(found), { toArray: found })
  }
  const fitmentValues = { find, insertMany: async () => {}, bulkWrite: async () => {} } as unknown as Collections['fitmentValues']
  const fitmentFacets = { updateOne: async () => {} } as unknown as Collections['fitmentFacets']
  return { queries, vocabulary: createFitmentVocabulary({ fitmentValues, fitmentFacets }) }
}

let values = 0
const found = ({ options }: Query): Array<Partial<FitmentValueDocument>> =>
  list(options.limit ?? 0, () => ({ _id: `id${values++}`, vendorId: 'v', facetId: 'f', value: `value ${values}`, neighbours: [] }))

t.test('looking values up by their spellings reads none of their neighbours', async (t) => {
  const { queries, vocabulary } = answering(found)
  await vocabulary.findBySpellings('v', ['=civic'])
  t.strictSame(queries.map(({ options }) => options.projection), [{ vendorId: 1, facetId: 1, value: 1 }])
})

t.test('spellings that many values have find 2,000 of them, and no more queries are made then', async (t) => {
  const { queries, vocabulary } = answering(found)
  t.equal((await vocabulary.findBySpellings('v', list(5_000, (n) => `+${n}`))).length, 2_000)
  t.equal(queries.length, 4)
})

const idsOf = ({ filter }: Query): string[] => (filter._id as { $in: string[] }).$in
const learned = ({ filter, options }: Query): Array<Partial<FitmentValueDocument>> =>
  idsOf({ filter, options }).map((_id) => ({ _id, vendorId: 'v', facetId: 'f', value: 'known', neighbours: ['g:known'] }))

t.test('what many targets teach is read a few values at a time, and others go between', async (t) => {
  const { queries, vocabulary } = answering(learned)
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  t.teardown(() => { clearImmediate(next) })
  await vocabulary.learn('v', list(100, (n) => [{ facetId: 'f', value: `value ${n}` }, { facetId: 'g', value: `value ${n}` }]))
  t.equal(queries.flatMap(idsOf).length, 202, 'each value, and the two facets')
  t.ok(Math.max(...queries.map((query) => idsOf(query).length)) <= 20)
  t.ok(turns >= 20, `${turns} turns`)
})
