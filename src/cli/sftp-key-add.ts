/** `catalog sftp-key add` */
import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import { conflict } from '../errors.js'
import { unreadable } from './cli-error.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { asOperator } from './operator-audit.js'
import { parseSshPublicKey } from './ssh-public-key.js'
import { withRepositories } from './with-repositories.js'

interface Options { vendor: string, file: string, json?: true }

export function addSftpKeyAdd (sftpKey: Command, context: CliContext): void {
  sftpKey.command('add')
    .description('lets a public key log in as a vendor; again is harmless')
    .requiredOption('--vendor <id>', 'the vendor')
    .requiredOption('--file <key.pub>', 'an OpenSSH public key of type ssh-ed25519')
    .option('--json', 'print one JSON object: {"fingerprint"}')
    .action(async ({ vendor, file, json }: Options) => {
      const { fingerprint, publicKey, comment } = parseSshPublicKey(await readStart(file), file)
      await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        const key = { _id: fingerprint, vendorId: vendor, publicKey, comment, createdAt: new Date() }
        await asOperator(context, repositories, { vendorIds: [vendor], action: 'sftp-key add' }, async () => {
          if (!await repositories.sftpKeys.add(key)) throw conflict('This key is registered for another vendor already')
        }, () => fingerprint)
      })
      if (json) return context.output.json({ fingerprint })
      context.output.print(`Vendor ${vendor} may log in over SFTP with ${fingerprint}${comment === '' ? '' : ` (${comment})`}`)
    })
}

/** A key has about 100 bytes; no more than this is read of whatever file is named. */
const maxKeyBytes = 16 * 1024

async function readStart (path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxKeyBytes), 0, maxKeyBytes, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}
