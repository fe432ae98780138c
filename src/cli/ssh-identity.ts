/** The merchant's private key, as `push --identity` takes it. */
import { readFile } from 'node:fs/promises'
import ssh2, { type ParsedKey } from 'ssh2'
import { CliError, unreadable } from './cli-error.js'

/** The text of an OpenSSH private key that can be used. Throws CliError; the message never repeats what the file holds. */
export async function readIdentity (path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => { throw unreadable(path, error) })
  const key: ParsedKey | Error = ssh2.utils.parseKey(text)
  if (key instanceof Error) {
    if (/passphrase|encrypted/i.test(key.message)) throw new CliError(`${path} is protected by a passphrase; give a key without one`)
    throw new CliError(`${path} is not a private key that can be read`)
  }
  if (!key.isPrivateKey()) throw new CliError(`${path} is a public key; --identity takes the private one beside it`)
  if (key.type !== 'ssh-ed25519') throw new CliError(`${path} must be an ssh-ed25519 key, it is ${key.type}`)
  return text
}
