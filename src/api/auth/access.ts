/** The two questions about a caller that every operation asks. */
import type { Caller, Permission } from '../../domain/access.js'
import { forbidden } from '../../errors.js'

/** Throws FORBIDDEN. */
export function assertPermitted (caller: Caller, permission: Permission): void {
  if (!caller.permissions.has(permission)) throw forbidden(`This needs the permission ${permission}`)
}

/** The vendor that an operation works on. Throws FORBIDDEN when the caller names another vendor than its own. */
export function vendorOf (caller: Caller, vendorId: string | null | undefined): string {
  if (vendorId !== undefined && vendorId !== null && vendorId !== caller.vendorId) {
    throw forbidden('The API key belongs to another vendor')
  }
  return caller.vendorId
}
