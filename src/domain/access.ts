/** Who may do what (interface.md "Authentication", decisions.md "Access"). */
import { badInput } from '../errors.js'

export const permissions = [
  'PRODUCT_MANAGE', 'STORE_LOCATION_MANAGE', 'FITMENT_MANAGE', 'SIZE_CHART_MANAGE',
  'VIEW_CONVERSATIONS', 'VIEW_CONVERSIONS', 'VIEW_PII', 'VIEW_NPS', 'VIEW_BILLING', 'EDIT_ANALYTICS'
] as const
export type Permission = (typeof permissions)[number]

export const isPermission = (name: string): name is Permission => (permissions as readonly string[]).includes(name)

/** Who a request comes from. */
export interface Caller {
  kind: 'integration-key'
  keyId: string
  vendorId: string
  permissions: ReadonlySet<Permission>
}

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
  lastUsedAt: Date | null
  revokedAt: Date | null
}

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

const maxNameLength = 255

/** The name of a vendor or key. Throws BAD_USER_INPUT. */
export function checkName (name: string): void {
  if (name.trim() === '' || name.length > maxNameLength) throw badInput(`name must be 1 to ${maxNameLength} characters`, 'name')
}
