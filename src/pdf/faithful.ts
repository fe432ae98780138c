/**
 * Whether what was made of a page is what the page says: each of its words once, in its row and column. What speaks against it is why a
 * chart is not READY, so nothing here knows how the tables were found.
 */
import { isNumeric, isValue, valuesIn } from './cell-values.js'
import { headFault } from './head-faults.js'
import { isAboveHead, isCutInTwo } from './lost-lines.js'
import { blockMarkdown } from './page-markdown.js'
import type { Block, PageContent, Table, TableCell } from './page-model.js'
import { rowFault } from './row-faults.js'
import { textOf, type Line, type Piece } from './text-lines.js'

/** Of a numeric column's cells. */
const mostly = 0.6
/** Of a font's size. */
const besideTable = { any: 2.4, asManyTexts: 5 }
/** Of a font's size: letters may lean over the next column. */
const lean = 0.35

/** A list of a few sizes is no column. */
const loneValues = 4

/** null: it is faithful. */
export function faultOf ({ blocks, words }: PageContent): string | null {
  const tables = blocks.flatMap((block) => 'table' in block ? [block.table] : [])
  for (const table of tables) {
    const fault = table.doubts[0] ?? rowFault(table) ?? headFault(table) ?? orderFault(table) ?? valueFault(table)
    if (fault !== null) return fault
  }
  if (blocks.some((block, index) => 'lines' in block && block.lines.some((line) => isLeftOut(line, [blocks[index - 1], blocks[index + 1]])))) return 'a row stands outside of its table'
  if (tables.some((table) => blocks.flatMap((block) => 'lines' in block ? block.lines : []).filter((line) => isValueOnRow(line, table)).length > 1)) return 'values stand beside the rows of a table'
  if (blocks.some((block) => 'lines' in block && block.lines.filter(isLoneValue).length >= loneValues)) return 'a column of values stands outside of a table'
  if (tables.some((table) => standsColumnBeside(table, blocks))) return 'a column stands beside its table'
  if (blocks.some((block, index) => isAboveHead(blocks[index - 1], block)) || tables.some((table, index) => tables.slice(index + 1).some((next) => isCutInTwo(table, next)))) return 'a part of a table stands outside of it'
  const said = blocks.map((block) => blockMarkdown(block, () => '')).flatMap(wordsOfMarkdown)
  return sameWords(said, [...words, ...tables.flatMap(({ repeated }) => repeated.flatMap((text) => text.split(' ')))])
}

/** A line of several texts beside a table, as far away as its rows are from each other, or one with values anywhere. */
function isLeftOut ({ pieces, baseline, size }: Line, neighbours: ReadonlyArray<Block | undefined>): boolean {
  if (pieces.length < 2) return isUnderneath(pieces[0], neighbours[0]) || neighbours.some((block) => isBeside(pieces[0], block))
  if (pieces.length > 2 && pieces.filter((piece) => isValue(textOf(piece))).length > 1) return true
  return neighbours.some((block) => {
    if (block === undefined || !('table' in block)) return false
    const { head, rows } = block.table
    const reach = size * (pieces.length > 2 || pieces.length > head.length - 2 ? besideTable.asManyTexts : besideTable.any)
    return [...head, ...rows.flat()].some((cell) => cell.pieces.some((piece) => Math.abs(piece.baseline - baseline) < reach))
  })
}

const isValueOnRow = ({ pieces: [piece] }: Line, { rows }: Table): boolean => piece !== undefined && isValue(textOf(piece)) &&
  rows.some((row) => row.some((cell) => cell.pieces.some(({ baseline, size }) => Math.abs(baseline - piece.baseline) < 0.1 * size)))

const isLoneValue = ({ pieces: [piece, ...others] }: Line): boolean => piece !== undefined && others.length === 0 && isValue(textOf(piece))

/** Single texts on the lines of most rows, the head's among them, and none that is more than a few words. */
function standsColumnBeside ({ head, rows }: Table, blocks: readonly Block[]): boolean {
  const texts = blocks.flatMap((block) => 'lines' in block ? block.lines : []).flatMap(({ pieces: [piece, ...others] }) => piece === undefined || others.length > 0 ? [] : [piece])
  const standsOn = (row: readonly TableCell[]): boolean => texts.some((text) => row.some(({ pieces }) => pieces.some(({ baseline, size }) => Math.abs(baseline - text.baseline) < 0.1 * size)))
  return rows.length > 2 && standsOn(head) && 2 * rows.filter(standsOn).length > rows.length
}

/** On the line of a row, and as near as a text of its own would be: it may be more of it. */
function isBeside (piece: Piece | undefined, block: Block | undefined): boolean {
  if (piece === undefined || block === undefined || !('table' in block)) return false
  const { head, rows } = block.table
  return [...head, ...rows.flat()].some((cell) => cell.pieces.some((other) =>
    Math.abs(other.baseline - piece.baseline) < lean * piece.size && Math.max(other.left - piece.right, piece.left - other.right) < piece.size))
}

