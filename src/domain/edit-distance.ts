/**
 * How many letters are wrong, missing, too many or swapped with their neighbour (optimal string alignment); null when they are more than `most`.
 * What two texts begin and end with in common costs nothing, and a row beyond `most` is the last.
 */
export function editDistance (a: string, b: string, most: number): number | null {
  if (Math.abs(a.length - b.length) > most) return null
  let from = 0
  let [endA, endB] = [a.length, b.length]
  while (from < endA && from < endB && a.charCodeAt(from) === b.charCodeAt(from)) from++
  while (endA > from && endB > from && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  const distance = distanceOf(a.slice(from, endA), b.slice(from, endB), most)
  return distance <= most ? distance : null
}

function distanceOf (a: string, b: string, most: number): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let leastOfRow = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
      leastOfRow = Math.min(leastOfRow, least)
    }
    // A swap reaches back over one row, and costs one.
    if (leastOfRow > most && last.every((each) => each >= most)) return most + 1
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
