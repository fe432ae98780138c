/** Finds the tables among lines that nothing is drawn around: lines of several texts, one under the other, with what belongs to them. */
import { goesOnBelow, isValue } from './cell-values.js'
import { meet } from './columns.js'
import { overlapping } from './find-rows.js'
import { sizeWord } from './side-by-side.js'
import { textOf, type Line, type Piece } from './text-lines.js'

export interface TextBlock { isTable: boolean, lines: Line[] }

/** In parts of the font's size. */
const [farthest, farthestInColumns] = [3.6, 6]
/** Over several columns. */
const mostWordsOfHead = 7
/** Of a list, or of a note below a table. */
const bullet = /^(?:[•◦▪‣·–—-]|[*∗†‡§]{1,3}|[¹²³]|\p{Nd}{1,2}[.)]|\p{L}\))$/u

export function findTables (lines: readonly Line[]): TextBlock[] {
  const blocks: TextBlock[] = []
  let rest = [...lines]
  while (rest.length > 0) {
    const table = tableAt(rest)
    const last = blocks.at(-1)
    if (table.length > 0) blocks.push({ isTable: true, lines: table })
    else if (last?.isTable === false) last.lines.push(...rest.slice(0, 1))
    else blocks.push({ isTable: false, lines: rest.slice(0, 1) })
    rest = rest.slice(Math.max(1, table.length))
  }
  return blocks
}

/** Of a list, or a note with its sign. */
export const isListed = ({ pieces: [first, second, third] }: Line): boolean =>
  first !== undefined && second !== undefined && third === undefined && bullet.test(textOf(first)) && textOf(second).length > 12

const isRow = (line: Line): boolean => line.pieces.length > 1 && !isListed(line)

const hasValues = ({ pieces }: Line): boolean => pieces.some((piece) => isValue(textOf(piece)))

/** The lines of a table that begins with the first line; none: there is none. */
function tableAt (lines: readonly Line[]): Line[] {
  const [first, second] = lines
  if (first === undefined || second === undefined) return []
  // What names the rows may stand between a text over some columns and their heads.
  const [, , third] = lines
  const heads = third !== undefined && !isRow(second) && isLeftOf(second, first) && isNear(second, third) ? third : second
  if (!isRow(first) && !(isHigher(lines) || isHeadOfTwo(lines) || (isNear(first, second) && isRow(heads) && spansSome(first, heads === second ? second : joined(second, third))))) return []
  const table = [first]
  for (let index = 1; index < lines.length; index++) {
    const [line, before] = [lines[index], lines[index - 1]]
    if (line === undefined || before === undefined || !(isNear(before, line) || isAsFarAsRows(before, line, lines[index + 1]))) break
    const gap = line.baseline - before.baseline
    if (isRow(line)) {
      if (startsAnother(table, line, gap)) break
    } else if (!belongs(line, before, lines.slice(index), table, gap)) break
    table.push(line)
  }
  while (table.length > 0 && !isRow(table.at(-1) ?? first) && !wraps(table.at(-1) ?? first, table.slice(0, -1)) && !isLowerHalf(table.at(-1) ?? first, table.slice(0, -1))) table.pop()
  return table.filter(isRow).length > 1 ? table : []
}

const isNear = (one: Line, other: Line): boolean => other.baseline - one.baseline <= (areUnderEachOther(one, other) ? farthestInColumns : farthest) * Math.max(one.size, other.size)

/** As many texts of one size, each over the other line's. */
const areUnderEachOther = ({ pieces: above, size }: Line, { pieces: below, size: sizeBelow }: Line): boolean =>
  above.length > 1 && Math.abs(size - sizeBelow) < 0.05 * size && (above.length > 2 || below.some((piece) => isValue(textOf(piece)))) && above.length === below.length && above.every((piece, index) => below.every((other, at) => meet(piece, other) === (index === at)))

