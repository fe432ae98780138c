/** The heaviest keys in bounded memory: exact while there is room, and within what it says it may have lost when there is not. */
import t from 'tap'
import { createKeySums } from '../../../src/store/analytics/key-sums.js'
import { seededRandom } from '../domain/seeded-random.js'

interface Row { key: string, weight: number, sold: number }
const merge = (into: Row, { sold }: Row): void => { into.sold += sold }

t.test('while there is room, sums are exact and in order', async (t) => {
  const sums = createKeySums(merge, 3)
  for (const [key, weight] of [['b', 2], ['a', 1], ['c', 2], ['a', 4]] as const) sums.add({ key, weight, sold: 1 })
  t.equal(sums.lost(), 0)
  t.strictSame(sums.heaviest(2), [{ key: 'a', weight: 5, sold: 2 }, { key: 'b', weight: 2, sold: 1 }])
})

t.test('when there is none, no key has lost more than it says, which is little of all', async (t) => {
  const random = seededRandom(7)
  for (let round = 0; round < 50; round++) {
    const maxKeys = 4 + random.below(20)
    const sums = createKeySums(merge, maxKeys)
    const truth = new Map<string, number>()
    let total = 0
    for (let n = 0; n < 1_000; n++) {
      const key = `k${random.below(random.pick([5, 100]))}`
      const weight = random.below(10)
      total += weight
      truth.set(key, (truth.get(key) ?? 0) + weight)
      sums.add({ key, weight, sold: 1 })
    }
    const kept = new Map(sums.heaviest(Infinity).map(({ key, weight }) => [key, weight]))
    t.ok(kept.size <= maxKeys)
    t.ok(sums.lost() <= 2 * total / maxKeys, 'two parts of as many as there is room for')
    for (const [key, weight] of truth) {
      const known = kept.get(key) ?? 0
      t.ok(known <= weight && weight <= known + sums.lost(), key)
    }
  }
})

t.test('keys without weight make room for others', async (t) => {
  const sums = createKeySums(merge, 4)
  for (let n = 0; n < 100; n++) sums.add({ key: `k${n}`, weight: 0, sold: 1 })
  sums.add({ key: 'heavy', weight: 1, sold: 1 })
  t.equal(sums.heaviest(1)[0]?.key, 'heavy')
})

t.test('what was left out before it came here counts as lost', async (t) => {
  const sums = createKeySums(merge, 4)
  sums.leaveOut(2)
  sums.leaveOut(3)
  t.equal(sums.lost(), 5)
})
