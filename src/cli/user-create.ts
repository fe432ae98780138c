/** `catalog user create` */
import type { Command } from 'commander'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { addMembershipOptions, membershipIn, type MembershipOptions } from './membership-options.js'
import { asOperator } from './operator-audit.js'
import { withRepositories } from './with-repositories.js'

interface Options extends MembershipOptions { id: string, email: string, json?: true }

export function addUserCreate (user: Command, context: CliContext): void {
  addMembershipOptions(user.command('create')
    .description('registers a person; what it may do at further vendors: user grant')
    .requiredOption('--id <id>', 'its id, which its access tokens carry as "sub"')
    .requiredOption('--email <address>', 'its e-mail address'))
    .option('--json', 'print one JSON object: {"userId"}')
    .action(async ({ id, email, json, ...options }: Options) => {
      const membership = membershipIn(options)
      await withRepositories(context, async (repositories) => {
        if (membership === null) return await repositories.users.create(id, email, [])
        await expectVendor(repositories, membership.vendorId)
        return await asOperator(
          context, repositories, { vendorIds: [membership.vendorId], action: 'user create' }, async () => await repositories.users.create(id, email, [membership]), ({ _id }) => _id
        )
      })
      if (json) return context.output.json({ userId: id })
      context.output.print(`Created user ${id}${membership === null ? '' : `, ${membership.role} of vendor ${membership.vendorId}`}`)
    })
}
