/**
 * Who goes next: owners in turn, one of each owner at a time, and those of one owner in the order in which they came. So whoever
 * sends many waits for itself.
 */
export interface FairQueue<T> {
  add (owner: string, item: T): void
  /** Takes the next, which from then on is its owner's only one until `over`; undefined while nobody may go. */
  next (): T | undefined
  /** What was taken of this owner has ended. */
  over (owner: string): void
  /** Takes out one that waits; false when it does not. */
  remove (owner: string, item: T): boolean
  /** Takes out all that wait. */
  clear (): T[]
  /** There is one that may go. */
  readonly isReady: boolean
  readonly waiting: number
}

interface Line<T> { items: T[], isBusy: boolean }

export function createFairQueue<T> (): FairQueue<T> {
  const lines = new Map<string, Line<T>>()
  /** Owners that may go, in their order. */
  const ready = new Set<string>()
  let waiting = 0

  function settle (owner: string, line: Line<T>): void {
    if (line.items.length > 0 && !line.isBusy) ready.add(owner)
    else ready.delete(owner)
    if (line.items.length === 0 && !line.isBusy) lines.delete(owner)
  }

  return {
    add (owner, item) {
      const line = lines.get(owner) ?? { items: [], isBusy: false }
      lines.set(owner, line)
      line.items.push(item)
      waiting += 1
      settle(owner, line)
    },
    next () {
      const [owner] = ready
      const line = owner === undefined ? undefined : lines.get(owner)
      if (owner === undefined || line === undefined) return undefined
      const item = line.items.shift()
      waiting -= 1
      line.isBusy = true
      settle(owner, line)
      return item
    },
    over (owner) {
      const line = lines.get(owner)
      if (line === undefined) return
      line.isBusy = false
      settle(owner, line)
    },
    remove (owner, item) {
      const line = lines.get(owner)
      const at = line?.items.indexOf(item) ?? -1
      if (line === undefined || at === -1) return false
      line.items.splice(at, 1)
      waiting -= 1
      settle(owner, line)
      return true
    },
    clear () {
      const all: T[] = []
      for (const [owner, line] of lines) {
        all.push(...line.items.splice(0))
        settle(owner, line)
      }
      waiting = 0
      return all
    },
    get isReady () { return ready.size > 0 },
    get waiting () { return waiting }
  }
}
