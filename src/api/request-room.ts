/**
 * How much of large requests a process has at a time: bounded in number and bytes for each owner, and in bytes for all. Of all, what an owner has beside its
 * first has room of its own: whoever has nothing in there is not refused because others have sent much.
 */
import type { Principal } from '../domain/access.js'
import { limitExceeded, unavailable } from '../errors.js'
import { ownerOfVendor } from '../threads/large-work.js'

export const maxRequestsOfOne = 16
const maxBytesOfOne = 32 * 1_024 * 1_024
/** Of all owners the one that each had before it sent others, and those others. A body has 16 MiB at most. */
const maxBytesOfFirst = 128 * 1_024 * 1_024
const maxBytesBehind = 32 * 1_024 * 1_024

export interface RequestRoom {
  /** Throws LIMIT_EXCEEDED or SERVICE_UNAVAILABLE where there is no room. */
  enter (owner: string, bytes: number): Stay
}

/** What one request takes up. */
export interface Stay {
  /** So many bytes from now on, whatever the bounds. */
  hold (bytes: number): void
  /** May be called again. */
  leave (): void
}

/** What requests in there are doing, for who is refused. */
export type InRoom = 'arriving' | 'being answered'

export function createRequestRoom (doing: InRoom): RequestRoom {
  const owners = new Map<string, { requests: number, bytes: number }>()
  const first = { bytes: 0, max: maxBytesOfFirst }
  const behind = { bytes: 0, max: maxBytesBehind }

  return {
    enter (name, bytesAtFirst) {
      const owner = owners.get(name) ?? { requests: 0, bytes: 0 }
      if (owner.requests >= maxRequestsOfOne) throw limitExceeded(`At most ${maxRequestsOfOne} large requests may be ${doing} at a time; wait for answers before you send more`)
      if (owner.bytes + bytesAtFirst > maxBytesOfOne) throw limitExceeded(`Large requests that are ${doing} may have ${maxBytesOfOne} bytes in all; wait for answers before you send more`)
      const room = owner.requests === 0 ? first : behind
      if (room.bytes + bytesAtFirst > room.max) throw unavailable('The service is overloaded; try again later')
      owners.set(name, owner)
      owner.requests += 1

      let held = 0
      let hasLeft = false
      const hold = (bytes: number): void => {
        owner.bytes += bytes - held
        room.bytes += bytes - held
        held = bytes
      }
      hold(bytesAtFirst)
      return {
        hold,
        leave () {
          if (hasLeft) return
          hasLeft = true
          hold(0)
          owner.requests -= 1
          if (owner.requests === 0) owners.delete(name)
        }
      }
    }
  }
}

/** All keys of a vendor are one: it may have many, and users that belong to it alone. */
export function roomOwner (principal: Principal): string {
  if (principal.kind !== 'user') return ownerOfVendor(principal.vendorId)
  const [membership, ...more] = principal.memberships
  return membership !== undefined && more.length === 0 ? ownerOfVendor(membership.vendorId) : `user ${principal.userId}`
}