/** As near under a table as its rows are, and not at its left, or nearer: it may be more of the last row. */
function isUnderneath (piece: Piece | undefined, block: Block | undefined): boolean {
  if (piece === undefined || block === undefined || !('table' in block)) return false
  const baselines = block.table.rows.map((row) => Math.max(...row.flatMap(({ pieces }) => pieces.map(({ baseline }) => baseline))))
  const pitch = Math.min(...baselines.slice(1).map((baseline, index) => baseline - (baselines[index] ?? 0)))
  const [key, last] = [block.table.columns[0], block.table.columns.at(-1)]
  const below = piece.baseline - (baselines.at(-1) ?? 0)
  if (key === undefined || last === undefined || below <= 0 || piece.left > last.right) return false
  return piece.left > key.right ? below < 1.05 * pitch : piece.right < key.right + piece.size && below < Math.min(0.75 * pitch, 1.45 * piece.size)
}

/** As a reader of the markdown sees them. */
export function wordsOfMarkdown (markdown: string): string[] {
  return markdown.split('\n').flatMap((line) => {
    if (/^\|(?:---\|)+$/.test(line)) return []
    const cells = /^\|.*\|$/.test(line) ? line.slice(1, -1).split(/(?<!\\)\|/) : [line]
    return cells.flatMap((cell) => cell.replaceAll('\\|', '|').replace(/^\\(?=[#|-])/, '').split(/\s+/)).filter((word) => word !== '')
  })
}

function sameWords (said: readonly string[], written: readonly string[]): string | null {
  const left = new Map<string, number>()
  for (const word of written) left.set(word, (left.get(word) ?? 0) + 1)
  for (const word of said) left.set(word, (left.get(word) ?? 0) - 1)
  return [...left.values()].every((count) => count === 0) ? null : 'words are missing or too many'
}

/** Within a row, from column to column and from word to word; and no text of one column in another's place. */
function orderFault ({ head, rows, repeated }: Table): string | null {
  if (liesOver([...new Set(head.flatMap(({ pieces }) => pieces))])) return 'texts of the head lie over each other'
  for (const row of repeated.length > 0 ? rows : [head, ...rows]) {
    const isLeftward = (row.find(({ pieces }) => pieces.length > 0)?.pieces[0]?.left ?? 0) > (row.findLast(({ pieces }) => pieces.length > 0)?.pieces[0]?.left ?? 0)
    const cells = (isLeftward ? row.toReversed() : row).filter(({ pieces }) => pieces.length > 0)
    for (const [index, cell] of cells.entries()) {
      const next = cells[index + 1]
      if (next !== undefined && !standsBefore(cell.pieces, next.pieces)) return 'texts of two columns are not beside each other'
    }
  }
  return null
}

const liesOver = (pieces: readonly Piece[]): boolean => pieces.some((one) => pieces.some((other) =>
  one !== other && one.left <= other.left && Math.abs(one.baseline - other.baseline) < lean * one.size && one.right > other.left + lean * one.size))

const standsBefore = (left: readonly Piece[], right: readonly Piece[]): boolean =>
  left.every((one) => right.every((other) => one.left < other.left && one.right <= other.left + lean * one.size))

/** No cell of a numeric column holds two values where the others hold one. */
function valueFault ({ head, rows }: Table): string | null {
  for (const column of head.keys()) {
    if (holdsTwoColumns([head, ...rows].map((row) => row[column]?.pieces ?? []))) return 'cells hold two columns'
    const cells = rows.map((row) => row[column]).filter((cell): cell is TableCell => cell !== undefined && cell.text !== '')
    const counts = cells.map(({ text }) => valuesIn(plainValues(text)).length)
    // Where most hold two, two columns were taken for one.
    if (cells.length > 2 && cells.filter(({ text }, index) => (counts[index] ?? 0) > 1 && !/[\p{L}()/|]/u.test(text)).length >= mostly * cells.length) return 'cells hold two values'
    const single = cells.filter(({ text }, index) => counts[index] === 1 && isNumeric(text)).length
    if (single >= mostly * cells.length && counts.some((count, index) => count > 1 && !isSentence(cells[index]?.text ?? ''))) return 'a cell holds two values'
  }
  return null
}

/** Second words that begin under each other, however long the first ones are. */
function holdsTwoColumns (cells: ReadonlyArray<readonly Piece[]>): boolean {
  const pairs = cells.flatMap((pieces) => {
    const [piece] = pieces
    const [first, second] = pieces.flatMap(({ words }) => words).toSorted((one, other) => one.left - other.left)
    return piece === undefined || first === undefined || second === undefined || pieces.some(({ baseline }) => baseline !== piece.baseline) ? [] : [{ first, second, size: piece.size }]
  })
  const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)
  return pairs.length > 3 && spread(pairs.map(({ second }) => second.left)) < lean && spread(pairs.map(({ first }) => first.right)) > lean * Math.max(...pairs.map(({ size }) => size))
}

/** What is in brackets is said besides; a range may be in words. */
const plainValues = (text: string): string => text.replace(/[([][^()[\]]*[)\]]/g, ' ').replace(/\s(?:to|bis|à|a|до)\s/gu, '-')

const isSentence = (text: string): boolean => (text.match(/\p{L}{2,}/gu) ?? []).length > 2
