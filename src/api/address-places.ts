/**
 * How many places one address may hold: of each kind (connections, requests under way, websockets) there are only so many, and none
 * may have them all. An IPv6 address stands for its /64 network.
 */
import { sourceOf } from '../networks.js'

export interface AddressPlaces {
  /** Holds a place until what it gives is called, once or more; null when the address holds as many as it may. */
  take (address: string): (() => void) | null
}

export function createAddressPlaces (maxOfOne: number): AddressPlaces {
  /** Of those that hold any, so it is no larger than what is held. */
  const held = new Map<string, number>()
  return {
    take (address) {
      const source = sourceOf(address)
      const count = held.get(source) ?? 0
      if (count >= maxOfOne) return null
      held.set(source, count + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const left = (held.get(source) ?? 1) - 1
        if (left === 0) held.delete(source)
        else held.set(source, left)
      }
    }
  }
}
