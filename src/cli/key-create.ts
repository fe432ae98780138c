/** `catalog key create`: the key is printed here and never again; only its digest is stored (decisions.md, Access). */
import { InvalidArgumentError, type Command } from 'commander'
import { isPermission, permissions, type Permission } from '../domain/access.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { withRepositories } from './with-repositories.js'

interface Options { vendor: string, name: string, permissions: Permission[], json?: true }

export function addKeyCreate (key: Command, context: CliContext): void {
  key.command('create')
    .description('creates an integration API key of a vendor')
    .requiredOption('--vendor <id>', 'the vendor it opens')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--permissions <names>', `comma-separated, of: ${permissions.join(', ')}`, parsePermissions)
    .option('--json', 'print one JSON object: {"id", "key"}')
    .action(async ({ vendor, name, permissions, json }: Options) => {
      const { key, record } = await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        return await repositories.integrationApiKeys.create(vendor, name, permissions)
      })
      const { output } = context
      if (json) return output.json({ id: record._id, key })
      output.print(key)
      output.note(`Key ${record._id} of vendor ${vendor} (${record.permissions.join(', ')}). Keep it now: it cannot be shown again.`)
    })
}

function parsePermissions (text: string): Permission[] {
  const names = text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const unknown = names.find((name) => !isPermission(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no permission ${unknown}.`)
  if (names.length === 0) throw new InvalidArgumentError('A key without any permission opens nothing.')
  return names.filter(isPermission)
}
