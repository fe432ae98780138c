/** What was written in one go over a line between two columns is in both; but a text that only reaches into a cell that has one of its own. */
import type { Rule } from './page-geometry.js'
import type { Piece } from './text-lines.js'

export function splitAtWalls (piece: Piece, walls: readonly Rule[], line: readonly Piece[]): Piece[] {
  const y = piece.baseline - 0.3 * piece.size
  const drawn = walls.filter(({ from, to }) => from <= y && y <= to).map(({ at }) => at).toSorted((one, other) => one - other)
  const crossing = drawn.filter((at) => piece.left + 1 < at && at < piece.right - 1)
  const slotAt = ({ left, right }: { left: number, right: number }): number => drawn.filter((at) => at < (left + right) / 2).length
  if (crossing.length === 0) return [piece]
  const parts = new Map<number, Piece>()
  for (const word of piece.words) {
    const slot = slotAt(word)
    const part = parts.get(slot)
    if (part === undefined) parts.set(slot, { ...piece, words: [word], left: word.left, right: word.right })
    else {
      part.words.push(word)
      part.left = Math.min(part.left, word.left)
      part.right = Math.max(part.right, word.right)
    }
  }
  const isTaken = (slot: number): boolean => line.some((other) => other !== piece && slotAt(other) === slot)
  return [...parts.keys()].some(isTaken) ? [piece] : [...parts.values()]
}