/** The last line of a head, over some of the columns of the rows below, which are as far from each other. */
function isAsFarAsRows (head: Line, row: Line, next: Line | undefined): boolean {
  if (next === undefined || hasValues(head) || !hasValues(row) || head.pieces.length < 3 || !areUnderEachOther(row, next) || !isNear(row, next)) return false
  return row.baseline - head.baseline < 1.05 * (next.baseline - row.baseline) && head.pieces.every((piece) => row.pieces.filter((other) => meet(piece, other)).length === 1)
}

const isLeftOf = ({ pieces: [key, second], baseline }: Line, { pieces: [text], size, baseline: above }: Line): boolean =>
  key !== undefined && second === undefined && text !== undefined && key.right < text.left && baseline - above < size

const joined = (line: Line, other: Line | undefined): Line => ({ ...line, pieces: [...line.pieces, ...other?.pieces ?? []] })

/** A text that stands over some of the columns below, not over the first: what they have in common. */
function spansSome ({ pieces: [text], size }: Line, below: Line): boolean {
  const [key] = below.pieces
  const isSentence = text !== undefined && (text.words.length > mostWordsOfHead || /\p{L}{2}[.!?:]$/u.test(textOf(text)))
  return text !== undefined && key !== undefined && below.pieces.length > 2 && text.left > key.right && size <= 1.15 * below.size && !isSentence
}

/** Two rows as far apart as those below them, and something between: it is in the middle of a cell that spans both. */
function isBetweenRows (before: Line, after: Line, lines: readonly Line[]): boolean {
  const rows = lines.slice(2, 5).filter(isRow)
  const gaps = [after, ...rows].slice(1).map((row, index) => row.baseline - ([after, ...rows][index]?.baseline ?? 0))
  return isRow(before) && isRow(after) && gaps.length > 0 && after.baseline - before.baseline <= 1.1 * Math.min(...gaps)
}

/** Between two rows, a text in a column of texts that is not the first. */
function isWithinColumn ({ pieces: [text], size, baseline }: Line, lines: readonly Line[], table: readonly Line[]): boolean {
  const [before, after] = [table.findLast(isRow), lines.slice(1, 5).find(isRow)]
  const last = table.at(-1)
  if (text === undefined || before === undefined || after === undefined || last === undefined || baseline - last.baseline > 2.3 * size || size > 1.05 * before.size || isValue(textOf(text))) return false
  return [before, after].every(({ pieces: [key, ...others] }) => key !== undefined && text.left > key.right && others.filter((piece) => meet(piece, text)).length < 2) &&
    [...table.slice(-3), ...lines.slice(1, 4)].flatMap(({ pieces }) => pieces).some((piece) => meet(piece, text) && !isValue(textOf(piece)))
}

/** The first line is more of a cell than its row's others have, above their line: nearer than the rows are, and no wider than its column. */
function isHigher ([line, ...below]: readonly Line[]): boolean {
  const row = below.slice(0, 4).find(isRow)
  const [text] = line?.pieces ?? []
  const [next] = below
  if (row === undefined || line === undefined || next === undefined || text === undefined || isRow(line) || isValue(textOf(text)) || line.size > 1.05 * row.size) return false
  const size = line.size
  const gap = next.baseline - line.baseline
  const valued = below.filter((each) => isRow(each) && hasValues(each)).slice(0, 4)
  const rows = valued.length > 1 ? valued : below.filter(isRow).slice(0, 4)
  const pitch = Math.min(...rows.slice(1).map((line, index) => line.baseline - (rows[index]?.baseline ?? 0)))
  const [before, after] = [row.pieces.findLast(({ right }) => right <= text.left), row.pieces.find(({ left }) => left >= text.right)]
  const isWithin = row.pieces.filter((piece) => meet(piece, text)).length < 2 && (before !== undefined || gap < overlapping * size || isMirrored(line, row, below)) && (before === undefined || text.left > before.right + 0.3 * size) && (after === undefined || text.right < after.left - 0.3 * size)
  const isChain = below.slice(0, below.indexOf(row)).every(({ pieces: [more, second] }) => second === undefined && more !== undefined && (meet(more, text) || more.right < (row.pieces[0]?.left ?? 0)))
  return isWithin && isChain && gap < 1.55 * size && gap < 0.8 * pitch
}

