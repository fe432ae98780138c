/** Who may do what (interface.md "Authentication", decisions.md "Access"). */
import { badInput } from '../errors.js'

export const permissions = [
  'PRODUCT_MANAGE', 'STORE_LOCATION_MANAGE', 'FITMENT_MANAGE', 'SIZE_CHART_MANAGE',
  'VIEW_CONVERSATIONS', 'VIEW_CONVERSIONS', 'VIEW_PII', 'VIEW_NPS', 'VIEW_BILLING', 'EDIT_ANALYTICS'
] as const
export type Permission = (typeof permissions)[number]

export const isPermission = (name: string): name is Permission => (permissions as readonly string[]).includes(name)

export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

/** A user's place at one vendor. Owners and admins hold every permission, so only a member's are stored. */
export interface Membership {
  vendorId: string
  role: Role
  permissions: Permission[]
}

/** The document in `users`. */
export interface User {
  /** What access tokens call `sub`. */
  _id: string
  email: string
  memberships: Membership[]
  createdAt: Date
}

/** A user, by access token (keyId null) or by a key of its own. */
export interface UserPrincipal {
  kind: 'user'
  userId: string
  keyId: string | null
  /** As they are now: a key stores none of its own. */
  memberships: readonly Membership[]
}

interface IntegrationKeyPrincipal {
  kind: 'integration-key'
  keyId: string
  vendorId: string
  permissions: ReadonlySet<Permission>
}

/** Who a credential belongs to. */
export type Principal = IntegrationKeyPrincipal | UserPrincipal

/** Who a request comes from, at the one vendor that it works on. */
export type Caller = IntegrationKeyPrincipal | {
  kind: 'user'
  userId: string
  keyId: string | null
  role: Role
  vendorId: string
  permissions: ReadonlySet<Permission>
}

export const holdsEverything = (role: Role): boolean => role !== 'member'

/** What a membership allows at its vendor. */
export const permissionsOf = ({ role, permissions: own }: Membership): ReadonlySet<Permission> =>
  new Set(holdsEverything(role) ? permissions : own)

/** The document in `vendors`. */
export interface Vendor {
  /** Lower-case letters, digits, `-` and `_`, at most 63: it is also the SFTP user name and a folder's name. */
  _id: string
  name: string
  /** The vendor's own number, from 0; its Kafka partition is this modulo the topic's partitions. */
  partition: number
  createdAt: Date
}

/** The service's own user at the built-in SFTP server; no vendor may have its name. */
export const serviceUser = 'catalog-service'

/** What the built-in SFTP server calls itself when a connection begins: its client believes the times of no other. */
export const sftpSoftware = 'catalog-sftp'

export const vendorIdPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** The document in `integration_api_keys`. */
export interface IntegrationApiKey {
  _id: string
  vendorId: string
  name: string
  /** SHA-256 of the whole key, hex. The key itself is shown once and never stored. */
  hash: string
  /** Its last 4 characters. */
  hint: string
  permissions: Permission[]
  createdAt: Date
  /** The user who made it. Absent or null: an operator, or a version that did not keep it. */
  createdBy?: string | null
  /** Absent or null: does not expire. */
  expiresAt?: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** The document in `user_api_keys`. It holds no permissions: they are those that its user has at the time of each request. */
export interface UserApiKey {
  _id: string
  userId: string
  name: string
  /** SHA-256 of the whole key, hex. */
  hash: string
  /** Its last 4 characters. */
  hint: string
  createdAt: Date
  /** null = does not expire. */
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** Neither revoked nor expired. */
export const keyWorks = ({ revokedAt, expiresAt }: Pick<IntegrationApiKey, 'revokedAt' | 'expiresAt'>): boolean =>
  revokedAt === null && (expiresAt === undefined || expiresAt === null || expiresAt.getTime() > Date.now())

/** The document in `sftp_keys`. */
export interface SftpKey {
  /** `SHA256:…`, as ssh-keygen -l prints it. */
  _id: string
  vendorId: string
  /** The OpenSSH public key, `ssh-ed25519 AAAA…`, without its comment. */
  publicKey: string
  comment: string
  createdAt: Date
}

/** A user id is an identity provider's, such as `auth0|5f7c…`; it is only ever compared. */
export const userIdPattern = /^[A-Za-z0-9][A-Za-z0-9._@|:+-]{0,127}$/

const maxNameLength = 255

/** When a new key is to end; null = never. Throws BAD_USER_INPUT. */
export function checkExpiry (expiresAt: Date | null): void {
  if (expiresAt !== null && !(expiresAt.getTime() > Date.now())) throw badInput('expiresAt must be in the future', 'expiresAt')
}

/** The name of a vendor or key. Throws BAD_USER_INPUT. */
export function checkName (name: string): void {
  if (name.trim() === '' || name.length > maxNameLength) throw badInput(`name must be 1 to ${maxNameLength} characters`, 'name')
}
