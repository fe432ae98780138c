/**
 * Vendors whose work is being done until none is left, each by one drain at a time however many hints come for it.
 *
 * The hint that begins a drain is dealt with, and so committed, when the drain ends; one that comes meanwhile is dealt with at
 * once and makes the drain look again.
 */
export interface Drains {
  /** Resolves when nothing is left for the vendor, or a drain that began before has been told to look again. Rejects as the drain does. */
  wake (vendorId: string): Promise<void>
  /** Resolves when all drains have ended, in whichever way. */
  settled (): Promise<void>
}

export function createDrains (drain: (vendorId: string) => Promise<void>): Drains {
  const draining = new Map<string, { done: Promise<void>, again: boolean }>()
  return {
    async wake (vendorId) {
      const current = draining.get(vendorId)
      if (current !== undefined) {
        current.again = true
        return
      }
      const vendor = { done: Promise.resolve(), again: false }
      draining.set(vendorId, vendor)
      vendor.done = (async () => {
        try {
          do {
            vendor.again = false
            await drain(vendorId)
          } while (vendor.again)
        } finally {
          draining.delete(vendorId)
        }
      })()
      await vendor.done
    },
    async settled () {
      await Promise.allSettled(Array.from(draining.values(), async ({ done }) => { await done }))
    }
  }
}
