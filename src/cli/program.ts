/** The command line as a whole (spec/operations.md, "Command line"): which commands there are, and how they end. */
import { Command } from 'commander'
import type { CliContext } from './context.js'
import { addDoctor } from './doctor.js'
import { addKeyCreate } from './key-create.js'
import { addKeyRevoke } from './key-revoke.js'
import { addLoad } from './load.js'
import { addMigrate } from './migrate.js'
import { addPush } from './push.js'
import { reportError } from './report-error.js'
import { addShardCommands } from './shard-commands.js'
import { addSftpKeyAdd } from './sftp-key-add.js'
import { addSftpKeyRemove } from './sftp-key-remove.js'
import { addTokenCreate } from './token-create.js'
import { addUserCreate } from './user-create.js'
import { addUserGrant, addUserWithdraw } from './user-grant.js'
import { addValidate } from './validate.js'
import { addVendorCreate } from './vendor-create.js'

/** Runs one command; never rejects. Returns the exit code. */
export async function runCatalog (args: readonly string[], context: CliContext): Promise<number> {
  try {
    await createProgram(context).parseAsync(args, { from: 'user' })
    return context.exitCode
  } catch (error) {
    return reportError(error, context)
  }
}

function createProgram (context: CliContext): Command {
  const { output } = context
  const program = new Command('catalog')
    .description('Keeps merchants\' catalogs: vendors, keys, imports.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => { output.stdout.write(text) },
      writeErr: (text) => { output.stderr.write(text) }
    })
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage; push also 3: completed with line errors; doctor also 3: works, with warnings.')
  addVendorCreate(program.command('vendor').description('the merchants of this service'), context)
  const user = program.command('user').description('people who work for vendors')
  addUserCreate(user, context)
  addUserGrant(user, context)
  addUserWithdraw(user, context)
  addTokenCreate(program.command('token').description('access tokens of users'), context)
  const key = program.command('key').description('API keys')
  addKeyCreate(key, context)
  addKeyRevoke(key, context)
  const sftpKey = program.command('sftp-key').description('the public keys that may log in over SFTP')
  addSftpKeyAdd(sftpKey, context)
  addSftpKeyRemove(sftpKey, context)
  addDoctor(program, context)
  addLoad(program, context)
  addMigrate(program, context)
  addPush(program, context)
  addShardCommands(program, context)
  addValidate(program, context)
  return program
}
