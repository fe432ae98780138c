/** `catalog key create`: the key is printed here and never again; only its digest is stored (decisions.md, Access). */
import { InvalidArgumentError, type Command } from 'commander'
import { permissions, type Permission } from '../domain/access.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { asOperator } from './operator-audit.js'
import { parsePermissions } from './permission-list.js'
import { withRepositories } from './with-repositories.js'

interface Options { vendor: string, name: string, permissions: Permission[], json?: true }

export function addKeyCreate (key: Command, context: CliContext): void {
  key.command('create')
    .description('creates an integration API key of a vendor')
    .requiredOption('--vendor <id>', 'the vendor it opens')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--permissions <names>', `comma-separated, of: ${permissions.join(', ')}`, parseSomePermissions)
    .option('--json', 'print one JSON object: {"id", "key"}')
    .action(async ({ vendor, name, permissions, json }: Options) => {
      const { key, record } = await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        return await asOperator(
          context, repositories, { vendorIds: [vendor], action: 'key create' },
          async () => await repositories.integrationApiKeys.create(vendor, name, permissions), ({ record }) => record._id
        )
      })
      const { output } = context
      if (json) return output.json({ id: record._id, key })
      output.print(key)
      output.note(`Key ${record._id} of vendor ${vendor} (${record.permissions.join(', ')}). Keep it now: it cannot be shown again.`)
    })
}

function parseSomePermissions (text: string): Permission[] {
  const names = parsePermissions(text)
  if (names.length === 0) throw new InvalidArgumentError('A key without any permission opens nothing.')
  return names
}
