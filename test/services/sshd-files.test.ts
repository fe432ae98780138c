/** Merchants' files on OpenSSH's sshd, through the worker's only way to them. */
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSftpFiles, type SftpFiles } from '../../src/sources/sftp-files.js'
import { givenParts } from './given-parts.js'
import { createIncoming } from '../support/incoming.js'
import { createSshd, type Sshd } from './parts/sshd.js'
import { silent as log } from '../support/log.js'

const given = givenParts()
const givenSshd = { url: given.sftpUrl, privateKeyFile: given.sftpPrivateKeyFile, hostKeyFingerprint: given.sftpHostKeyFingerprint }
const megabyte = 1_000_000

function filesOf (t: Test, { url, privateKeyFile, hostKeyFingerprint }: Pick<Sshd, 'url' | 'privateKeyFile' | 'hostKeyFingerprint'>): SftpFiles {
  const files = createSftpFiles({ url, privateKeyFile, hostKeys: { fingerprints: [hostKeyFingerprint] }, log })
  t.teardown(async () => { await files.close() })
  return files
}

async function vendor (t: Test): Promise<{ id: string, incoming: string, files: SftpFiles }> {
  const id = `v-${randomBytes(6).toString('hex')}`
  const incoming = await createIncoming(given.sftpRoot, id)
  return { id, incoming, files: filesOf(t, givenSshd) }
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
const neverAborted = new AbortController().signal

t.test('a file of 50 MB is read byte for byte', async (t) => {
  const { id, incoming, files } = await vendor(t)
  const content = randomBytes(50 * megabyte)
  await writeFile(join(incoming, 'products.jsonl'), content)
  const hash = createHash('sha256')
  let bytes = 0
  const stream = files.read(id, 'products.jsonl', { signal: neverAborted, onBytes: (count) => { bytes += count } })
  for await (const piece of stream) hash.update(piece as Buffer)
  t.equal(hash.digest('hex'), sha256(content))
  t.equal(bytes, content.length)
})

t.test('a server that is killed and started again in the middle of a file is read on from there', { timeout: 90_000 }, async (t) => {
  const sshd = await createSshd()
  t.teardown(sshd.close)
  await sshd.start()
  const content = randomBytes(50 * megabyte)
  await writeFile(join(await createIncoming(sshd.root, 'acme'), 'products.jsonl'), content)
  const files = filesOf(t, sshd)
  const hash = createHash('sha256')
  let bytes = 0
  let restarted = false
  for await (const piece of files.read('acme', 'products.jsonl', { signal: neverAborted })) {
    hash.update(piece as Buffer)
    bytes += (piece as Buffer).length
    if (bytes > 10 * megabyte && !restarted) {
      restarted = true
      await sshd.kill()
      await sshd.start()
    }
  }
  t.ok(restarted)
  t.equal(bytes, content.length)
  t.equal(hash.digest('hex'), sha256(content))
})

t.test('list, stat and remove', async (t) => {
  const { id, incoming, files } = await vendor(t)
  t.strictSame(await files.list(id), [])
  await writeFile(join(incoming, 'a.jsonl'), 'four')
  await writeFile(join(incoming, 'b.jsonl.gz'), '')
  await createIncoming(incoming, 'folder')
  const listed = await files.list(id)
  t.strictSame(listed.map(({ name, size, uploadedAtMs }) => ({ name, size, uploadedAtMs })).sort((a, b) => a.name < b.name ? -1 : 1), [
    { name: 'a.jsonl', size: 4, uploadedAtMs: null }, { name: 'b.jsonl.gz', size: 0, uploadedAtMs: null }
  ])
  const { size, modifiedAtMs } = await files.stat(id, 'a.jsonl')
  t.equal(size, 4)
  t.ok(Math.abs(modifiedAtMs - Date.now()) < 60_000)
  await files.remove(id, 'a.jsonl')
  t.strictSame((await files.list(id)).map(({ name }) => name), ['b.jsonl.gz'])
})

t.test('a file that is not there: stat and read say so, remove is content', async (t) => {
  const { id, files } = await vendor(t)
  const wanted = { message: 'File not found: nothing.jsonl' }
  await t.rejects(files.stat(id, 'nothing.jsonl'), wanted)
  await t.rejects(files.read(id, 'nothing.jsonl', { signal: neverAborted }).toArray(), wanted)
  await files.remove(id, 'nothing.jsonl')
  t.strictSame(await files.list('no-such-vendor'), [])
})

t.test('a key that the server does not know is refused, not tried for ever', async (t) => {
  const sshd = await createSshd()
  t.teardown(sshd.close)
  await sshd.start()
  const files = filesOf(t, { ...givenSshd, privateKeyFile: sshd.privateKeyFile })
  await t.rejects(files.stat('acme', 'a.jsonl'), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('a server with the key of another is not read from, and both keys can be told apart', async (t) => {
  const sshd = await createSshd()
  t.teardown(sshd.close)
  await sshd.start()
  const files = filesOf(t, { ...sshd, hostKeyFingerprint: given.sftpHostKeyFingerprint })
  await t.rejects(files.stat('acme', 'a.jsonl'), { code: 'SERVICE_UNAVAILABLE', message: `ssh-ed25519 ${sshd.hostKeyFingerprint}, is not trusted` })
})
