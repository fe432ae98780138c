/**
 * The median of numbers that are looked at page by page, exactly and in bounded memory: counted in ranges, of which each knows its least and its
 * largest number. Where the middle lies within one, that range is looked at anew in finer ones, until it lies at an end.
 */
export interface NumberRange { n: number, min: number, max: number }

/** null: any number from 0 on, in ranges that grow with them. */
export type Look = { min: number, max: number } | null

type Count = (look: Look) => Promise<NumberRange[]>

/**
 * `count` tells the ranges, in any order. What comes or goes between two looks may count or not; null: there are no numbers.
 */
export async function exactMedian (count: Count): Promise<number | null> {
  const ranges = await count(null)
  const total = sumOf(ranges)
  return total === 0 ? null : await middleOf(count, ranges, Math.floor((total - 1) / 2), Math.floor(total / 2))
}

/** The average of the numbers at two places, which are next to each other or one. */
async function middleOf (count: Count, ranges: NumberRange[], low: number, high: number): Promise<number> {
  const sorted = [...ranges].sort((a, b) => a.min - b.min)
  const [first, second] = [placeIn(sorted, low), placeIn(sorted, high)]
  if (first.value !== null && second.value !== null) return (first.value + second.value) / 2
  // At the end of its range, one of them may be known; then it is the other that is looked for.
  const { range: { min, max }, before } = first.value === null ? first : second
  const finer = await count({ min, max })
  const left = sumOf(finer)
  if (left === 0) return (min + max) / 2
  const within = (place: number): number => Math.min(Math.max(place - before, 0), left - 1)
  const known = first.value ?? second.value
  if (known === null) return await middleOf(count, finer, within(low), within(high))
  const unknown = within(first.value === null ? low : high)
  return (known + await middleOf(count, finer, unknown, unknown)) / 2
}

const sumOf = (ranges: NumberRange[]): number => ranges.reduce((sum, { n }) => sum + n, 0)

/** Where the number is that has so many before it, and what it is when it lies at an end of its range. */
function placeIn (sorted: NumberRange[], place: number): { range: NumberRange, before: number, value: number | null } {
  let before = 0
  for (const range of sorted) {
    if (place < before + range.n) {
      const { n, min, max } = range
      return { range, before, value: place === before || min === max ? min : place === before + n - 1 ? max : null }
    }
    before += range.n
  }
  throw new RangeError(`There are ${before} numbers, and none at ${place}`)
}