/** Beside each other, but on lines of their own, one in the middle of the other's lines: heads of two columns. */
function isHeadOfTwo ([first, second, ...below]: readonly Line[]): boolean {
  const [text, other] = [first?.pieces[0], second?.pieces[0]]
  if (first === undefined || second === undefined || text === undefined || other === undefined || first.pieces.length > 1 || second.pieces.length > 1) return false
  const row = below.slice(0, 4).findIndex(isRow)
  const chain = [first, second, ...below.slice(0, row + 1)]
  const isHead = ({ pieces: [each] }: Line): boolean => each !== undefined && (meet(each, text) || meet(each, other)) && !isValue(textOf(each))
  return row !== -1 && !meet(text, other) && second.baseline - first.baseline < overlapping * second.size && chain.slice(0, -1).every(isHead) &&
    chain.slice(1).every((line, index) => isNear(chain[index] ?? line, line)) && below[row]?.pieces.length === 2 && hasValues(below[row])
}

/** As far below its row there is more of the same cell. */
function isMirrored ({ pieces: [text], baseline }: Line, row: Line, below: readonly Line[]): boolean {
  const after = below[below.indexOf(row) + 1]
  return text !== undefined && after !== undefined && Math.abs(after.baseline - row.baseline - (row.baseline - baseline)) < 1 && after.pieces.some((piece) => meet(piece, text))
}

/** As far above its row stands more of the same cell, whose middle is on the row's line. */
function isLowerHalf ({ pieces: [text, second], baseline, size }: Line, table: readonly Line[]): boolean {
  const row = table.findLast(isRow)
  if (text === undefined || second !== undefined || row === undefined || baseline - row.baseline > 3 * size) return false
  const isUpper = (line: Line): boolean => !isRow(line) && Math.abs(line.baseline + baseline - 2 * row.baseline) < 0.1 * size && line.pieces.some((piece) => meet(piece, text))
  const above = table.slice(0, table.indexOf(row))
  return row.pieces.filter((piece) => meet(piece, text)).length < 2 && above.slice(above.findLastIndex(isRow) + 1).some(isUpper)
}

/** A head after rows of values, farther away than these from each other; a little is enough where its first column is named as the one above, or names sizes. */
function startsAnother (table: readonly Line[], line: Line, gap: number): boolean {
  const pitch = pitchOf(table)
  const keyOf = ({ pieces: [key] }: Line): string => key === undefined ? '' : textOf(key).toLowerCase()
  const isSame = gap > 1.1 * pitch && (sizeWord.test(keyOf(line)) || table.slice(0, 1).some((head) => !hasValues(head) && head.pieces.length > 1 && keyOf(head) === keyOf(line)))
  return table.some(hasValues) && !hasValues(line) && (isSame || gap > 1.5 * (pitch > 0 ? pitch : Infinity)) && table.length > 1
}

/** A line of one text within a table: more of a cell above, or the name of the rows below. */
function belongs (line: Line, before: Line, lines: readonly Line[], table: readonly Line[], gap: number): boolean {
  const [, after] = lines
  if (wraps(line, table) || isLowerHalf(line, table)) return true
  const [text] = line.pieces
  if (text === undefined || line.pieces.length > 1 || after === undefined || !isNear(line, after)) return false
  if (isHigher(lines) || isBetweenRows(before, after, lines) || isWithinColumn(line, lines, table)) return true
  const isOverlapping = gap < overlapping * line.size || after.baseline - line.baseline < overlapping * line.size
  if (isOverlapping) return true
  const isEven = gap <= 1.3 * Math.min(pitchOf(table) || Infinity, farthest * line.size) && line.size <= 1.12 * before.size
  const [key, second] = table.find(isRow)?.pieces ?? []
  if (!isEven || key === undefined) return false
  const isOverKeys = meet(text, key) || Math.abs(text.left - key.left) < line.size || (second !== undefined && text.right < second.left && hasNamesBelow(text, lines))
  // The name of the first rows, under the head.
  if (!table.some(hasValues) && isRow(after) && hasValues(after) && !hasValues(before) && isOverKeys && (gap <= 1.15 * (after.baseline - line.baseline) || hasNamesBelow(text, lines)) && line.size <= 1.12 * before.size) return true
  // A table that comes next has a head of its own.
  const row = isRow(after) || isHigher(lines.slice(1)) ? lines.slice(1, 5).find(isRow) : undefined
  return row !== undefined && (table.some(hasValues) ? hasValues(row) : table.length < 4 && text.left > key.right)
}

