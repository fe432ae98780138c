/** Finds the tables among lines that nothing is drawn around: lines of several texts, one under the other, with what belongs to them. */
import { goesOnBelow, isValue } from './cell-values.js'
import { meet } from './columns.js'
import { overlapping, tight } from './find-rows.js'
import { sizeWord } from './side-by-side.js'
import { textOf, type Line, type Piece } from './text-lines.js'
import { nearlyAt, sameSize, textSpacing } from './typography.js'

export interface TextBlock { isTable: boolean, lines: Line[] }

/** From row to row, in parts of the font's size: three lines of a cell of which the others have one; and where texts stand in the same columns, with two empty lines between each two. */
const [farthest, farthestInColumns] = [3.6, 6]
/** Over several columns: a sentence has more words. */
const mostWordsOfHead = 7
/** Of a note or an entry of a list: two words, or more than a sign of a column says. */
const leastLetters = 12
/** Rows of one table are as far apart, but for a point: a program sets them alike. */
const even = 1.1
/** Of the distance of rows: another table is at least half a row farther; the name of the next rows has half of that on top. */
const [apart, setOff] = [1.5, 1.3]
/** Of the distance of rows: a line that is nearer by a fifth is no row. */
const nearer = 0.8
/** How much larger than rows a head over columns, or the name of a group, may be: by one step; a title is by two. */
const larger = 1.15
/** In parts of the font's size: neighbours in one row are a blank apart at least. */
const leastBlank = 0.3
/** Two lines of a cell. */
const twoLines = 2 * textSpacing
/** Of the column's text above: a cell that wraps is as wide as its text is at most, which the last line need not tell, and by so many sizes. */
const [widerText, widerBy] = [1.6, 2]
/** Lines below that are looked at for what kind of line this is. */
const lookedAhead = 4
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
  first !== undefined && second !== undefined && third === undefined && bullet.test(textOf(first)) && textOf(second).length > leastLetters

const isRow = (line: Line): boolean => line.pieces.length > 1 && !isListed(line)

const isSameSize = (one: number, other: number): boolean => Math.max(one, other) <= sameSize * Math.min(one, other)

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
  above.length > 1 && isSameSize(size, sizeBelow) && (above.length > 2 || below.some((piece) => isValue(textOf(piece)))) && above.length === below.length && above.every((piece, index) => below.every((other, at) => meet(piece, other) === (index === at)))

/** The last line of a head, over some of the columns of the rows below, which are as far from each other. */
function isAsFarAsRows (head: Line, row: Line, next: Line | undefined): boolean {
  if (next === undefined || hasValues(head) || !hasValues(row) || head.pieces.length < 3 || !areUnderEachOther(row, next) || !isNear(row, next)) return false
  return row.baseline - head.baseline <= even * (next.baseline - row.baseline) && head.pieces.every((piece) => row.pieces.filter((other) => meet(piece, other)).length === 1)
}

const isLeftOf = ({ pieces: [key, second], baseline }: Line, { pieces: [text], size, baseline: above }: Line): boolean =>
  key !== undefined && second === undefined && text !== undefined && key.right < text.left && baseline - above < size

const joined = (line: Line, other: Line | undefined): Line => ({ ...line, pieces: [...line.pieces, ...other?.pieces ?? []] })

/** A text that stands over some of the columns below, not over the first: what they have in common. */
function spansSome ({ pieces: [text], size }: Line, below: Line): boolean {
  const [key] = below.pieces
  const isSentence = text !== undefined && (text.words.length > mostWordsOfHead || /\p{L}{2}[.!?:]$/u.test(textOf(text)))
  return text !== undefined && key !== undefined && below.pieces.length > 2 && text.left > key.right && size <= larger * below.size && !isSentence
}

/** Two rows as far apart as those below them, and something between: it is in the middle of a cell that spans both. */
function isBetweenRows (before: Line, after: Line, lines: readonly Line[]): boolean {
  const rows = lines.slice(2, 1 + lookedAhead).filter(isRow)
  const gaps = [after, ...rows].slice(1).map((row, index) => row.baseline - ([after, ...rows][index]?.baseline ?? 0))
  return isRow(before) && isRow(after) && gaps.length > 0 && after.baseline - before.baseline <= even * Math.min(...gaps)
}

