/** What a page says, as markdown can have it: text, and tables of one head and as many cells in each row as in the head. */
import type { Line, Piece } from './text-lines.js'

export type Block = { lines: Line[] } | { table: Table }

export interface PageContent {
  /** In the order in which they are read. */
  blocks: Block[]
  /** Its words, as they stand on the page. */
  words: string[]
}

export interface TableCell {
  pieces: Piece[]
  text: string
}

export interface Table {
  /** What stood in the frame above the head, over all columns. */
  title: string[]
  head: TableCell[]
  rows: TableCell[][]
  /** Texts of the head that stand over several columns: each is said once more for every column but the first. */
  repeated: string[]
  /** What speaks against it, should it be wrong. */
  doubts: string[]
  /** The page that it ends on, and where its columns are. */
  page: number
  columns: Array<{ left: number, right: number }>
  /** Whether lines around each cell have decided. */
  isGrid: boolean
}
