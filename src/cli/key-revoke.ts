/** `catalog key revoke` */
import type { Command } from 'commander'
import type { IntegrationApiKey } from '../domain/access.js'
import { notFound } from '../errors.js'
import type { Repositories } from '../store/repositories.js'
import type { CliContext } from './context.js'
import { asOperator } from './operator-audit.js'
import { withRepositories } from './with-repositories.js'

interface Options { id: string, json?: true }

interface Revoked {
  _id: string
  name: string
  revokedAt: Date | null
  owner: string
  /** Integration keys that its user has made and that still work; null: it is no user's key, and makes none. */
  made: IntegrationApiKey[] | null
}

export function addKeyRevoke (key: Command, context: CliContext): void {
  key.command('revoke')
    .description('ends an API key, of a vendor or of a user; again is harmless')
    .requiredOption('--id <id>', 'the id that `key create` printed')
    .option('--json', 'print one JSON object: {"id", "revokedAt"}, of a user\'s key also "integrationKeys", which its user has made and which still work')
    .action(async ({ id, json }: Options) => {
      const revoked = await withRepositories(context, async (repositories) => await revoke(context, repositories, id))
      if (revoked === null || revoked.revokedAt === null) throw notFound(`There is no key ${JSON.stringify(id)}`)
      const revokedAt = revoked.revokedAt.toISOString()
      const { made } = revoked
      const { output } = context
      if (json) {
        const integrationKeys = made?.map(({ _id, vendorId, name, createdAt }) => ({ id: _id, vendorId, name, createdAt: createdAt.toISOString() }))
        return output.json({ id: revoked._id, revokedAt, ...integrationKeys === undefined ? {} : { integrationKeys } })
      }
      output.print(`Revoked key ${revoked._id} (${revoked.name}) of ${revoked.owner} at ${revokedAt}`)
      for (const { _id, name, vendorId } of made ?? []) output.print(`Its user has made integration key ${_id} (${name}) of vendor ${vendorId}, which still works`)
    })
}

async function revoke (context: CliContext, repositories: Repositories, id: string): Promise<Revoked | null> {
  const { integrationApiKeys, userApiKeys, users } = repositories
  const vendorId = await integrationApiKeys.ownerOf(id)
  if (vendorId !== null) {
    const key = await asOperator(context, repositories, { vendorIds: [vendorId], action: 'key revoke' }, async () => await integrationApiKeys.revoke(vendorId, id), () => id)
    return key === null ? null : { ...key, owner: `vendor ${vendorId}`, made: null }
  }
  const userId = await userApiKeys.ownerOf(id)
  if (userId === null) return null
  const vendorIds = (await users.find(userId))?.memberships.map((membership) => membership.vendorId) ?? []
  return await asOperator(context, repositories, { vendorIds, action: 'key revoke' }, async () => {
    const key = await userApiKeys.revoke(userId, id)
    return key === null ? null : { ...key, owner: `user ${userId}`, made: await integrationApiKeys.workingOf(userId) }
  }, () => id, (revoked, at) => (revoked?.made ?? []).filter(({ vendorId }) => vendorId === at).map(({ _id }) => _id))
}
