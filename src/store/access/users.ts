/** Users and their memberships, in `users`. */
import type { Filter } from 'mongodb'
import { checkName, userIdPattern, type Membership, type User } from '../../domain/access.js'
import { badInput, conflict, limitExceeded, notFound } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'

export interface VendorUser extends Pick<User, 'email'>, Pick<Membership, 'role' | 'permissions'> { id: string }

/** What a user is to be at a vendor. */
export type Standing = Pick<Membership, 'role' | 'permissions'>

/** Of a vendor, as far as it adds them itself: as many are listed. A soft bound: two requests at once may pass it by one. */
const maxUsers = 1_000

export interface Users {
  /** Throws BAD_USER_INPUT for a malformed id or e-mail address, CONFLICT when the id is taken. */
  create (id: string, email: string, memberships: Membership[]): Promise<User>
  find (id: string): Promise<User | null>
  /** The users of a vendor by e-mail address, each with what it is there alone. */
  ofVendor (vendorId: string): Promise<VendorUser[]>
  /**
   * What a vendor does about its own users. A user that belongs elsewhere is registered already, and for the operator to add: but where `isOwn` says that the vendor is
   * the same people's. Throws BAD_USER_INPUT; CONFLICT for one who belongs to the vendor already, elsewhere, or is known by another e-mail address; LIMIT_EXCEEDED.
   */
  add (vendorId: string, user: Standing & { id: string, email: string }, isOwn: (vendorId: string) => boolean): Promise<void>
  /**
   * Changes what a user is at the vendor; null: it is there no more. `check` is told what it was, and may throw. Throws NOT_FOUND; CONFLICT where nobody would be left who
   * owns the vendor.
   */
  change (vendorId: string, id: string, to: Standing | null, check: (before: Standing) => void): Promise<User>
  /** Puts the membership in the place of the one at the same vendor. Throws NOT_FOUND. */
  grant (id: string, membership: Membership): Promise<void>
  /** Ends the membership at the vendor; none is no fault. Throws NOT_FOUND for an unknown user. */
  withdraw (id: string, vendorId: string): Promise<void>
}

/** Enough to catch a mix-up of options; whether mail arrives there is not ours to know. */
const emailPattern = /^[^\s@]+@[^\s@]+$/

/** Throws BAD_USER_INPUT. */
export function checkUser (id: string, email: string): void {
  if (!userIdPattern.test(id)) throw badInput('id must be 1 to 128 letters, digits and . _ @ | : + -', 'id')
  checkName(email)
  if (!emailPattern.test(email)) throw badInput('email must be an e-mail address', 'email')
}

export function createUsers ({ users }: Collections): Users {
  /** Compared and set, until nobody has changed it meanwhile: two who change one user must not undo each other. */
  async function update (id: string, step: (memberships: Membership[]) => Membership[], at: Filter<User> = {}): Promise<User> {
    for (;;) {
      const user = await users.findOne({ _id: id, ...at })
      if (user === null) throw notFound(`There is no user ${JSON.stringify(id)}${Object.keys(at).length === 0 ? '' : ' of this vendor'}`)
      const { matchedCount } = await users.updateOne({ _id: id, memberships: user.memberships }, { $set: { memberships: step(user.memberships) } })
      if (matchedCount === 1) return user
    }
  }

  async function create (id: string, email: string, memberships: Membership[]): Promise<User> {
    checkUser(id, email)
    const user: User = { _id: id, email, memberships, createdAt: new Date() }
    try {
      await users.insertOne(user)
    } catch (error) {
      if (isDuplicateKey(error)) throw conflict(`User ${id} exists already`, 'id')
      throw error
    }
    return user
  }

  const isOwned = async (vendorId: string): Promise<boolean> =>
    await users.findOne({ 'memberships.vendorId': vendorId, memberships: { $elemMatch: { vendorId, role: 'owner' } } }, { projection: { _id: 1 } }) !== null

  return {
    create,
    async add (vendorId, { id, email, role, permissions }, isOwn) {
      checkUser(id, email)
      const membership: Membership = { vendorId, role, permissions }
      if (await users.countDocuments({ 'memberships.vendorId': vendorId }, { limit: maxUsers }) >= maxUsers) throw limitExceeded(`A vendor may have at most ${maxUsers} users; remove some`)
      const known = await users.findOne({ _id: id })
      if (known === null) {
        await create(id, email, [membership])
        return
      }
      await update(id, (memberships) => {
        if (memberships.some((each) => each.vendorId === vendorId)) throw conflict(`User ${id} belongs to this vendor already`, 'id')
        // What others' users are called is not told, and none of them is drawn into a vendor that it knows nothing of.
        if (known.email.toLowerCase() !== email.toLowerCase() || !memberships.every((each) => isOwn(each.vendorId))) {
          throw conflict(`User ${id} is registered already, elsewhere or with another e-mail address; whoever runs the service can add it (catalog user grant)`, 'id')
        }
        return [...memberships, membership]
      })
    },
    async change (vendorId, id, to, check) {
      const at = { 'memberships.vendorId': vendorId }
      let before: Membership | undefined
      const user = await update(id, (memberships) => {
        before = memberships.find((each) => each.vendorId === vendorId)
        if (before !== undefined) check(before)
        return [...elsewhere(memberships, vendorId), ...to === null ? [] : [{ vendorId, ...to }]]
      }, at)
      if (before?.role !== 'owner' || to?.role === 'owner' || await isOwned(vendorId)) return user
      // Looked at afterwards: of two owners who remove each other at the same time both see that nobody is left, and both are put back.
      const owner = before
      await update(id, (memberships) => [...elsewhere(memberships, vendorId), owner])
      throw conflict('The vendor has no other owner: make somebody else owner first', 'id')
    },
    find: async (id) => await users.findOne({ _id: id }),
    async ofVendor (vendorId) {
      const found = await users.find({ 'memberships.vendorId': vendorId }).limit(maxUsers).toArray()
      return found.flatMap(({ _id, email, memberships }) => memberships.filter((membership) => membership.vendorId === vendorId).map(({ role, permissions }) => ({ id: _id, email, role, permissions })))
        .sort((a, b) => a.email.localeCompare(b.email))
    },
    grant: async (id, membership) => {
      await update(id, (memberships) => [...elsewhere(memberships, membership.vendorId), membership])
    },
    withdraw: async (id, vendorId) => {
      await update(id, (memberships) => elsewhere(memberships, vendorId))
    }
  }
}

const elsewhere = (memberships: readonly Membership[], vendorId: string): Membership[] => memberships.filter((membership) => membership.vendorId !== vendorId)
