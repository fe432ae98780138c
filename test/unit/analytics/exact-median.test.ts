/** The median of numbers that are only ever counted in ranges. */
import t from 'tap'
import { exactMedian, type Look, type NumberRange } from '../../../src/store/analytics/exact-median.js'
import { seededRandom } from '../domain/seeded-random.js'

/** In ranges of the logarithm, then in so many of equal width. */
function counting (numbers: () => number[], perLook = 10): (look: Look) => Promise<NumberRange[]> {
  return async (look) => {
    const ranges = new Map<number, NumberRange>()
    for (const number of numbers()) {
      if (look !== null && (number < look.min || number > look.max)) continue
      const by = look === null ? Math.floor(Math.log(number + 1)) : Math.floor((number - look.min) / ((look.max - look.min) / perLook))
      const known = ranges.get(by) ?? { n: 0, min: number, max: number }
      ranges.set(by, { n: known.n + 1, min: Math.min(known.min, number), max: Math.max(known.max, number) })
    }
    // In any order.
    return [...ranges.values()].reverse()
  }
}

function median (numbers: number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length === 0 ? null : ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

t.test('it is that of the sorted numbers, however they lie', async (t) => {
  const random = seededRandom(3)
  for (let round = 0; round < 500; round++) {
    const scale = random.pick([0, 1, 5, 1_000, 1e9])
    const numbers = Array.from({ length: random.below(30) }, () => random.below(random.pick([2, 10, 100_000])) / 1_000 * scale + random.pick([0, 0, 7]))
    t.equal(await exactMedian(counting(() => numbers)), median(numbers), numbers.join())
  }
})

t.test('numbers that are close together and far away are told apart', async (t) => {
  const far = 2.5e11
  const [second, third] = [far + 0.001, far + 0.002]
  t.equal(await exactMedian(counting(() => [0, far, second, third, 1e12])), second)
  t.equal(await exactMedian(counting(() => [0, second, third, 1e12])), (second + third) / 2)
})

t.test('numbers that come and go between looks do no harm', async (t) => {
  const random = seededRandom(11)
  for (let round = 0; round < 200; round++) {
    const some = (): number[] => Array.from({ length: 1 + random.below(9) }, () => 1_000 + random.below(600))
    const found = await exactMedian(counting(some))
    t.ok(found !== null && found >= 1_000 && found < 1_600, `${found}`)
  }
  let looks = 0
  t.equal(await exactMedian(counting(() => looks++ === 0 ? [1_000, 1_001, 1_002, 1_003, 1_004, 1_005] : [])), 1_002.5, 'all are gone: the middle of where it was')
})
