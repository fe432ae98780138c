/**
 * Uploads, whose encryption takes a core, take nothing from the event loop that answers requests: they go on while it does nothing at all.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startService } from '../../src/bin/service.js'
import { loadConfig } from '../../src/config.js'
import { generateEd25519KeyPair } from '../../src/sftp/key-pair.js'
import { createRepositories } from '../../src/store/repositories.js'
import { testDatabase } from '../support/database.js'
import { fingerprintOfPair } from '../support/key-fingerprint.js'
import { silent } from '../support/log.js'
import { testFolder } from '../support/test-folder.js'

const program = fileURLToPath(new URL('../support/upload-program.js', import.meta.url))
/** Only a failure takes as long. */
const timeout = 60_000

t.test('a login and an upload of 20 MB while the event loop of the service stands still', async (t) => {
  const folder = testFolder(t)
  const { database, url } = await testDatabase(t)
  const service = await startService(
    loadConfig({ ROLES: 'sftp', DATA_DIR: join(folder, 'data'), MONGODB_URL: url, SFTP_PORT: '0', LOG_LEVEL: 'silent' }), silent
  )
  t.teardown(service.close)
  const pair = generateEd25519KeyPair('acme')
  await createRepositories(database).sftpKeys.add({ _id: fingerprintOfPair(pair), vendorId: 'acme', publicKey: pair.public, comment: '', createdAt: new Date() })
  const content = randomBytes(20_000_000)
  await writeFile(join(folder, 'a.jsonl'), content)
  await writeFile(join(folder, 'identity'), pair.private, { mode: 0o600 })

  execFileSync(process.execPath, [program, service.sftp, 'acme', join(folder, 'identity'), join(folder, 'a.jsonl')], { timeout, stdio: 'pipe' })

  t.ok((await readFile(join(folder, 'data', 'sftp', 'vendors', 'acme', 'incoming', 'a.jsonl'))).equals(content))
})
