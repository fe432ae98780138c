/** A public key in a file (domain/ssh-public-key.ts), with the errors of the command line. */
import { readSshPublicKey, type SshPublicKey } from '../domain/ssh-public-key.js'
import { isAppError } from '../errors.js'
import { CliError } from './cli-error.js'

/** `name` is the file's, for messages. Throws CliError. */
export function parseSshPublicKey (text: string, name: string): SshPublicKey {
  try {
    return readSshPublicKey(text, name)
  } catch (error) {
    throw isAppError(error) ? new CliError(error.message) : error
  }
}
