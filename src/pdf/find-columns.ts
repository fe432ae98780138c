/**
 * The columns of a table from where its texts stand, all rows together: what lies over another row's text is in its column. What lies over
 * texts of several columns, that stand beside each other in another row, spans them. The lines of a head above its last come on top: see span-heads.
 */
import { isValue } from './cell-values.js'
import { overlaps, spanOf, width, type Column, type Placed } from './columns.js'
import type { Rule } from './page-geometry.js'
import { sharedByHeads } from './shared-heads.js'
import { placeAbove } from './span-heads.js'
import { textOf, type Piece } from './text-lines.js'

export interface Columns {
  columns: Column[]
  /** By line, from left to right. */
  lines: Placed[][]
  /** What is not certain. */
  doubts: string[]
}

interface Group extends Column { lines: Set<number>, pieces: Array<{ piece: Piece, line: number }> }

/** `lines`: the pieces of each; `rules`: the lines that are drawn across. */
export function findColumns (lines: ReadonlyArray<readonly Piece[]>, rules: readonly Rule[]): Columns {
  const firstBody = firstBodyLine(lines)
  const upper = upperLines(lines, firstBody)
  const spanning: Array<{ piece: Piece, line: number }> = []
  let groups: Group[] = []
  const add = (entry: { piece: Piece, line: number }): void => {
    const own: Group = { left: entry.piece.left, right: entry.piece.right, lines: new Set([entry.line]), pieces: [entry] }
    const hit = groups.filter((group) => overlaps(group, entry.piece))
    const [only, second] = hit
    if (second !== undefined && standBesideEachOther(hit)) spanning.push(entry)
    else if (only !== undefined && second === undefined) {
      only.left = Math.min(only.left, own.left)
      only.right = Math.max(only.right, own.right)
      only.lines.add(entry.line)
      only.pieces.push(entry)
    } else groups = [...groups.filter((group) => !hit.includes(group)), union([...hit, own])]
  }
  const all = lines.flatMap((pieces, line) => upper.has(line) ? [] : pieces.map((piece) => ({ piece, line })))
  // What is alone on its line may be the name of rows, and reach over other columns.
  const loneLast = ({ line }: { line: number }): number => lines[line]?.length === 1 ? 1 : 0
  for (const entry of all.toSorted((one, other) => loneLast(one) - loneLast(other) || width(one.piece) - width(other.piece))) add(entry)
  const [left, right] = [Math.min(...groups.map((group) => group.left)), Math.max(...groups.map((group) => group.right))]
  // Heads of columns that hold nothing are beside the others.
  const outside = (piece: Piece): boolean => piece.right < left || piece.left > right
  for (const line of upper) for (const piece of lines[line] ?? []) if (outside(piece)) add({ piece, line })
  const names = namesBetween(groups, lines, firstBody)
  groups = groups.filter((group) => !names.includes(group))
  const sorted = groups.toSorted((one, other) => one.left - other.left)
  const isAlone = ({ lines: own }: Group): boolean => [...own].every((line) => lines[line]?.length === 1)
  const shared = sharedByHeads(sorted.filter((group) => !isAlone(group)), leafLine(lines, firstBody))
  groups = withNames(shared === null ? pairedWithHeads(sorted, lines, firstBody) : [...sorted.filter(isAlone), ...shared.map(union)].sort((one, other) => one.left - other.left), lines)
  const columns = groups.map((group) => ({ left: group.left, right: group.right }))
  const placed = lines.map((): Placed[] => [])
  groups.forEach(({ pieces }, column) => { for (const { piece, line } of pieces) placed[line]?.push({ piece, from: column, to: column }) })
  for (const { piece, line } of names.flatMap(({ pieces }) => pieces)) placed[line]?.push({ piece, from: 0, to: 0 })
  for (const { piece, line } of spanning) placed[line]?.push({ piece, ...inOrder(piece, lines[line] ?? [], columns) ?? spanOf(piece, columns) })
  const body = lines.slice(firstBody).filter((line) => line.length > 1).map((line) => line[0]?.baseline ?? 0)
  const pitch = Math.min(...body.slice(1).map((baseline, index) => baseline - (body[index] ?? 0)))
  const doubts = placeAbove({ lines, placed, upper: [...upper], columns, leaf: leafLine(lines, firstBody), pitch, outside, rules })
  for (const line of placed) line.sort((one, other) => one.piece.left - other.piece.left)
  return { columns, lines: placed, doubts }
}

/** In a line of as many texts as there are columns each has one, also a text that reaches into the next. */
function inOrder (piece: Piece, line: readonly Piece[], columns: readonly Column[]): { from: number, to: number } | null {
  const index = line.toSorted((one, other) => one.left - other.left).indexOf(piece)
  return line.length === columns.length ? { from: index, to: index } : null
}

