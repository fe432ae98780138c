/** A job's large records, seen from outside of its thread: which it waits for, and which it has in hand (threads/large-work). */
import { ownerOfVendor, type LargeWork } from '../threads/large-work.js'

export interface LargeRecords {
  /** `give` is called when the job may work on it, unless it is over by then. */
  want (turn: number, give: () => void): void
  end (turn: number): void
  /** The job is gone, with all of them. */
  drop (): void
}

export function createLargeRecords (largeWork: LargeWork, vendorId: string): LargeRecords {
  /** By turn: what ends it. */
  const ends = new Map<number, () => void>()
  const end = (turn: number): void => {
    const over = ends.get(turn)
    ends.delete(turn)
    over?.()
  }

  return {
    want (turn, give) {
      ends.set(turn, () => {})
      void largeWork.begin(ownerOfVendor(vendorId)).then((over) => {
        if (!ends.has(turn)) return over()
        ends.set(turn, over)
        give()
      })
    },
    end,
    drop () { for (const turn of [...ends.keys()]) end(turn) }
  }
}
