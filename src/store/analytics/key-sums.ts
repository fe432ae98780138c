/**
 * Sums by key of which the largest are wanted, in bounded memory. As long as there are fewer keys than it holds, all are exact. When there are more, the
 * smaller half goes, and with it from each the weight of the largest that goes: what a key has lost so is at most `lost` in all, and that is at most
 * two parts of `maxKeys` of all weights together ("Misra, Gries: Finding repeated elements", in batches).
 *
 * Which keys are the largest is told by this; what they add up to, where anything was lost, has to be looked up.
 */
export interface KeySums<Row> {
  add (row: Row): void
  /** What each key that is not among the rows was left out with, at most. */
  leaveOut (weight: number): void
  /** A key's weight is at most what `heaviest` says and this, where it says nothing at most this. 0: everything is exact. */
  lost (): number
  /** Heaviest first; of the same weight in the order of their keys. */
  heaviest (first: number): Row[]
}

/** Some ten megabytes of rows. */
const defaultMaxKeys = 50_000

/** `merge` adds the second row to the first. */
export function createKeySums<Row extends { key: string, weight: number }> (merge: (into: Row, row: Row) => void, maxKeys = defaultMaxKeys): KeySums<Row> {
  const rows = new Map<string, Row>()
  let lost = 0

  function shed (): void {
    const weights = [...rows.values()].map(({ weight }) => weight).sort((a, b) => a - b)
    const least = weights[Math.floor(weights.length / 2)] ?? 0
    lost += least
    for (const [key, row] of rows) {
      row.weight -= least
      if (row.weight <= 0) rows.delete(key)
    }
  }

  return {
    add (row) {
      const known = rows.get(row.key)
      if (known === undefined) rows.set(row.key, row)
      else {
        known.weight += row.weight
        merge(known, row)
      }
      if (rows.size > maxKeys) shed()
    },
    leaveOut (weight) { lost += weight },
    lost: () => lost,
    heaviest: (first) => [...rows.values()].sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1)).slice(0, first)
  }
}