/** Another text alone between rows, at the same place: under its beginning, its end or its middle. */
const hasNamesBelow = (text: Piece, lines: readonly Line[]): boolean => lines.some((line, index) => {
  const [other, second] = line.pieces
  const [before, after] = [lines[index - 1], lines[index + 1]]
  return index > 1 && other !== undefined && second === undefined && !isValue(textOf(other)) && isAlignedWith(other, text) && before !== undefined && after !== undefined && isRow(before) && isRow(after) && isNear(before, line) && isNear(line, after)
})

const isAlignedWith = (one: Piece, other: Piece): boolean =>
  Math.min(Math.abs(one.left - other.left), Math.abs(one.right - other.right), Math.abs(one.left + one.right - other.left - other.right) / 2) < 1

/** The least distance of two rows that follow each other. */
const pitchOf = (table: readonly Line[]): number => {
  const gaps = table.slice(1).flatMap((line, index) => isRow(line) && isRow(table[index] ?? line) && hasValues(line) ? [line.baseline - (table[index]?.baseline ?? 0)] : [])
  return gaps.length > 0 ? Math.min(...gaps) : 0
}

/** Under a text of the line above, no wider than its column, and near. */
function wraps (line: Line, table: readonly Line[]): boolean {
  const before = table.at(-1)
  if (before === undefined || line.pieces.length > 1) return false
  const [text] = line.pieces
  const row = table.findLast(isRow)
  if (text === undefined || row === undefined || line.baseline - before.baseline > Math.max(1.45 * line.size, 0.87 * pitchOf(table)) || line.size > 1.05 * before.size) return false
  if (isAsUnderOthers(text, row, table)) return true
  const near = [row, ...table.slice(-2)].flatMap(({ pieces }) => pieces)
  const only = near.findLast((piece) => meet(piece, text))
  if (only === undefined || row.pieces.filter((piece) => meet(piece, text)).length > 1) return false
  if (!goesOnBelow(textOf(only), textOf(text)) && (isValue(textOf(text)) || isValue(textOf(only)))) return false
  if (row.pieces[0] === only && !/^\p{Ll}|^\(/u.test(textOf(text))) return false
  const next = row.pieces.find((piece) => piece.left > text.left && piece !== only && !meet(piece, text))
  return (next === undefined || text.right < next.left) && text.right - text.left < 1.6 * (only.right - only.left) + 2 * line.size
}

/** At the same place under its row as a text under each of the rows before, and no wider. */
function isAsUnderOthers ({ left, right, baseline, size }: Piece, row: Line, table: readonly Line[]): boolean {
  const rows = table.filter((line) => isRow(line) && hasValues(line) && line !== row)
  const isAsHere = (other: Line): boolean => {
    const { pieces: [below, second] } = table[table.indexOf(other) + 1] ?? other
    return below !== undefined && second === undefined && Math.abs(below.baseline - other.baseline - baseline + row.baseline) < 0.1 * size &&
      Math.min(Math.abs(below.left - left), Math.abs(below.right - right), Math.abs(below.left + below.right - left - right) / 2) < 1 && right - left < 1.5 * (below.right - below.left)
  }
  return table.at(-1) === row && rows.length > 1 && rows.every(isAsHere)
}
