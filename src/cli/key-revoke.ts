/** `catalog key revoke` */
import type { Command } from 'commander'
import { notFound } from '../errors.js'
import type { CliContext } from './context.js'
import { withRepositories } from './with-repositories.js'

interface Options { id: string, json?: true }

export function addKeyRevoke (key: Command, context: CliContext): void {
  key.command('revoke')
    .description('ends an integration API key; again is harmless')
    .requiredOption('--id <id>', 'the id that `key create` printed')
    .option('--json', 'print one JSON object: {"id", "revokedAt"}')
    .action(async ({ id, json }: Options) => {
      const record = await withRepositories(context, async ({ integrationApiKeys }) => await integrationApiKeys.revoke(id))
      if (record === null || record.revokedAt === null) throw notFound(`There is no key ${JSON.stringify(id)}`)
      const revokedAt = record.revokedAt.toISOString()
      if (json) return context.output.json({ id: record._id, revokedAt })
      context.output.print(`Revoked key ${record._id} (${record.name}) of vendor ${record.vendorId} at ${revokedAt}`)
    })
}
