/**
 * How many letters are wrong, missing, too many or swapped with their neighbour (optimal string alignment); null when they are more than `most`. What two texts have
 * in common costs next to nothing; at a difference each of the four slips is tried, so it is for one or two of them.
 */
export function editDistance (a: string, b: string, most: number): number | null {
  const distance = distanceFrom(a, 0, b, 0, most)
  return distance <= most ? distance : null
}

/** Infinity: more than `most`. */
function distanceFrom (a: string, fromA: number, b: string, fromB: number, most: number): number {
  let [atA, atB] = [fromA, fromB]
  while (atA < a.length && atB < b.length && a.charCodeAt(atA) === b.charCodeAt(atB)) {
    atA++
    atB++
  }
  const [leftA, leftB] = [a.length - atA, b.length - atB]
  if (Math.abs(leftA - leftB) > most) return Infinity
  if (leftA === 0 && leftB === 0) return 0
  if (most === 0) return Infinity
  // Of each way, only what is shorter than those before.
  let best = Infinity
  const left = (): number => Math.min(best, most + 1) - 2
  if (leftA > 0 && leftB > 0) best = 1 + distanceFrom(a, atA + 1, b, atB + 1, left())
  if (leftA > 0) best = Math.min(best, 1 + distanceFrom(a, atA + 1, b, atB, left()))
  if (leftB > 0) best = Math.min(best, 1 + distanceFrom(a, atA, b, atB + 1, left()))
  const isSwapped = leftA > 1 && leftB > 1 && a.charCodeAt(atA) === b.charCodeAt(atB + 1) && a.charCodeAt(atA + 1) === b.charCodeAt(atB)
  return isSwapped ? Math.min(best, 1 + distanceFrom(a, atA + 2, b, atB + 2, left())) : best
}
