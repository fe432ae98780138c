import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import ssh2 from 'ssh2'
import { generateEd25519KeyPair, loadOrCreateKey } from '../../../src/sftp/key-pair.js'
import { startServer } from './harness.js'
import { testFolder } from '../../support/test-folder.js'
import { recordingLog, silent } from '../../support/log.js'

t.test('every generated key can be read back', async (t) => {
  const bad = Array.from({ length: 500 }, () => generateEd25519KeyPair('x'))
    .filter((pair) => ssh2.utils.parseKey(pair.private) instanceof Error)
  t.equal(bad.length, 0)
})

t.test('processes that start at once share one key', async (t) => {
  const dir = testFolder(t)
  const file = join(dir, 'keys', 'host-key')
  const loaded = await Promise.all(Array.from({ length: 8 }, async () => await loadOrCreateKey(file, 'host', silent)))
  t.equal(new Set(loaded.map(({ text }) => text)).size, 1)
  t.strictSame(await readdir(join(dir, 'keys')), ['host-key'], 'and leave nothing else behind')
})

t.test('private keys are readable by their owner only', async (t) => {
  const dir = testFolder(t)
  const { serviceKeyFile } = await startServer(t, { dir })
  for (const file of [serviceKeyFile, join(dir, 'host-key')]) t.equal((await stat(file)).mode & 0o777, 0o600)
  t.match(await readFile(`${serviceKeyFile}.pub`, 'utf8'), /^ssh-ed25519 AAAA\S+ catalog-service\n$/)
})

t.test('a restart keeps host key and service key', async (t) => {
  const dir = testFolder(t)
  const first = await startServer(t, { dir })
  const key = await readFile(first.serviceKeyFile, 'utf8')
  const second = await startServer(t, { dir })
  t.equal(second.server.hostKeyFingerprint, first.server.hostKeyFingerprint)
  t.equal(await readFile(second.serviceKeyFile, 'utf8'), key)
})

t.test('a key file that others can read is warned about', async (t) => {
  const file = join(testFolder(t), 'host-key')
  await writeFile(file, generateEd25519KeyPair('x').private)
  await chmod(file, 0o644)
  const { log, text } = recordingLog()
  await loadOrCreateKey(file, 'host', log)
  t.match(text(), 'private key can be read by others')
})

t.test('a file that holds no ed25519 key keeps the server from starting', async (t) => {
  const file = join(testFolder(t), 'host-key')
  for (const content of ['', 'nonsense', ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private, generateEd25519KeyPair('x').public]) {
    await writeFile(file, content)
    await t.rejects(loadOrCreateKey(file, 'host', silent), /does not hold an unencrypted ed25519 private key/)
  }
})
