/** Puts many texts in order in small steps, between two of which others have their turn: sorting 50,000 at once would hold them up for 80 ms. */

const sortedAtOnce = 2_000
const mergedAtOnce = 10_000

/** Sorts `texts` itself in runs, and merges those. `giveWay` resolves when the others have gone. */
export async function sortInTurns (texts: string[], giveWay: () => Promise<unknown>): Promise<string[]> {
  let runs: string[][] = []
  for (let from = 0; from < texts.length; from += sortedAtOnce) {
    runs.push(texts.slice(from, from + sortedAtOnce).sort())
    await giveWay()
  }
  while (runs.length > 1) {
    const merged: string[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], giveWay))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge (a: string[], b: string[], giveWay: () => Promise<unknown>): Promise<string[]> {
  const merged: string[] = []
  let [atA, atB] = [0, 0]
  while (atA < a.length || atB < b.length) {
    const [nextA, nextB] = [a[atA], b[atB]]
    if (nextB === undefined || (nextA !== undefined && nextA <= nextB)) {
      merged.push(nextA as string)
      atA++
    } else {
      merged.push(nextB)
      atB++
    }
    if (merged.length % mergedAtOnce === 0) await giveWay()
  }
  return merged
}
