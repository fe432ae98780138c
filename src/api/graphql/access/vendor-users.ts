/** Resolvers of a vendor's users, who are added, changed and removed by its owners and admins (decisions.md, Access). */
import { holdsEverything, permissions as allPermissions, permissionsOf, type Caller } from '../../../domain/access.js'
import { badInput } from '../../../errors.js'
import { checkUser, type Standing, type VendorUser } from '../../../store/access/users.js'
import type { Repositories } from '../../../store/repositories.js'
import { assertMayOwn, vendorOf } from '../../auth/access.js'
import type { Authenticator } from '../../auth/authenticator.js'
import type { MutationResolvers, QueryResolvers, UpdateVendorUserInput } from '../generated.js'

interface Dependencies {
  repositories: Pick<Repositories, 'users' | 'integrationApiKeys'>
  authenticator: Pick<Authenticator, 'forgetUser'>
}

export function createVendorUserResolvers ({ repositories: { users, integrationApiKeys }, authenticator }: Dependencies) {
  /** Which vendors are the caller's to manage. */
  async function managedBy (caller: Caller): Promise<ReadonlySet<string>> {
    const user = caller.kind === 'user' ? await users.find(caller.userId) : null
    return new Set(user?.memberships.filter(({ role }) => holdsEverything(role)).map(({ vendorId }) => vendorId))
  }

  const Query = {
    vendorUsers: async (caller, { vendorId }) => (await users.ofVendor(vendorOf(caller, vendorId))).map(toNode)
  } satisfies QueryResolvers

  const Mutation = {
    async addVendorUser (caller, { input }) {
      const vendorId = vendorOf(caller, input.vendorId)
      const { id, email } = input
      checkUser(id, email)
      const standing = standingIn(input)
      assertMayOwn(caller, [standing.role])
      const managed = await managedBy(caller)
      await users.add(vendorId, { id, email, ...standing }, (each) => managed.has(each))
      authenticator.forgetUser(id)
      return toNode({ id, email, ...standing })
    },

    async updateVendorUser (caller, { input }) {
      const vendorId = vendorOf(caller, input.vendorId)
      const { id } = input
      const standing = standingIn(input)
      const { email } = await users.change(vendorId, id, standing, (before) => { assertMayOwn(caller, [before.role, standing.role]) })
      authenticator.forgetUser(id)
      return toNode({ id, email, ...standing })
    },

    async removeVendorUser (caller, { vendorId: named, id }) {
      const vendorId = vendorOf(caller, named)
      await users.change(vendorId, id, null, (before) => { assertMayOwn(caller, [before.role]) })
      authenticator.forgetUser(id)
      const madeKeys = (await integrationApiKeys.workingOf(id)).filter((key) => key.vendorId === vendorId)
      // `madeKeys`: for the audit trail, as of revokeUserApiKey.
      return { id, integrationApiKeys: madeKeys, madeKeys }
    }
  } satisfies MutationResolvers

  return { Query, Mutation }
}

/** Throws BAD_USER_INPUT. */
function standingIn ({ role, permissions }: Pick<UpdateVendorUserInput, 'role' | 'permissions'>): Standing {
  if (holdsEverything(role) && permissions !== undefined && permissions !== null && permissions.length > 0) {
    throw badInput(`permissions are for a member; role ${role} holds them all`, 'input.permissions')
  }
  return { role, permissions: [...new Set(permissions)] }
}

/** All that it may do, in one order. */
function toNode ({ id, email, role, permissions }: VendorUser): VendorUser {
  const held = permissionsOf({ vendorId: '', role, permissions })
  return { id, email, role, permissions: allPermissions.filter((permission) => held.has(permission)) }
}
