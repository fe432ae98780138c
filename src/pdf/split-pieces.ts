/** What was written in one go over a line between two columns is in both. */
import type { Rule } from './page-geometry.js'
import type { Piece } from './text-lines.js'

export function splitAtWalls (piece: Piece, walls: readonly Rule[]): Piece[] {
  const y = piece.baseline - 0.3 * piece.size
  const crossing = walls.filter(({ at, from, to }) => from <= y && y <= to && piece.left + 1 < at && at < piece.right - 1).map(({ at }) => at).toSorted((one, other) => one - other)
  if (crossing.length === 0 || piece.words.length < 2) return [piece]
  const parts = new Map<number, Piece>()
  for (const word of piece.words) {
    const slot = crossing.filter((at) => at < (word.left + word.right) / 2).length
    const part = parts.get(slot)
    if (part === undefined) parts.set(slot, { ...piece, words: [word], left: word.left, right: word.right })
    else {
      part.words.push(word)
      part.left = Math.min(part.left, word.left)
      part.right = Math.max(part.right, word.right)
    }
  }
  return [...parts.values()]
}