/** Between two rows, a text in a column of texts that is not the first. */
function isWithinColumn ({ pieces: [text], size, baseline }: Line, lines: readonly Line[], table: readonly Line[]): boolean {
  const [before, after] = [table.findLast(isRow), lines.slice(1, 1 + lookedAhead).find(isRow)]
  const last = table.at(-1)
  if (text === undefined || before === undefined || after === undefined || last === undefined || baseline - last.baseline > twoLines * size || size > sameSize * before.size || isValue(textOf(text))) return false
  return [before, after].every(({ pieces: [key, ...others] }) => key !== undefined && text.left > key.right && others.filter((piece) => meet(piece, text)).length < 2) &&
    [...table.slice(-3), ...lines.slice(1, lookedAhead)].flatMap(({ pieces }) => pieces).some((piece) => meet(piece, text) && !isValue(textOf(piece)))
}

/** The first line is more of a cell than its row's others have, above their line: nearer than the rows are, and no wider than its column. */
function isHigher ([line, ...below]: readonly Line[]): boolean {
  const row = below.slice(0, lookedAhead).find(isRow)
  const [text] = line?.pieces ?? []
  const [next] = below
  if (row === undefined || line === undefined || next === undefined || text === undefined || isRow(line) || isValue(textOf(text)) || line.size > sameSize * row.size) return false
  const size = line.size
  const gap = next.baseline - line.baseline
  const valued = below.filter((each) => isRow(each) && hasValues(each)).slice(0, lookedAhead)
  const rows = valued.length > 1 ? valued : below.filter(isRow).slice(0, lookedAhead)
  const pitch = Math.min(...rows.slice(1).map((line, index) => line.baseline - (rows[index]?.baseline ?? 0)))
  const [before, after] = [row.pieces.findLast(({ right }) => right <= text.left), row.pieces.find(({ left }) => left >= text.right)]
  const isWithin = row.pieces.filter((piece) => meet(piece, text)).length < 2 && (before !== undefined || gap < overlapping * size || isMirrored(line, row, below)) && (before === undefined || text.left > before.right + leastBlank * size) && (after === undefined || text.right < after.left - leastBlank * size)
  const isChain = below.slice(0, below.indexOf(row)).every(({ pieces: [more, second] }) => second === undefined && more !== undefined && (meet(more, text) || more.right < (row.pieces[0]?.left ?? 0)))
  return isWithin && isChain && gap < textSpacing * size && gap < nearer * pitch
}

/** Beside each other, but on lines of their own, one in the middle of the other's lines: heads of two columns. */
function isHeadOfTwo ([first, second, ...below]: readonly Line[]): boolean {
  const [text, other] = [first?.pieces[0], second?.pieces[0]]
  if (first === undefined || second === undefined || text === undefined || other === undefined || first.pieces.length > 1 || second.pieces.length > 1) return false
  const row = below.slice(0, lookedAhead).findIndex(isRow)
  const chain = [first, second, ...below.slice(0, row + 1)]
  const isHead = ({ pieces: [each] }: Line): boolean => each !== undefined && (meet(each, text) || meet(each, other)) && !isValue(textOf(each))
  return row !== -1 && !meet(text, other) && second.baseline - first.baseline < overlapping * second.size && chain.slice(0, -1).every(isHead) &&
    chain.slice(1).every((line, index) => isNear(chain[index] ?? line, line)) && below[row]?.pieces.length === 2 && hasValues(below[row])
}

/** As far below its row there is more of the same cell. */
function isMirrored ({ pieces: [text], baseline, size }: Line, row: Line, below: readonly Line[]): boolean {
  const after = below[below.indexOf(row) + 1]
  return text !== undefined && after !== undefined && Math.abs(after.baseline - row.baseline - (row.baseline - baseline)) < nearlyAt * size && after.pieces.some((piece) => meet(piece, text))
}

/** As far above its row stands more of the same cell, whose middle is on the row's line. */
function isLowerHalf ({ pieces: [text, second], baseline, size }: Line, table: readonly Line[]): boolean {
  const row = table.findLast(isRow)
  if (text === undefined || second !== undefined || row === undefined || baseline - row.baseline > twoLines * size) return false
  const isUpper = (line: Line): boolean => !isRow(line) && Math.abs(line.baseline + baseline - 2 * row.baseline) < nearlyAt * size && line.pieces.some((piece) => meet(piece, text))
  const above = table.slice(0, table.indexOf(row))
  return row.pieces.filter((piece) => meet(piece, text)).length < 2 && above.slice(above.findLastIndex(isRow) + 1).some(isUpper)
}

