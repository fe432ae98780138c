/** Counters that many change at once. */
import t from 'tap'
import { countUpBy } from '../../../../src/store/database/count-up.js'
import { testDatabase } from '../../../support/database.js'

const { database: { collections: { counters } } } = await testDatabase(t)

t.test('of many who count at once each is given a number of its own, and none is left out', async (t) => {
  const given = await Promise.all(Array.from({ length: 20 }, async () => await countUpBy(counters, 'many', 'next', 1)))
  t.strictSame(given.sort((a, b) => a - b), Array.from({ length: 20 }, (_, n) => n + 1))
})

t.test('what is counted by more than one is given as it is then', async (t) => {
  t.equal(await countUpBy(counters, 'more', 'next', 5), 5)
  t.equal(await countUpBy(counters, 'more', 'next', 2), 7)
})
