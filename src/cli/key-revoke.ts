/** `catalog key revoke` */
import type { Command } from 'commander'
import { notFound } from '../errors.js'
import type { Repositories } from '../store/repositories.js'
import type { CliContext } from './context.js'
import { asOperator } from './operator-audit.js'
import { withRepositories } from './with-repositories.js'

interface Options { id: string, json?: true }

interface Revoked { _id: string, name: string, revokedAt: Date | null, owner: string }

export function addKeyRevoke (key: Command, context: CliContext): void {
  key.command('revoke')
    .description('ends an API key, of a vendor or of a user; again is harmless')
    .requiredOption('--id <id>', 'the id that `key create` printed')
    .option('--json', 'print one JSON object: {"id", "revokedAt"}')
    .action(async ({ id, json }: Options) => {
      const revoked = await withRepositories(context, async (repositories) => await revoke(context, repositories, id))
      if (revoked === null || revoked.revokedAt === null) throw notFound(`There is no key ${JSON.stringify(id)}`)
      const revokedAt = revoked.revokedAt.toISOString()
      if (json) return context.output.json({ id: revoked._id, revokedAt })
      context.output.print(`Revoked key ${revoked._id} (${revoked.name}) of ${revoked.owner} at ${revokedAt}`)
    })
}

async function revoke (context: CliContext, repositories: Repositories, id: string): Promise<Revoked | null> {
  const { integrationApiKeys, userApiKeys } = repositories
  const vendorId = await integrationApiKeys.ownerOf(id)
  if (vendorId !== null) {
    const key = await asOperator(context, repositories, { vendorIds: [vendorId], action: 'key revoke' }, async () => await integrationApiKeys.revoke(vendorId, id), () => id)
    return key === null ? null : { ...key, owner: `vendor ${vendorId}` }
  }
  const userId = await userApiKeys.ownerOf(id)
  if (userId === null) return null
  const vendorIds = (await repositories.users.find(userId))?.memberships.map((membership) => membership.vendorId) ?? []
  const key = await asOperator(context, repositories, { vendorIds, action: 'key revoke' }, async () => await userApiKeys.revoke(userId, id), () => id)
  return key === null ? null : { ...key, owner: `user ${userId}` }
}