const standBesideEachOther = (groups: readonly Group[]): boolean =>
  groups.some((one, index) => groups.slice(index + 1).some((other) => [...one.lines].some((line) => other.lines.has(line))))

const union = (groups: readonly Group[]): Group => ({
  left: Math.min(...groups.map(({ left }) => left)),
  right: Math.max(...groups.map(({ right }) => right)),
  lines: new Set(groups.flatMap(({ lines }) => [...lines])),
  pieces: groups.flatMap(({ pieces }) => pieces)
})

/** The first line but the very first that has a value; what is above is the head. */
function firstBodyLine (lines: ReadonlyArray<readonly Piece[]>): number {
  const found = lines.findIndex((pieces, index) => index > 0 && pieces.some((piece) => isValue(textOf(piece))))
  return found === -1 ? 1 : found
}

/** Of the head's lines the one that has a text for most columns, the last of several. */
function leafLine (lines: ReadonlyArray<readonly Piece[]>, firstBody: number): number {
  const most = Math.max(...lines.slice(0, firstBody).map(({ length }) => length))
  return lines.slice(0, firstBody).findLastIndex(({ length }) => length === most)
}

function upperLines (lines: ReadonlyArray<readonly Piece[]>, firstBody: number): Set<number> {
  const leaf = leafLine(lines, firstBody)
  return new Set(lines.slice(0, leaf).keys())
}

/** Names of groups of rows, each alone on its line and to the left of the first column, are of that; but names between two rows that are as near as rows are. */
function withNames (groups: readonly Group[], lines: ReadonlyArray<readonly Piece[]>): Group[] {
  const [names, first, ...others] = groups
  const baselineOf = (line: number): number => lines[line]?.[0]?.baseline ?? 0
  const rows = [...lines.keys()].filter((line) => (lines[line]?.length ?? 0) > 1)
  const pitch = Math.min(...rows.slice(1).map((line, index) => baselineOf(line) - baselineOf(rows[index] ?? line)))
  const isBetweenRows = (line: number): boolean => baselineOf(line + 1) - baselineOf(line - 1) < 1.1 * pitch
  const areNames = names !== undefined && first !== undefined && others.length > 0 && [...names.lines].every((line) => lines[line]?.length === 1 && !isBetweenRows(line))
  return areNames ? [union([names, first]), ...others] : [...groups]
}

/** Texts that are alone on their lines, between columns of values: names of the rows below, over all of them. */
function namesBetween (groups: readonly Group[], lines: ReadonlyArray<readonly Piece[]>, firstBody: number): Group[] {
  const isName = ({ piece, line }: { piece: Piece, line: number }): boolean => line >= firstBody - 1 && lines[line]?.length === 1 && (lines[line + 1]?.length ?? 0) > 1 && /^[\p{Lu}\p{Lo}]/u.test(textOf(piece)) && !isValue(textOf(piece))
  const columns = groups.filter(({ pieces }) => !pieces.every(isName))
  const [first, last] = [Math.min(...columns.map((column) => column.left)), Math.max(...columns.map((column) => column.right))]
  return columns.length < 2 ? [] : groups.filter((group) => !columns.includes(group) && group.left > first && group.right < last)
}

/** A head to the left over values to the right, or the other way round, do not lie over each other: as many of both are paired in their order. */
function pairedWithHeads (groups: readonly Group[], lines: ReadonlyArray<readonly Piece[]>, firstBody: number): Group[] {
  const kindOf = (group: Group): 'head' | 'body' | 'both' => {
    const isHead = [...group.lines].some((line) => line < firstBody)
    // Names of rows, alone on their lines, may stand under the head.
    const isBody = [...group.lines].some((line) => line >= firstBody && (!isHead || (lines[line]?.length ?? 0) > 1))
    return isHead && isBody ? 'both' : isHead ? 'head' : 'body'
  }
  const made: Group[] = []
  for (let index = 0; index < groups.length; index++) {
    const [one, other] = [groups[index], groups[index + 1]]
    if (one === undefined) continue
    const kinds = other === undefined ? [] : [kindOf(one), kindOf(other)]
    // Of two that it may belong to, the nearer.
    const next = groups[index + 2]
    const isNearerToNext = other !== undefined && next !== undefined && kinds[1] === 'head' && kindOf(next) === 'body' && next.left - other.right < other.left - one.right
    if (other !== undefined && !isNearerToNext && kinds.includes('head') && kinds.includes('body')) {
      made.push(union([one, other]))
      index += 1
    } else made.push(one)
  }
  return made
}
