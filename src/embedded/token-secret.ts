/**
 * The secret that access tokens are signed with where the operator names none: made once on DATA_DIR, shared by the service and
 * the command line on it. Processes on several machines need AUTH_JWT_SECRET, or each would refuse the others' tokens.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createJson, readJson } from './json-file.js'

interface SecretFile { secret: string }

/** 256 bits, in hex. Throws when the file is damaged: a new secret would end all tokens that were given out. */
export async function loadOrCreateTokenSecret (dataDir: string): Promise<string> {
  const folder = join(dataDir, 'auth')
  const file = join(folder, 'token-secret.json')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Of several processes that start at once, one's secret is everyone's.
  await createJson(file, { secret: randomBytes(32).toString('hex') } satisfies SecretFile)
  const secret = (await readJson<SecretFile>(file))?.secret
  if (typeof secret !== 'string' || !/^[0-9a-f]{64}$/.test(secret)) throw new Error(`${file} does not hold a secret; remove it to get a new one`)
  return secret
}
