/** `catalog vendor create` */
import type { Command } from 'commander'
import type { CliContext } from './context.js'
import { withRepositories } from './with-repositories.js'

interface Options { id: string, name: string, json?: true }

export function addVendorCreate (vendor: Command, context: CliContext): void {
  vendor.command('create')
    .description('registers a merchant')
    .requiredOption('--id <id>', 'its id: lower-case letters, digits, - and _, at most 63; also its SFTP user name')
    .requiredOption('--name <name>', 'its name, as people read it')
    .option('--json', 'print one JSON object: {"vendorId", "sftpUsername"}')
    .action(async ({ id, name, json }: Options) => {
      const vendor = await withRepositories(context, async ({ vendors }) => await vendors.create(id, name))
      const { output } = context
      if (json) return output.json({ vendorId: vendor._id, sftpUsername: vendor._id })
      output.print(`Created vendor ${vendor._id} (${vendor.name})`)
      output.print(`Its SFTP user name is ${vendor._id}; register a key with: catalog sftp-key add --vendor ${vendor._id} --file KEY.pub`)
    })
}
