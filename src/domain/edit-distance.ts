/**
 * How many letters are wrong, missing, too many or swapped with their neighbour (optimal string alignment); null when they are more than `most`. What two texts have
 * in common at their beginnings and ends costs next to nothing, and of one slip what is left says all. Of more each of the four slips is tried at a difference, so it is
 * for two of them.
 */
export function editDistance (a: string, b: string, most: number): number | null {
  const distance = distanceOf(a, 0, a.length, b, 0, b.length, most)
  return distance <= most ? distance : null
}

/** Of the parts up to `endA` and `endB`. Infinity: more than `most`. */
function distanceOf (a: string, fromA: number, endA: number, b: string, fromB: number, endB: number, most: number): number {
  let [atA, atB, toA, toB] = [fromA, fromB, endA, endB]
  while (atA < toA && atB < toB && a.charCodeAt(atA) === b.charCodeAt(atB)) {
    atA++
    atB++
  }
  while (atA < toA && atB < toB && a.charCodeAt(toA - 1) === b.charCodeAt(toB - 1)) {
    toA--
    toB--
  }
  const [leftA, leftB] = [toA - atA, toB - atB]
  if (Math.abs(leftA - leftB) > most) return Infinity
  if (leftA === 0 || leftB === 0) return Math.max(leftA, leftB)
  const isSwapped = leftA > 1 && leftB > 1 && a.charCodeAt(atA) === b.charCodeAt(atB + 1) && a.charCodeAt(atA + 1) === b.charCodeAt(atB)
  if (most < 2) return most === 1 && ((leftA === 1 && leftB === 1) || (isSwapped && leftA === 2 && leftB === 2)) ? 1 : Infinity
  // Of each way, only what is shorter than those before.
  const left = (): number => Math.min(best, most + 1) - 2
  let best = Infinity
  best = 1 + distanceOf(a, atA + 1, toA, b, atB + 1, toB, left())
  best = Math.min(best, 1 + distanceOf(a, atA + 1, toA, b, atB, toB, left()))
  best = Math.min(best, 1 + distanceOf(a, atA, toA, b, atB + 1, toB, left()))
  return isSwapped ? Math.min(best, 1 + distanceOf(a, atA + 2, toA, b, atB + 2, toB, left())) : best
}
