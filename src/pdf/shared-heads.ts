/**
 * In a sheet numbers stand at the right of their columns, texts at the left and heads in the middle, and none lies over another. Those that are on no line
 * together are one column, where that gives each column one head in one way alone.
 */

/** What lies over each other, and the lines that it is on. */
export interface Lined { lines: ReadonlySet<number> }

/**
 * The groups of each column, from the left; null: no way, or several. Looks at each group's lines once, however many ways there are: they are counted by
 * where the last column ends, and only to two.
 */
export function sharedByHeads<Group extends Lined> (groups: readonly Group[], leaf: number): Group[][] | null {
  const isHead = groups.map(({ lines }) => lines.has(leaf))
  const heads = isHead.filter(Boolean).length
  if (heads < 2 || heads === groups.length) return null
  // For each end: the ways in which the groups before it are columns, their sum so far, and where the last column of one begins.
  const ways = [1]
  const sums = [0, 1]
  const begins = [0]
  const lastOn = new Map<number, number>()
  let [least, head, lastEnd] = [0, -1, 0]
  // The last end up to each place that there is a way to.
  const endUpTo = [0]
  for (const [index, { lines }] of groups.entries()) {
    for (const line of lines) {
      least = Math.max(least, (lastOn.get(line) ?? -1) + 1)
      lastOn.set(line, index)
    }
    if (isHead[index] === true) head = index
    // A column begins where none of its groups are beside each other, and not behind its head.
    const count = head < least ? 0 : Math.min(2, (sums[head + 1] ?? 0) - (sums[least] ?? 0))
    ways.push(count)
    sums.push((sums[index + 1] ?? 0) + count)
    begins.push(endUpTo[head] ?? 0)
    if (count > 0) lastEnd = index + 1
    endUpTo.push(lastEnd)
  }
  if (ways[groups.length] !== 1) return null
  const columns: Group[][] = []
  for (let end = groups.length; end > 0; end = begins[end] ?? 0) columns.unshift(groups.slice(begins[end] ?? 0, end))
  return columns
}
