/** Whose credential it is, and what it may do: what a page shows of itself. */
import { permissions as allPermissions, permissionsOf, type Principal } from '../../../domain/access.js'
import type { Repositories } from '../../../store/repositories.js'
import type { GraphqlContext } from '../context.js'
import type { Viewer, ViewerVendor } from '../generated.js'

export function createViewerResolvers ({ vendors, users }: Pick<Repositories, 'vendors' | 'users'>) {
  async function vendorOf (id: string, role: ViewerVendor['role'], held: ReadonlySet<string>): Promise<ViewerVendor[]> {
    const vendor = await vendors.find(id)
    if (vendor === null) return []
    return [{ id, name: vendor.name, role: role ?? null, permissions: allPermissions.filter((permission) => held.has(permission)) }]
  }

  async function viewer (principal: Principal, _args: unknown, { isOperator }: Pick<GraphqlContext, 'isOperator'>): Promise<Viewer> {
    if (principal.kind === 'integration-key') {
      const { keyId, vendorId, permissions } = principal
      return { kind: 'INTEGRATION_KEY', id: keyId, email: null, isInPerson: false, isOperator: false, vendors: await vendorOf(vendorId, null, permissions) }
    }
    const { userId, keyId, memberships } = principal
    const found = await Promise.all(memberships.map(async (membership) => await vendorOf(membership.vendorId, membership.role, permissionsOf(membership))))
    const user = await users.find(userId)
    return { kind: 'USER', id: userId, email: user?.email ?? null, isInPerson: keyId === null, isOperator: isOperator(principal), vendors: found.flat() }
  }

  return { ofPrincipal: { Query: { viewer } } }
}
