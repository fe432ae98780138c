/** Columns, and what lies over them. */
import type { Piece } from './text-lines.js'

export interface Column { left: number, right: number }

/** A piece and the columns that it is in. */
export interface Placed { piece: Piece, from: number, to: number }
export interface PlacedLine { baseline: number, size: number, placed: Placed[] }

/** Points by which neighbours may touch. */
const touch = 1.2

export const width = ({ left, right }: Column): number => right - left

/** Whether they have a place in common, however little. */
export const meet = (one: Column, other: Column): boolean => one.left < other.right && other.left < one.right

/** The same of neighbours, which may touch. */
export const overlaps = (one: Column, other: Column): boolean =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > Math.min(touch, 0.3 * Math.min(width(one), width(other)))

/** Those that it lies over; of one that lies between, the two beside it. */
export function spanOf (piece: Piece, columns: readonly Column[]): { from: number, to: number } {
  const covered = columns.map((column, index) => overlaps(column, piece) ? index : -1).filter((index) => index !== -1)
  if (covered.length > 0) return { from: Math.min(...covered), to: Math.max(...covered) }
  const after = columns.findIndex(({ left }) => left > piece.left)
  if (after === -1) return { from: columns.length - 1, to: columns.length - 1 }
  return { from: Math.max(0, after - 1), to: after }
}