/** A head after rows of values, farther away than these from each other; a little is enough where its first column is named as the one above, or names sizes. */
function startsAnother (table: readonly Line[], line: Line, gap: number): boolean {
  const pitch = pitchOf(table)
  const keyOf = ({ pieces: [key] }: Line): string => key === undefined ? '' : textOf(key).toLowerCase()
  const isSame = gap > even * pitch && (sizeWord.test(keyOf(line)) || table.slice(0, 1).some((head) => !hasValues(head) && head.pieces.length > 1 && keyOf(head) === keyOf(line)))
  return table.some(hasValues) && !hasValues(line) && (isSame || gap > apart * (pitch > 0 ? pitch : Infinity)) && table.length > 1
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
  const isEven = gap <= setOff * Math.min(pitchOf(table) || Infinity, farthest * line.size) && line.size <= larger * before.size
  const [key, second] = table.find(isRow)?.pieces ?? []
  if (!isEven || key === undefined) return false
  const isOverKeys = meet(text, key) || Math.abs(text.left - key.left) < line.size || (second !== undefined && text.right < second.left && hasNamesBelow(text, lines))
  // The name of the first rows, under the head.
  if (!table.some(hasValues) && isRow(after) && hasValues(after) && !hasValues(before) && isOverKeys && (gap <= even * (after.baseline - line.baseline) || hasNamesBelow(text, lines))) return true
  // A table that comes next has a head of its own.
  const row = isRow(after) || isHigher(lines.slice(1)) ? lines.slice(1, 1 + lookedAhead).find(isRow) : undefined
  return row !== undefined && (table.some(hasValues) ? hasValues(row) : table.length < 4 && text.left > key.right)
}

/** Another text alone between rows, at the same place: under its beginning, its end or its middle. */
const hasNamesBelow = (text: Piece, lines: readonly Line[]): boolean => lines.some((line, index) => {
  const [other, second] = line.pieces
  const [before, after] = [lines[index - 1], lines[index + 1]]
  return index > 1 && other !== undefined && second === undefined && !isValue(textOf(other)) && isAlignedWith(other, text) && before !== undefined && after !== undefined && isRow(before) && isRow(after) && isNear(before, line) && isNear(line, after)
})

const isAlignedWith = (one: Piece, other: Piece): boolean =>
  Math.min(Math.abs(one.left - other.left), Math.abs(one.right - other.right), Math.abs(one.left + one.right - other.left - other.right) / 2) < nearlyAt * one.size

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
  if (text === undefined || row === undefined || line.baseline - before.baseline > Math.max(textSpacing * line.size, tight * pitchOf(table)) || line.size > sameSize * before.size) return false
  if (isAsUnderOthers(text, row, table)) return true
  const near = [row, ...table.slice(-2)].flatMap(({ pieces }) => pieces)
  const only = near.findLast((piece) => meet(piece, text))
  if (only === undefined || row.pieces.filter((piece) => meet(piece, text)).length > 1) return false
  if (!goesOnBelow(textOf(only), textOf(text)) && (isValue(textOf(text)) || isValue(textOf(only)))) return false
  if (row.pieces[0] === only && !/^\p{Ll}|^\(/u.test(textOf(text))) return false
  const next = row.pieces.find((piece) => piece.left > text.left && piece !== only && !meet(piece, text))
  return (next === undefined || text.right < next.left) && text.right - text.left < widerText * (only.right - only.left) + widerBy * line.size
}

/** At the same place under its row as a text under each of the rows before, and no wider. */
function isAsUnderOthers (text: Piece, row: Line, table: readonly Line[]): boolean {
  const rows = table.filter((line) => isRow(line) && hasValues(line) && line !== row)
  const isAsHere = (other: Line): boolean => {
    const { pieces: [below, second] } = table[table.indexOf(other) + 1] ?? other
    return below !== undefined && second === undefined && Math.abs(below.baseline - other.baseline - text.baseline + row.baseline) < nearlyAt * text.size &&
      isAlignedWith(text, below) && text.right - text.left < widerText * (below.right - below.left)
  }
  return table.at(-1) === row && rows.length > 1 && rows.every(isAsHere)
}
