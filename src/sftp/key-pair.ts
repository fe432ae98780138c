/** Ed25519 key pairs in OpenSSH's format: made once, kept in a file that only this user reads. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import ssh2, { type ParsedKey } from 'ssh2'
import type { Logger } from 'pino'
import { renameExclusively } from './exclusive-rename.js'
import { errnoOf } from './sftp-failure.js'

const { utils } = ssh2

export interface KeyPair { private: string, public: string }

/**
 * A new key pair. ssh2 1.17 writes about one in 200 of its ed25519 keys in a way that cannot be read back
 * ("Malformed OpenSSH private key"), so a key counts only after it has been read and has signed something.
 */
export function generateEd25519KeyPair (comment: string): KeyPair {
  for (let attempt = 0; attempt < 20; attempt++) {
    const pair = utils.generateKeyPairSync('ed25519', { comment })
    if (works(pair)) return pair
  }
  throw new Error('Could not generate an ed25519 key pair')
}

function works (pair: KeyPair): boolean {
  const secret = utils.parseKey(pair.private)
  const open = utils.parseKey(pair.public)
  if (secret instanceof Error || open instanceof Error) return false
  const sample = Buffer.from('sample')
  return open.verify(sample, secret.sign(sample))
}

/** Reads the private key, or makes it first (mode 0600). Of several processes that do so at once, one's key is everyone's. */
export async function loadOrCreateKey (file: string, comment: string, log: Logger): Promise<{ text: string, key: ParsedKey }> {
  return parseKey(file, await readKey(file, log) ?? await createKey(file, comment))
}

/** Reads a private key that is somebody else's to make. Rejects when it is not there. */
export async function loadKey (file: string, log: Logger): Promise<{ text: string, key: ParsedKey }> {
  const text = await readKey(file, log)
  if (text === undefined) throw new Error(`${file} is not there`)
  return parseKey(file, text)
}

function parseKey (file: string, text: string): { text: string, key: ParsedKey } {
  const key = utils.parseKey(text)
  if (key instanceof Error || key.type !== 'ssh-ed25519' || !key.isPrivateKey()) {
    throw new Error(`${file} does not hold an unencrypted ed25519 private key in OpenSSH format`)
  }
  return { text, key }
}

/** Writes the public half beside the private key, for people and for other servers' authorized_keys. */
export async function writePublicKey (file: string, key: ParsedKey, comment: string): Promise<void> {
  await publish(`${file}.pub`, `${publicHalf(key)} ${comment}`)
}

/** Writes an OpenSSH known_hosts with the keys of the one server that its readers go to, under whichever name and port. */
export async function writeKnownHosts (file: string, hostKeys: readonly ParsedKey[], comment: string): Promise<void> {
  await publish(file, hostKeys.map((key) => `* ${publicHalf(key)} ${comment}`).join('\n'))
}

const publicHalf = (key: ParsedKey): string => `ssh-ed25519 ${key.getPublicSSH().toString('base64')}`

/** Whoever reads it finds it whole. */
async function publish (file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, `${text}\n`, { mode: 0o644 })
  await rename(temporary, file)
}

async function readKey (file: string, log: Logger): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    if (((await stat(file)).mode & 0o077) !== 0) log.warn({ file }, 'private key can be read by others')
    return text
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function createKey (file: string, comment: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}`
  try {
    await writeFile(temporary, generateEd25519KeyPair(comment).private, { mode: 0o600, flag: 'wx' })
    await chmod(temporary, 0o600) // whatever the umask is
    await renameExclusively(temporary, file)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error // EEXIST: another process was first, its key counts
  } finally {
    await rm(temporary, { force: true })
  }
  return await readFile(file, 'utf8')
}
