/** `catalog sftp-key remove`: the key opens no new connection from then on, and those that it has opened end within 5 s. */
import type { Command } from 'commander'
import { notFound } from '../errors.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { asOperator } from './operator-audit.js'
import { withRepositories } from './with-repositories.js'

interface Options { vendor: string, fingerprint: string, json?: true }

export function addSftpKeyRemove (sftpKey: Command, context: CliContext): void {
  sftpKey.command('remove')
    .description('ends what a public key may do')
    .requiredOption('--vendor <id>', 'the vendor')
    .requiredOption('--fingerprint <SHA256:…>', 'as `sftp-key add` and ssh-keygen -l print it')
    .option('--json', 'print one JSON object: {"fingerprint"}')
    .action(async ({ vendor, fingerprint, json }: Options) => {
      await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        await asOperator(context, repositories, { vendorIds: [vendor], action: 'sftp-key remove' }, async () => {
          if (!await repositories.sftpKeys.remove(vendor, fingerprint)) throw notFound(`Vendor ${vendor} has no key ${JSON.stringify(fingerprint)}`)
        }, () => fingerprint)
      })
      if (json) return context.output.json({ fingerprint })
      context.output.print(`Removed the key ${fingerprint} of vendor ${vendor}`)
    })
}
