/** Users and their memberships, in `users`. */
import { checkName, userIdPattern, type Membership, type User } from '../../domain/access.js'
import { badInput, conflict, notFound } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'

export interface VendorUser extends Pick<User, 'email'>, Pick<Membership, 'role' | 'permissions'> { id: string }

const maxListedUsers = 1_000

export interface Users {
  /** Throws BAD_USER_INPUT for a malformed id or e-mail address, CONFLICT when the id is taken. */
  create (id: string, email: string, memberships: Membership[]): Promise<User>
  find (id: string): Promise<User | null>
  /** The users of a vendor by e-mail address, each with what it is there alone. */
  ofVendor (vendorId: string): Promise<VendorUser[]>
  /** Puts the membership in the place of the one at the same vendor. Throws NOT_FOUND. */
  grant (id: string, membership: Membership): Promise<void>
  /** Ends the membership at the vendor; none is no fault. Throws NOT_FOUND for an unknown user. */
  withdraw (id: string, vendorId: string): Promise<void>
}

/** Enough to catch a mix-up of options; whether mail arrives there is not ours to know. */
const emailPattern = /^[^\s@]+@[^\s@]+$/

export function createUsers ({ users }: Collections): Users {
  async function update (id: string, step: (memberships: Membership[]) => Membership[]): Promise<void> {
    for (;;) {
      const user = await users.findOne({ _id: id })
      if (user === null) throw notFound(`There is no user ${JSON.stringify(id)}`)
      // Compared and set: two operators who change one user must not undo each other.
      const { matchedCount } = await users.updateOne(
        { _id: id, memberships: user.memberships }, { $set: { memberships: step(user.memberships) } }
      )
      if (matchedCount === 1) return
    }
  }

  return {
    async create (id, email, memberships) {
      if (!userIdPattern.test(id)) throw badInput('id must be 1 to 128 letters, digits and . _ @ | : + -', 'id')
      checkName(email)
      if (!emailPattern.test(email)) throw badInput('email must be an e-mail address', 'email')
      const user: User = { _id: id, email, memberships, createdAt: new Date() }
      try {
        await users.insertOne(user)
      } catch (error) {
        if (isDuplicateKey(error)) throw conflict(`User ${id} exists already`, 'id')
        throw error
      }
      return user
    },
    find: async (id) => await users.findOne({ _id: id }),
    async ofVendor (vendorId) {
      const found = await users.find({ 'memberships.vendorId': vendorId }).limit(maxListedUsers).toArray()
      return found.flatMap(({ _id, email, memberships }) => memberships.filter((membership) => membership.vendorId === vendorId).map(({ role, permissions }) => ({ id: _id, email, role, permissions })))
        .sort((a, b) => a.email.localeCompare(b.email))
    },
    grant: async (id, membership) => {
      await update(id, (memberships) => [...memberships.filter(({ vendorId }) => vendorId !== membership.vendorId), membership])
    },
    withdraw: async (id, vendorId) => {
      await update(id, (memberships) => memberships.filter((membership) => membership.vendorId !== vendorId))
    }
  }
}
