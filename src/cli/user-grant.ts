/** `catalog user grant` and `catalog user withdraw`: memberships. Every process counts them within 5 s. */
import type { Command } from 'commander'
import { UsageError } from './cli-error.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { addMembershipOptions, membershipIn, type MembershipOptions } from './membership-options.js'
import { asOperator } from './operator-audit.js'
import { withRepositories } from './with-repositories.js'

interface GrantOptions extends MembershipOptions { id: string, json?: true }
interface WithdrawOptions { id: string, vendor: string, json?: true }

export function addUserGrant (user: Command, context: CliContext): void {
  addMembershipOptions(user.command('grant')
    .description('makes a user belong to a vendor, or changes as what')
    .requiredOption('--id <id>', 'the user'))
    .option('--json', 'print one JSON object: {"userId", "vendorId", "role", "permissions"}')
    .action(async ({ id, json, ...options }: GrantOptions) => {
      const membership = membershipIn(options)
      if (membership === null) throw new UsageError('Name the vendor and the role: --vendor ID --role ROLE')
      await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, membership.vendorId)
        await asOperator(
          context, repositories, { vendorIds: [membership.vendorId], action: 'user grant' }, async () => { await repositories.users.grant(id, membership) }, () => id
        )
      })
      if (json) return context.output.json({ userId: id, ...membership })
      context.output.print(`User ${id} is now ${membership.role} of vendor ${membership.vendorId}`)
    })
}

export function addUserWithdraw (user: Command, context: CliContext): void {
  user.command('withdraw')
    .description('ends what a user may do at a vendor; again is harmless')
    .requiredOption('--id <id>', 'the user')
    .requiredOption('--vendor <id>', 'the vendor')
    .option('--json', 'print one JSON object: {"userId", "vendorId"}')
    .action(async ({ id, vendor, json }: WithdrawOptions) => {
      await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        await asOperator(context, repositories, { vendorIds: [vendor], action: 'user withdraw' }, async () => { await repositories.users.withdraw(id, vendor) }, () => id)
      })
      if (json) return context.output.json({ userId: id, vendorId: vendor })
      context.output.print(`User ${id} no longer belongs to vendor ${vendor}`)
    })
}
