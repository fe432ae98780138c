/**
 * Whether what was made of a page is what the page says: each of its words once, in its row and column. What speaks against it is why a
 * chart is not READY, so nothing here knows how the tables were found.
 */
import { isNumeric, isValue, valuesIn } from './cell-values.js'
import { isAboveHead, isCutInTwo, isOffItsRows, runsOn } from './lost-lines.js'
import { blockMarkdown } from './page-markdown.js'
import type { Block, PageContent, Table, TableCell } from './page-model.js'
import { textOf, type Line, type Piece } from './text-lines.js'

/** Of a numeric column's cells. */
const mostly = 0.6
/** Of a font's size. */
const besideTable = { any: 2.4, asManyTexts: 5 }
/** Of a font's size: letters may lean over the next column. */
const lean = 0.35

/** null: it is faithful. */
export function faultOf ({ blocks, words }: PageContent): string | null {
  const tables = blocks.flatMap((block) => 'table' in block ? [block.table] : [])
  for (const table of tables) {
    const fault = table.doubts[0] ?? shapeFault(table) ?? orderFault(table) ?? valueFault(table)
    if (fault !== null) return fault
  }
  if (blocks.some((block, index) => 'lines' in block && block.lines.some((line) => isLeftOut(line, [blocks[index - 1], blocks[index + 1]])))) return 'a row stands outside of its table'
  if (tables.some((table) => blocks.flatMap((block) => 'lines' in block ? block.lines : []).filter((line) => isValueOnRow(line, table)).length > 1)) return 'values stand beside the rows of a table'
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

function shapeFault (table: Table): string | null {
  const { head, rows, isGrid } = table
  if (rows.some((row) => row.length !== head.length)) return 'a row has other columns than the head'
  if (rows.length === 0 || rows.some((row) => row.every(({ text }) => text === ''))) return 'a row is empty'
  if (!isGrid && head.length > 2 && rows.some(holdsOneText)) return 'a row holds one text only'
  if (!isGrid && rows.some((row) => holdsOneText(row) && row.some(({ text }) => isValue(text)))) return 'a row holds one value only'
  if (rows.some((row, index) => isRestOfRow(row, rows[index - 1], rows[index + 1] ?? rows[index - 2]))) return 'a row is more of the one above'
  if (rows.flat().some(standsAskew)) return 'texts of one cell stand on different lines'
  if (sharesColumn(head)) return 'a text over several columns stands beside the head of one of them'
  if (rows.flat().some(({ text }) => /\p{N}\s*[-–—]$/u.test(text))) return 'a range has no end'
  if (!isGrid && isHeadInTwo(head, rows)) return 'a head may be more of the one beside it'
  if (hasHeadBelow(head, rows)) return 'a part of the head is in the rows'
  if (isNameInHead(head, rows)) return 'the name of a group of rows is in the head'
  if (isNameBetweenRows(rows)) return 'the name of a group of rows stands beside one of them'
  if (2 * head.filter(({ text }) => text === '').length > head.length) return 'most columns have no head'
  if (!isGrid && isOffItsRows(table)) return 'texts stand on no line of their rows'
  if (runsOn(table)) return 'a text runs on from row to row'
  if (!isGrid && head[0]?.text === '' && rows.filter(([key]) => key?.text !== '').length < 2) return 'the first column is empty'
  if (2 * head.filter(isOverValue).length >= head.length) return 'a row is in the head'
  return !isGrid && head.some(({ text }, column) => column > 0 && column < head.length && text === '') && head[0]?.text !== '' ? 'a column has no head' : null
}

const holdsOneText = (row: readonly TableCell[]): boolean => row.filter(({ text }) => text !== '').length === 1 && row[0]?.text === ''

const baselineOf = (row: readonly TableCell[]): number => Math.max(...row.flatMap(({ pieces }) => pieces.map(({ baseline }) => baseline)))

/** In few columns, as near to the row above as lines of a text are, and nearer than to another. */
function isRestOfRow (row: readonly TableCell[], above: readonly TableCell[] | undefined, other: readonly TableCell[] | undefined): boolean {
  const filled = row.filter(({ text }) => text !== '')
  const [first, ...others] = filled
  if (above === undefined || first === undefined || 2 * filled.length > row.length) return false
  const size = Math.max(...filled.flatMap(({ pieces }) => pieces.map((piece) => piece.size)))
  const gap = baselineOf(row) - baselineOf(above)
  if (gap < 0 || gap > 1.45 * size) return false
  if (row[0] === first && others.length === 0) return /^\p{Ll}/u.test(first.text) && above[0]?.text !== ''
  if (row[0]?.text === '' && above[0]?.text !== '') return true
  return other !== undefined && gap < 0.75 * Math.abs(baselineOf(other) - (baselineOf(other) > baselineOf(row) ? baselineOf(row) : baselineOf(above)))
}

/** What is said for several columns is above what each of them has for itself. */
function sharesColumn (head: readonly TableCell[]): boolean {
  return head.some(({ pieces }) => pieces.some((piece) => head.filter((cell) => cell.pieces.includes(piece)).length > 1 &&
    (isTwoInOne(piece) || pieces.some((other) => other !== piece && Math.abs(other.baseline - piece.baseline) < 0.3 * piece.size))))
}

/** A column that holds nothing, and whose head stands beside the next one as words of one text do. */
function isHeadInTwo (head: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean {
  return head.some(({ pieces }, column) => rows.every((row) => row[column]?.text === '') && [head[column - 1], head[column + 1]].some((beside) => beside?.pieces.some((other) => pieces.some((piece) =>
    Math.abs(piece.baseline - other.baseline) < lean * piece.size && Math.max(other.left - piece.right, piece.left - other.right) < piece.size))))
}

/** The ends of two heads that touch. */
const isTwoInOne = ({ words }: Piece): boolean => words.some(({ text }) => /^(\p{L}{3,})\1$|\p{Ll}{2}\p{Lu}\p{Ll}{2}/u.test(text))

/** Texts in columns of values, where the head has none. */
function hasHeadBelow (head: readonly TableCell[], [first, ...rows]: ReadonlyArray<readonly TableCell[]>): boolean {
  return head.some(({ text }, column) => {
    const below = rows.map((row) => row[column]?.text ?? '').filter((cell) => cell !== '')
    const own = first?.[column]?.text ?? ''
    return text === '' && own !== '' && !isValue(own) && below.length > 1 && below.filter(isValue).length >= mostly * below.length
  })
}

/** Only the first cell of the head has two lines, and names of groups stand alone in rows: the second may be one. */
function isNameInHead ([key, ...others]: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean {
  const isTall = ({ pieces }: TableCell): boolean => Math.max(...pieces.map(({ baseline }) => baseline)) - Math.min(...pieces.map(({ baseline }) => baseline)) > 0.9 * (pieces[0]?.size ?? 0)
  const hasNames = rows.some(([first, ...rest]) => first?.text !== '' && rest.every(({ text }) => text === ''))
  return key !== undefined && hasNames && ((isTall(key) && !others.some(isTall)) || hasLoneLastLine([key, ...others]))
}

/** One text under all others of a head, farther from them than they are from each other. */
function hasLoneLastLine (head: readonly TableCell[]): boolean {
  const pieces = [...new Set(head.flatMap((cell) => cell.pieces))].toSorted((one, other) => other.baseline - one.baseline)
  const [last, before] = pieces
  const baselines = pieces.slice(1).map(({ baseline }) => baseline)
  const gaps = baselines.slice(1).map((baseline, index) => (baselines[index] ?? 0) - baseline).filter((gap) => gap > 1)
  return last !== undefined && before !== undefined && last.baseline - before.baseline > Math.max(0.3 * last.size, 1.1 * Math.min(...gaps, last.size))
}

/** In the middle of a group of rows: which it names is a guess. */
function isNameBetweenRows (rows: ReadonlyArray<readonly TableCell[]>): boolean {
  const [first, ...others] = rows.map(([key, ...cells]) => ({ isNamed: key?.text !== '', hasValues: cells.some(({ text }) => isValue(text)) }))
  return first?.isNamed === false && first.hasValues && others.some(({ isNamed, hasValues }) => isNamed && hasValues) && others.some(({ isNamed }) => !isNamed)
}

/** Beside each other and nearly on one line: whether a small sign is raised, and beside what, is a guess. */
const standsAskew = ({ pieces }: TableCell): boolean => pieces.some((one, index) => pieces.slice(index + 1).some((other) => {
  const off = Math.abs(one.baseline - other.baseline) / Math.max(one.size, other.size)
  return off > 0.05 && off < 0.6 && (one.right <= other.left + 0.1 * one.size || other.right <= one.left + 0.1 * one.size)
}))

/** A text with a value below it. */
function isOverValue ({ pieces }: TableCell): boolean {
  const lines = pieces.toSorted((one, other) => one.baseline - other.baseline)
  const [first, last] = [lines[0], lines.at(-1)]
  return first !== undefined && last !== undefined && last.baseline - first.baseline > 0.5 * last.size && isValue(textOf(last)) && !isValue(textOf(first))
}

/** What stands where the head should is a row like the others: the head is somewhere else, or missing. */
export function isHeadless ({ head, title }: Table): boolean {
  const [key, ...others] = head.map(({ text }) => text)
  const isSize = (text: string): boolean => /^(?:\d?X*[SL]|M)$/iu.test(text)
  const isRow = key !== undefined && (isValue(key) || isSize(key) || others.some(isSize))
  return title.length === 0 && isRow && 2 * others.filter(isValue).length >= others.length
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
