/** `catalog key create`: the key is printed here and never again; only its digest is stored (decisions.md, Access). */
import { InvalidArgumentError, type Command } from 'commander'
import { permissions, type Permission } from '../domain/access.js'
import { parseSeconds } from '../domain/duration.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { asOperator } from './operator-audit.js'
import { parsePermissions } from './permission-list.js'
import { withRepositories } from './with-repositories.js'

const maxExpirySeconds = 100 * 365 * 24 * 60 * 60

interface Options { vendor: string, name: string, permissions: Permission[], expiresIn?: number, json?: true }

export function addKeyCreate (key: Command, context: CliContext): void {
  key.command('create')
    .description('creates an integration API key of a vendor')
    .requiredOption('--vendor <id>', 'the vendor it opens')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--permissions <names>', `comma-separated, of: ${permissions.join(', ')}`, parseSomePermissions)
    .option('--expires-in <time>', 'when it ends, from now, such as 12h or 90d; without it never', parseExpiry)
    .option('--json', 'print one JSON object: {"id", "key"}, with --expires-in also "expiresAt"')
    .action(async ({ vendor, name, permissions, expiresIn, json }: Options) => {
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000)
      const { key, record } = await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        return await asOperator(
          context, repositories, { vendorIds: [vendor], action: 'key create' },
          async () => await repositories.integrationApiKeys.create(vendor, name, permissions, { expiresAt }), ({ record }) => record._id
        )
      })
      const { output } = context
      if (json) return output.json({ id: record._id, key, ...expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() } })
      output.print(key)
      output.note(`Key ${record._id} of vendor ${vendor} (${record.permissions.join(', ')})${expiresAt === null ? '' : `, until ${expiresAt.toISOString()}`}. Keep it now: it cannot be shown again.`)
    })
}

function parseSomePermissions (text: string): Permission[] {
  const names = parsePermissions(text)
  if (names.length === 0) throw new InvalidArgumentError('A key without any permission opens nothing.')
  return names
}

function parseExpiry (text: string): number {
  const seconds = parseSeconds(text)
  if (seconds === undefined || seconds > maxExpirySeconds) throw new InvalidArgumentError('It must be a time such as 12h or 90d, of at most 100 years.')
  return seconds
}
