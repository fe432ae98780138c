/** Reads a page's text and tables; a reading that is not faithful is tried the other way, and then given up. */
import { buildTable, type Region } from './build-table.js'
import { faultOf } from './faithful.js'
import { findTables } from './find-tables.js'
import type { PageGeometry, TurnedText } from './page-geometry.js'
import { partPage } from './part-page.js'
import type { Block, PageContent } from './page-model.js'
import { readLines, type Line, type Piece } from './text-lines.js'

/** null: no way of reading its tables accounts for each word once, in its row and column. */
export function contentOf (geometry: PageGeometry, page: number): PageContent | null {
  const { asWritten, otherwise } = readLines(geometry.glyphs)
  const slanted = geometry.turned.filter(({ isUpright }) => !isUpright)
  for (const lines of [asWritten, otherwise]) {
    const all = withTurned(lines, geometry.turned.filter(({ isUpright }) => isUpright))
    const blocks = blocksOf(all, geometry, page)
    if (blocks === null) continue
    const content = {
      blocks: [...blocks, ...slanted.map((text) => ({ lines: [{ baseline: text.bottom, size: 0, pieces: [pieceOf(text)] }] }))],
      words: [...all.flatMap(({ pieces }) => pieces).flatMap(({ words }) => words.map(({ text }) => text)), ...slanted.flatMap(({ text }) => text.split(' '))]
    }
    if (faultOf(content) === null) return content
  }
  return null
}

/** null: what looks like a table cannot be built. */
function blocksOf (lines: readonly Line[], geometry: PageGeometry, page: number): Block[] | null {
  const blocks: Block[] = []
  for (const { lines: own, frame } of partPage(lines, geometry)) {
    const found = frame === null ? findTables(own) : [{ isTable: true, lines: own }]
    for (const { isTable, lines: block } of found) {
      if (!isTable) blocks.push({ lines: block })
      else {
        const table = buildTable(regionOf(block, frame ?? geometry, frame === null), page)
        if (table === null) return null
        blocks.push({ table })
      }
    }
  }
  return blocks
}

/** Lines between rows help where no frame is, those between columns do not: they would have made one. */
function regionOf (lines: Line[], { horizontal, vertical }: Pick<PageGeometry, 'horizontal' | 'vertical'>, isOpen: boolean): Region {
  if (!isOpen) return { lines, horizontal, vertical }
  const pieces = lines.flatMap((line) => line.pieces)
  const [left, right] = [Math.min(...pieces.map((piece) => piece.left)), Math.max(...pieces.map((piece) => piece.right))]
  const top = Math.min(...pieces.map(({ baseline, size }) => baseline - 2 * size))
  const bottom = Math.max(...pieces.map(({ baseline, size }) => baseline + size))
  return { lines, vertical: [], horizontal: horizontal.filter(({ at, from, to }) => at > top && at < bottom && from < right && to > left) }
}

const pieceOf = ({ text, left, right, top, bottom }: TurnedText): Piece => ({
  words: text.split(' ').map((word) => ({ text: word, left, right })), left, right, baseline: bottom, size: Math.min(right - left, bottom - top), order: 0
})

/** Words of a head that were turned stand on one line, by where they end or begin; on that of a word beside them that was not. */
function withTurned (lines: readonly Line[], turned: readonly TurnedText[]): Line[] {
  const all = lines.map((line) => ({ ...line, pieces: [...line.pieces] }))
  const groups: TurnedText[][] = []
  for (const text of turned) {
    const group = groups.find((known) => known.some(({ top, bottom }) => top < text.bottom && text.top < bottom))
    if (group === undefined) groups.push([text])
    else group.push(text)
  }
  for (const group of groups) {
    const [top, bottom] = [Math.min(...group.map((text) => text.top)), Math.max(...group.map((text) => text.bottom))]
    const pieces = group.map(pieceOf)
    const size = Math.max(...pieces.map((piece) => piece.size))
    const beside = all.filter(({ baseline }) => top < baseline && baseline <= bottom + 0.5 * size)
    const line = beside.at(-1)
    if (beside.length === 1 && line !== undefined) Object.assign(line, { pieces: [...line.pieces, ...pieces.map((piece) => ({ ...piece, baseline: line.baseline }))] })
    else all.push({ baseline: bottom, size, pieces: pieces.map((piece) => ({ ...piece, baseline: bottom })) })
  }
  for (const { pieces } of all) pieces.sort((one, other) => one.left - other.left)
  return all.sort((one, other) => one.baseline - other.baseline)
}
