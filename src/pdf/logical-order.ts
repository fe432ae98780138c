/**
 * From the order that is seen, left to right, to the order that is read: what is written from right to left comes the other way round, the
 * numbers and Latin words in it do not.
 */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/u
const leftToRight = /\p{L}/u
const number = /\p{N}/u

export const isRightToLeft = (text: string): boolean => rightToLeft.test(text)

/** Of letters or words: each is whole in itself. */
export function logicalOrder<Unit extends { text: string }> (seen: readonly Unit[]): Unit[] {
  if (!seen.some(({ text }) => rightToLeft.test(text))) return [...seen]
  const strong = seen.filter(({ text }) => leftToRight.test(text))
  const isRightward = strong.filter(({ text }) => !rightToLeft.test(text)).length > strong.filter(({ text }) => rightToLeft.test(text)).length
  const runs = directedRuns(seen)
  const read = runs.map(({ isReversed, units }) => isReversed ? units.toReversed() : units)
  return (isRightward ? read : read.toReversed()).flat()
}

/** What is neither goes with its neighbours where they agree, else with the text as a whole: here from right to left. */
function directedRuns<Unit extends { text: string }> (seen: readonly Unit[]): Array<{ isReversed: boolean, units: Unit[] }> {
  const directions = seen.map(({ text }) => rightToLeft.test(text) ? 'left' : leftToRight.test(text) || number.test(text) ? 'right' : null)
  const runs: Array<{ isReversed: boolean, units: Unit[] }> = []
  seen.forEach((unit, index) => {
    const before = directions.slice(0, index).findLast((direction) => direction !== null) ?? null
    const after = directions.slice(index).find((direction) => direction !== null) ?? null
    const direction = directions[index] ?? (before === after ? before : 'left')
    const last = runs.at(-1)
    if (last?.isReversed === (direction === 'left')) last.units.push(unit)
    else runs.push({ isReversed: direction === 'left', units: [unit] })
  })
  return runs
}
