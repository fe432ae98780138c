import { createHash, randomBytes } from 'node:crypto'
import { connect, createServer, type AddressInfo } from 'node:net'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { LocalFile } from '../../../src/cli/local-files.js'
import { uploadFiles, type UploadTarget } from '../../../src/cli/upload-files.js'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { startSftpServer, type TestSftpServer } from './support/sftp-server.js'
import { testFolder } from '../../support/test-folder.js'

const signal = new AbortController().signal
const targetOf = ({ port, key, user }: TestSftpServer): UploadTarget => ({ address: { user, host: '127.0.0.1', port }, identity: key.private })
const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

function localFile (t: Test, content: Buffer, name = 'products.jsonl.gz'): LocalFile {
  return { path: join(testFolder(t, { [name]: content }), name), name, bytes: content.length }
}

t.test('files arrive whole in incoming/, with several requests in flight', async (t) => {
  const server = await startSftpServer(t)
  const content = randomBytes(5 * 1024 * 1024 + 17)
  const folder = testFolder(t, { 'a.jsonl': content, 'b.jsonl': 'b', 'empty.jsonl': '' })
  const files = [['a.jsonl', content.length], ['b.jsonl', 1], ['empty.jsonl', 0]] as const
  const seen: number[] = []
  await uploadFiles(files.map(([name, bytes]) => ({ path: join(folder, name), name, bytes })), targetOf(server), {
    signal, onProgress: (bytes) => { seen.push(bytes) }
  })
  t.equal(digest(server.files.get('incoming/a.jsonl') ?? Buffer.alloc(0)), digest(content))
  t.equal(String(server.files.get('incoming/b.jsonl')), 'b')
  t.equal(String(server.files.get('incoming/empty.jsonl')), '')
  // One at a time waits for each answer; how many more fit in between is the machine's.
  t.ok(server.mostInFlight() > 1, `${server.mostInFlight()} in flight`)
  t.equal(seen.at(-1), content.length + 1)
  t.same(seen, seen.toSorted((a, b) => a - b), 'progress never goes back')
})

t.test('the host key is told, and a pinned one must match before anything is sent', async (t) => {
  const server = await startSftpServer(t)
  const file = localFile(t, Buffer.from('x'))
  let told = ''
  await uploadFiles([file], { ...targetOf(server), hostKeyFingerprint: server.hostKeyFingerprint }, { signal, onHostKey: (fingerprint) => { told = fingerprint } })
  t.equal(told, server.hostKeyFingerprint)
  server.files.clear()
  const other = `SHA256:${'A'.repeat(43)}`
  await t.rejects(uploadFiles([file], { ...targetOf(server), hostKeyFingerprint: other }, { signal }), { name: 'CliError', message: new RegExp(`not ${other}: nothing was sent`) })
  t.equal(server.files.size, 0)
})

t.test('a key that is not registered is told as such', async (t) => {
  const server = await startSftpServer(t)
  const target = { ...targetOf(server), identity: generateEd25519KeyPair('other').private }
  await t.rejects(uploadFiles([localFile(t, Buffer.from('x'))], target, { signal }), { message: /refused the key: is it registered for acme\?/ })
})

t.test('a server that is not there is told as such', async (t) => {
  const server = await startSftpServer(t)
  const closed = createServer()
  await new Promise<void>((resolve) => { closed.listen(0, '127.0.0.1', resolve) })
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => { closed.close(resolve) })
  const target = { ...targetOf(server), address: { user: 'acme', host: '127.0.0.1', port } }
  await t.rejects(uploadFiles([localFile(t, Buffer.from('x'))], target, { signal }), { message: `The SFTP server acme@127.0.0.1:${port} cannot be reached: connection refused` })
})

t.test('a server that speaks something else is an error, not a hang', async (t) => {
  const server = createServer((socket) => { socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { server.close() })
  const target = { address: { user: 'acme', host: '127.0.0.1', port: (server.address() as AddressInfo).port }, identity: generateEd25519KeyPair('x').private }
  await t.rejects(uploadFiles([localFile(t, Buffer.from('x'))], target, { signal }), { name: 'CliError' })
})

t.test('a refusal of the server is worded', async (t) => {
  for (const [refuseOpen, message] of [[2, /no incoming\/ folder/], [3, /does not permit it/], [4, /could not store it/]] as const) {
    const server = await startSftpServer(t, { refuseOpen })
    await t.rejects(uploadFiles([localFile(t, Buffer.from('x'))], targetOf(server), { signal }), { name: 'CliError', message })
  }
})

t.test('a file whose closing fails did not arrive', async (t) => {
  const server = await startSftpServer(t, { refuseClose: true })
  await t.rejects(uploadFiles([localFile(t, Buffer.from('x'))], targetOf(server), { signal }), { message: 'products.jsonl.gz was not uploaded: the server could not store it (No space left on device)' })
})

t.test('a connection that is lost in the middle is an error', async (t) => {
  const server = await startSftpServer(t, { hangUpAtWrite: 5 })
  await t.rejects(uploadFiles([localFile(t, randomBytes(1024 * 1024))], targetOf(server), { signal }), { name: 'CliError' })
})

t.test('a server that stops answering is given up', async (t) => {
  const server = await startSftpServer(t, { silentAfterWrites: 3 })
  await t.rejects(uploadFiles([localFile(t, randomBytes(1024 * 1024))], targetOf(server), { signal, stallMs: 300 }), { message: /has not confirmed anything for 0.3 s/ })
})

t.test('a file that shrinks while it is being sent is an error', async (t) => {
  const server = await startSftpServer(t)
  const file = localFile(t, randomBytes(3 * 1024 * 1024))
  let shrunk: Promise<void> | undefined
  const upload = uploadFiles([file], targetOf(server), { signal, onProgress: () => { shrunk ??= truncate(file.path, 10) } })
  await t.rejects(upload, { message: /changed while it was being sent/ })
  await shrunk
})

t.test('an interruption ends an upload that stands still', async (t) => {
  const server = await startSftpServer(t, { silentAfterWrites: 8 })
  const interruption = new AbortController()
  const upload = uploadFiles([localFile(t, randomBytes(1024 * 1024))], targetOf(server), {
    signal: interruption.signal, onProgress: () => { interruption.abort() }
  })
  await t.rejects(upload, { message: /^Interrupted/ })
  await t.rejects(uploadFiles([], targetOf(server), { signal: interruption.signal }), { message: /^Interrupted/ })
})

t.test('the connection is closed afterwards', async (t) => {
  const server = await startSftpServer(t)
  const proxy = createServer((socket) => {
    const onward = connect(server.port, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    socket.on('error', () => {}).on('close', () => { onward.destroy() })
    onward.on('error', () => {})
  })
  await new Promise<void>((resolve) => { proxy.listen(0, '127.0.0.1', resolve) })
  const target = { ...targetOf(server), address: { user: 'acme', host: '127.0.0.1', port: (proxy.address() as AddressInfo).port } }
  await uploadFiles([localFile(t, Buffer.from('x'))], target, { signal })
  // Calls back when no connection is left.
  await new Promise((resolve) => { proxy.close(resolve) })
  t.pass('no connection is left')
})
