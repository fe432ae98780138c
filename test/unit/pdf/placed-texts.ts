/** Texts with their places, as a page's are, made by hand: a letter is 5 wide where nothing else is said. */
import type { Placed, PlacedLine } from '../../../src/pdf/columns.js'
import type { Table, TableCell } from '../../../src/pdf/page-model.js'
import type { Line, Piece } from '../../../src/pdf/text-lines.js'

interface Look { size?: number, right?: number }

export function piece (text: string, left: number, baseline: number, { size = 10, right = left + 5 * text.length }: Look = {}): Piece {
  let at = left
  const words = text.split(' ').map((word) => {
    const from = at
    at += 5 * (word.length + 1)
    return { text: word, left: from, right: from + 5 * word.length }
  })
  return { words, left, right, baseline, size, order: 0 }
}

/** Texts by where they begin. */
export const lineOf = (baseline: number, texts: Record<number, string>, size = 10): Line =>
  ({ baseline, size, pieces: Object.entries(texts).map(([left, text]) => piece(text, Number(left), baseline, { size })) })

/** Texts by their column, each 100 wide. */
export const placedLine = (baseline: number, texts: Record<number, string>): PlacedLine => ({
  baseline, size: 10, placed: Object.entries(texts).map(([column, text]): Placed => ({ piece: piece(text, 100 * Number(column), baseline), from: Number(column), to: Number(column) }))
})

/** `\n` begins another line, 12 below. */
const cellAt = (text: string, left: number, baseline: number): TableCell => ({
  text: text.replaceAll('\n', ' '), pieces: text === '' ? [] : text.split('\n').map((line, index) => piece(line, left, baseline + 12 * index))
})

/** Columns are 100 apart, rows 20; `at`: where each row stands. */
export function tableOf (head: string[], rows: string[][], { isGrid = false, page = 1, title = [], at = [head, ...rows].map((_, row) => 20 * row) }: Partial<Pick<Table, 'isGrid' | 'page' | 'title'>> & { at?: number[] } = {}): Table {
  const cellsOf = (row: string[], index: number): TableCell[] => row.map((text, column) => cellAt(text, 100 * column, at[index] ?? 0))
  return {
    title, head: cellsOf(head, 0), rows: rows.map((row, index) => cellsOf(row, index + 1)), repeated: [], doubts: [], page, isGrid,
    columns: head.map((_, column) => ({ left: 100 * column, right: 100 * column + 60 }))
  }
}
