/**
 * Lines of one text between rows whose other cells have one line: a column of texts that are wrapped. Where the cells' middles are on the rows' lines, as much of
 * each stands above its row as below. Where the cells end on the rows' lines, each text begins in a capital above its row and goes on there in small letters.
 */
import { isValue } from './cell-values.js'
import type { PlacedLine } from './columns.js'
import { textOf } from './text-lines.js'

/** Of a font's size: how far out of its middle a text may stand, and lines of one text from being as far from each other. */
const [nearly, even] = [0.1, 0.02]

/** By line: the row that its text is of. Empty: neither is so. */
export function wrappedCells (lines: readonly PlacedLine[]): ReadonlyMap<PlacedLine, PlacedLine> {
  const first = lines.findIndex((line) => isRow(line) && line.placed.some(({ piece }) => isValue(textOf(piece))))
  const head = lines.slice(0, Math.max(0, first)).findLastIndex(isRow)
  const rows: PlacedLine[] = []
  // Before each row, and after the last.
  const between: PlacedLine[][] = [[]]
  for (const line of lines.slice(head + 1)) {
    if (isRow(line)) {
      rows.push(line)
      between.push([])
    } else between.at(-1)?.push(line)
  }
  const single = between.flat()
  const column = single[0]?.placed[0]?.from ?? 0
  const isInColumn = ({ placed: [text] }: PlacedLine): boolean => text !== undefined && text.from === column && text.to === column && !isValue(textOf(text.piece))
  if (first === -1 || column === 0 || !single.every(isInColumn)) return new Map()
  return centred(rows, between) ?? endingBelow(rows, between, column) ?? new Map<PlacedLine, PlacedLine>()
}

const isRow = ({ placed }: PlacedLine): boolean => placed.length > 1

/** What is above the first row says how much of its cell is below it, and so on from row to row; nothing is left in the end. */
function centred (rows: readonly PlacedLine[], between: ReadonlyArray<readonly PlacedLine[]>): Map<PlacedLine, PlacedLine> | null {
  const owners = new Map<PlacedLine, PlacedLine>()
  let above = between[0] ?? []
  for (const [index, row] of rows.entries()) {
    const after = between[index + 1] ?? []
    const below = after.slice(0, above.length)
    const isMirrored = above.toReversed().every((line, at) => Math.abs((line.baseline + (below[at]?.baseline ?? Infinity)) / 2 - row.baseline) < nearly * row.size)
    if (!isMirrored) return null
    for (const line of [...above, ...below]) owners.set(line, row)
    above = after.slice(above.length)
  }
  return above.length === 0 ? owners : null
}

function endingBelow (rows: readonly PlacedLine[], between: ReadonlyArray<readonly PlacedLine[]>, column: number): Map<PlacedLine, PlacedLine> | null {
  const owners = new Map<PlacedLine, PlacedLine>()
  if ((between[rows.length] ?? []).length > 0) return null
  for (const [index, row] of rows.entries()) {
    const above = between[index] ?? []
    const [begin] = above
    if (begin === undefined) continue
    const end = row.placed.find(({ from }) => from === column)
    const steps = [...above, row].slice(1).map((line, at) => line.baseline - (above[at]?.baseline ?? 0))
    const before = rows[index - 1]
    const isApart = before === undefined || begin.baseline - before.baseline > Math.max(...steps) - even * row.size
    if (!beginsWith(/^\p{Lu}/u, begin.placed[0]) || !beginsWith(/^\p{Ll}/u, end) || Math.max(...steps) - Math.min(...steps) > even * row.size || !isApart) return null
    for (const line of above) owners.set(line, row)
  }
  return owners
}

const beginsWith = (start: RegExp, placed: PlacedLine['placed'][number] | undefined): boolean => placed !== undefined && start.test(textOf(placed.piece))
