/**
 * Large pieces of work: a record or a request of megabytes takes some ten times that while it is read, checked and written, in the heap of whichever thread
 * has it. Of each owner, such as a vendor, one is under way in a process at a time, wherever: so who sends large ones as files and as requests
 * waits for itself, and the process holds one of them.
 */

/** A request of more bytes waits for its vendor's large records and is waited for by them. Twenty times that is what it may take. */
export const largeRequestBytes = 1_024 * 1_024

export interface LargeWork {
  /** Resolves when the owner's before it are over, with what to call, once or more often, when this one is. */
  begin (owner: string): Promise<() => void>
}

export function createLargeWork (): LargeWork {
  /** Of owners that have one under way: those that wait. */
  const waiting = new Map<string, Array<() => void>>()

  function endOf (owner: string): void {
    const next = waiting.get(owner)?.shift()
    if (next === undefined) waiting.delete(owner)
    else next()
  }

  return {
    async begin (owner) {
      const others = waiting.get(owner)
      if (others === undefined) waiting.set(owner, [])
      else await new Promise<void>((resolve) => { others.push(resolve) })
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        endOf(owner)
      }
    }
  }
}

/** All that a vendor has under way has one owner, whoever has sent it. */
export const ownerOfVendor = (vendorId: string): string => `vendor ${vendorId}`
