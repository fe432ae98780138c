/** The options of `user create` and `user grant` that say what a user may do at a vendor. */
import { Option, type Command } from 'commander'
import { holdsEverything, permissions, roles, type Membership, type Permission, type Role } from '../domain/access.js'
import { UsageError } from './cli-error.js'
import { parsePermissions } from './permission-list.js'

export interface MembershipOptions { vendor?: string, role?: Role, permissions?: Permission[] }

export function addMembershipOptions (command: Command): Command {
  return command
    .option('--vendor <id>', 'the vendor that the user belongs to')
    .addOption(new Option('--role <role>', 'owner and admin hold every permission').choices([...roles]))
    .option('--permissions <names>', `of a member: comma-separated, of: ${permissions.join(', ')}`, parsePermissions)
}

/** null: no vendor is named. Throws UsageError where the options contradict each other. */
export function membershipIn ({ vendor, role, permissions: own }: MembershipOptions): Membership | null {
  if (vendor === undefined) {
    if (role !== undefined || own !== undefined) throw new UsageError('--role and --permissions need --vendor')
    return null
  }
  if (role === undefined) throw new UsageError('--vendor needs --role')
  if (holdsEverything(role) && own !== undefined) throw new UsageError(`--permissions are for a member; role ${role} holds them all`)
  return { vendorId: vendor, role, permissions: [...new Set(own)] }
}
