/** The questions about a caller that every operation asks. */
import { holdsEverything, permissionsOf, type Caller, type Permission, type Principal, type Role } from '../../domain/access.js'
import { badInput, forbidden } from '../../errors.js'

/** Where a request says which vendor it works on. */
export interface NamedVendor {
  /** The operation's own argument. */
  argument?: string | null | undefined
  /** X-Vendor-Id, for operations that have no such argument. */
  header?: string | undefined
}

/**
 * A principal at the one vendor that an operation works on: an integration key's own; for a user the one that is named, or the
 * only one it belongs to. Throws FORBIDDEN for any other vendor, existing or not, and BAD_USER_INPUT when it is not clear which.
 */
export function callerAt (principal: Principal, { argument, header }: NamedVendor): Caller {
  if (principal.kind === 'integration-key') {
    vendorOf(principal, argument)
    return principal
  }
  const { kind, userId, keyId, memberships } = principal
  const named = argument ?? header
  if (named === undefined && memberships.length > 1) {
    throw badInput('You belong to several vendors: name one as vendorId, or in the header X-Vendor-Id')
  }
  const membership = named === undefined ? memberships[0] : memberships.find(({ vendorId }) => vendorId === named)
  if (membership === undefined) throw forbidden(named === undefined ? 'You belong to no vendor' : 'You do not belong to this vendor', { reason: 'vendor' })
  return { kind, userId, keyId, role: membership.role, vendorId: membership.vendorId, permissions: permissionsOf(membership) }
}

/** Throws FORBIDDEN. */
export function assertPermitted (caller: Caller, permission: Permission): void {
  if (!caller.permissions.has(permission)) throw forbidden(`This needs the permission ${permission}`, { reason: 'permission' })
}

/** Throws FORBIDDEN for any key, a user's as well as a vendor's. */
export function assertInPerson ({ keyId }: { keyId: string | null }): void {
  if (keyId !== null) throw forbidden('This takes a person\'s access token: no API key may do it', { reason: 'person' })
}

/** Throws FORBIDDEN. */
export function assertAdmin (caller: Caller): void {
  if (caller.kind !== 'user' || !holdsEverything(caller.role)) throw forbidden('This needs an owner or admin of the vendor', { reason: 'admin' })
}

/** Throws FORBIDDEN where an owner is made, changed or removed by anybody else. */
export function assertMayOwn (caller: Caller, roles: ReadonlyArray<Role | undefined>): void {
  if (roles.includes('owner') && !(caller.kind === 'user' && caller.role === 'owner')) {
    throw forbidden('Only an owner of the vendor may make, change or remove owners', { reason: 'owner' })
  }
}

/** The vendor that an operation works on. Throws FORBIDDEN when the caller names another vendor than its own. */
export function vendorOf (caller: Pick<Caller, 'kind' | 'vendorId'>, vendorId: string | null | undefined): string {
  if (vendorId !== undefined && vendorId !== null && vendorId !== caller.vendorId) {
    throw forbidden(caller.kind === 'user' ? 'You do not belong to this vendor' : 'The API key belongs to another vendor', { reason: 'vendor' })
  }
  return caller.vendorId
}
