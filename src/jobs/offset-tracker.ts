/**
 * Which offsets may be committed: of each partition, everything up to the first message that is still in hand. Messages of a
 * partition are begun in order but finish in any (each vendor has its own pace).
 */
interface Partition {
  /** Begun and not finished, or finished behind one that is not; ascending. */
  begun: number[]
  finished: Set<number>
  /** The next offset to read, once everything before it is finished. */
  committable: number | null
}

export class OffsetTracker {
  #partitions = new Map<number, Partition>()
  #generation = 0

  /** Gives what `finish` needs to tell a message of this assignment from one of before a rebalance. */
  begin (partition: number, offset: number): number {
    const state = this.#partitions.get(partition) ?? { begun: [], finished: new Set(), committable: null }
    state.begun.push(offset)
    this.#partitions.set(partition, state)
    return this.#generation
  }

  /** True when there is something new to commit. */
  finish (generation: number, partition: number, offset: number): boolean {
    const state = this.#partitions.get(partition)
    if (generation !== this.#generation || state === undefined) return false
    state.finished.add(offset)
    let moved = false
    for (let first = state.begun[0]; first !== undefined && state.finished.delete(first); first = state.begun[0]) {
      state.begun.shift()
      state.committable = first + 1
      moved = true
    }
    return moved
  }

  /** Pairs of partition and offset; each is given once. */
  takeCommittable (): Array<[partition: number, offset: number]> {
    const ready: Array<[number, number]> = []
    for (const [partition, state] of this.#partitions) {
      if (state.committable !== null) ready.push([partition, state.committable])
      state.committable = null
    }
    return ready
  }

  /** The partitions are no longer ours. */
  clear (): void {
    this.#partitions.clear()
    this.#generation += 1
  }
}
