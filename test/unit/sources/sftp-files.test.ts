import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, Socket, type AddressInfo } from 'node:net'
import { appendFile, readdir, readlink, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import ssh2, { type FileEntry } from 'ssh2'
import t from 'tap'
import { createSftpFiles, type SftpFiles, type SftpFilesOptions } from '../../../src/sources/sftp-files.js'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import type { SftpLimits } from '../../../src/sftp/limits.js'
import { asVendor, eventually, incomingOf, startServer, type Teardown, type TestServer } from '../sftp/harness.js'
import { startProxy, type Proxy } from './sftp-proxy.js'
import { fingerprintOfPair } from '../../support/key-fingerprint.js'
import { silent } from '../../support/log.js'
import { testFolder } from '../../support/test-folder.js'

const quick = { budgetMs: 5_000, firstDelayMs: 5, maxDelayMs: 50 }
const never = new AbortController().signal

interface Setup { running: TestServer, proxy: Proxy, files: SftpFiles, incoming: string }

async function setUp (
  t: Teardown, options: Partial<SftpFilesOptions> = {}, limits: Partial<SftpLimits> = {}, delayMs = 0
): Promise<Setup> {
  const running = await startServer(t, { limits })
  const proxy = await startProxy(t, running.port, { delayMs })
  const files = createSftpFiles({
    url: `sftp://catalog-service@127.0.0.1:${proxy.port}/{vendorId}`,
    privateKeyFile: running.serviceKeyFile,
    hostKeys: { knownHostsFile: running.knownHostsFile },
    log: silent,
    reconnect: quick,
    ...options
  })
  t.teardown(async () => await files.close())
  return { running, proxy, files, incoming: await incomingOf(running) }
}

/** One of another make, which has these files. */
async function startForeignServer (t: Teardown, entries: FileEntry[]): Promise<{ port: number, fingerprint: string, privateKeyFile: string }> {
  const [host, user] = [generateEd25519KeyPair(''), generateEd25519KeyPair('')]
  const privateKeyFile = join(testFolder(t), 'key')
  await writeFile(privateKeyFile, user.private)
  const server = new ssh2.Server({ hostKeys: [host.private] }, (client) => {
    client.on('error', () => {}).on('authentication', (context) => { context.accept() }).on('session', (acceptSession) => {
      acceptSession().on('sftp', (acceptChannel) => {
        const sftp = acceptChannel()
        let isListed = false
        sftp.on('OPENDIR', (id) => { sftp.handle(id, Buffer.from('folder')) })
        sftp.on('READDIR', (id) => {
          if (isListed) sftp.status(id, ssh2.utils.sftp.STATUS_CODE.EOF)
          else sftp.name(id, entries)
          isListed = true
        })
        sftp.on('CLOSE', (id) => { sftp.status(id, ssh2.utils.sftp.STATUS_CODE.OK) })
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  return { port: (server.address() as AddressInfo).port, fingerprint: fingerprintOfPair(host), privateKeyFile }
}

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

async function digestOf (stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
const drain = async (stream: Readable): Promise<void> => { await digestOf(stream) }

t.test('a 20 MB file comes byte for byte, counted', async (t) => {
  const { files, incoming } = await setUp(t)
  const content = randomBytes(20_000_000)
  await writeFile(join(incoming, 'a'), content)
  let count = 0
  t.equal(await digestOf(files.read('acme', 'a', { signal: never, onBytes: (bytes) => { count += bytes } })), sha256(content))
  t.equal(count, content.length)
})

t.test('a 20 MB file comes byte for byte from a server with short reads', async (t) => {
  const { files, incoming } = await setUp(t, {}, { maxReadBytes: 10_007 })
  const content = randomBytes(20_000_000)
  await writeFile(join(incoming, 'a'), content)
  t.equal(await digestOf(files.read('acme', 'a', { signal: never })), sha256(content))
})

t.test('what is asked for at once goes as one: a file is opened and looked at, read and looked at again, and closed', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  await writeFile(join(incoming, 'a'), 'x')
  await files.stat('acme', 'a')
  const sent: string[] = []
  for (const method of ['_write', '_writev'] as const) {
    const original = Socket.prototype[method] as (...args: unknown[]) => void
    t.intercept(Socket.prototype, method, {
      value (this: Socket, ...args: unknown[]) {
        if (this.remotePort === proxy.port) sent.push(method === '_write' ? 'one' : `${(args[0] as unknown[]).length} together`)
        original.apply(this, args)
      }
    })
  }
  await drain(files.read('acme', 'a', { signal: never }))
  // With the reading, the channel's window is widened.
  t.strictSame(sent, ['2 together', '4 together', 'one'])
})

t.test('an empty file is an empty stream', async (t) => {
  const { files, incoming } = await setUp(t)
  await writeFile(join(incoming, 'a'), '')
  t.equal(await digestOf(files.read('acme', 'a', { signal: never })), sha256(Buffer.alloc(0)))
})

t.test('a read goes on where connections were cut, at any byte', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  const content = randomBytes(3_000_000)
  await writeFile(join(incoming, 'a'), content)
  // In the version exchange, the key exchange, the login, the first answers, and in the midst of the data.
  for (const cuts of [[1], [100], [1000], [1500], [2000], [2500], [40_000], [1_000_003], [50_000, 100_000, 700_000, 2_000_000]]) {
    proxy.cutAll()
    proxy.cutAt(cuts)
    const before = proxy.connections()
    t.equal(await digestOf(files.read('acme', 'a', { signal: never })), sha256(content), `cut at ${cuts.join()}`)
    t.ok(proxy.connections() - before > cuts.length - 1, 'it was cut')
  }
})

t.test('a connection cut while a request waits is tried again', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  await writeFile(join(incoming, 'a'), 'x')
  proxy.cutAt([1800])
  t.match(await files.stat('acme', 'a'), { size: 1 })
})

t.test('a server that never comes back is given up, within the budget', async (t) => {
  const { files, incoming, proxy } = await setUp(t, { reconnect: { ...quick, budgetMs: 100 } })
  await writeFile(join(incoming, 'a'), randomBytes(5_000_000))
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  proxy.refuse(true)
  proxy.cutAll()
  const expected = { kind: 'fatal', code: 'SERVICE_UNAVAILABLE', message: /^SFTP connection lost/ }
  await t.rejects(drain(stream), expected)
  await t.rejects(files.stat('acme', 'a'), expected)
  await t.rejects(files.list('acme'), expected)
  await t.rejects(files.remove('acme', 'a'), expected)
})

t.test('a reader that rested for longer than the budget still reconnects', async (t) => {
  const { files, incoming, proxy } = await setUp(t, { reconnect: { ...quick, budgetMs: 300 } })
  const content = randomBytes(5_000_000)
  await writeFile(join(incoming, 'a'), content)
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  await sleep(400) // the rest itself
  proxy.cutAll()
  t.equal(await digestOf(stream), sha256(content))
})

t.test('a file that is missing is told, and not waited for', async (t) => {
  const { files } = await setUp(t)
  const expected = { kind: 'fatal', message: 'File not found: a.jsonl' }
  await t.rejects(files.stat('acme', 'a.jsonl'), expected)
  await t.rejects(drain(files.read('acme', 'a.jsonl', { signal: never })), expected)
  await t.rejects(files.stat('nobody', 'a.jsonl'), expected)
})

t.test('a name that is a path is refused before anything is asked', async (t) => {
  const { files, proxy } = await setUp(t)
  for (const name of ['', '.', '..', '../b', '/etc/passwd', 'a\\b', 'a\0b']) {
    await t.rejects(files.stat('acme', name), { kind: 'fatal', code: 'BAD_USER_INPUT' })
    t.throws(() => files.read('acme', name, { signal: never }), { kind: 'fatal', code: 'BAD_USER_INPUT' })
    await t.rejects(files.remove('acme', name), { kind: 'fatal', code: 'BAD_USER_INPUT' })
  }
  t.equal(proxy.connections(), 0)
})

const changes: Array<[what: string, change: (path: string) => Promise<unknown>, message: string]> = [
  ['replaced', async (path) => { await writeFile(`${path}.new`, randomBytes(4_000_000)); await rename(`${path}.new`, path); await utimes(path, 1e9, 1e9) }, 'File changed while being read: a'],
  ['grown', async (path) => await appendFile(path, 'more'), 'File changed while being read: a'],
  ['cut short', async (path) => await truncate(path, 1000), 'File changed while being read: a'],
  ['removed', async (path) => await rm(path), 'File disappeared while being read: a']
]
for (const [what, change, message] of changes) {
  for (const isCut of [false, true]) {
    t.test(`a file ${what} while it is read${isCut ? ' and the connection is lost' : ''} fails`, async (t) => {
      const { files, incoming, proxy } = await setUp(t)
      await writeFile(join(incoming, 'a'), randomBytes(4_000_000))
      const stream = files.read('acme', 'a', { signal: never })
      await once(stream, 'readable')
      stream.on('error', () => {}) // it may fail before it is drained, which then rejects all the same
      await change(join(incoming, 'a'))
      if (isCut) proxy.cutAll()
      await t.rejects(drain(stream), { kind: 'fatal', message })
    })
  }
}

t.test('an abort ends the stream at once and frees the connection', async (t) => {
  const { files, incoming, running } = await setUp(t)
  await writeFile(join(incoming, 'a'), randomBytes(20_000_000))
  const controller = new AbortController()
  const stream = files.read('acme', 'a', { signal: controller.signal })
  await once(stream, 'readable')
  const reason = new Error('cancelled')
  const failed = t.rejects(drain(stream), { message: 'cancelled' })
  controller.abort(reason)
  await failed
  await eventually(async () => await openFilesUnder(running.rootDir) === 0)
})

t.test('an abort ends a wait for the server', async (t) => {
  const { files, proxy } = await setUp(t, { reconnect: { budgetMs: 60_000, firstDelayMs: 30_000, maxDelayMs: 30_000 } })
  proxy.refuse(true)
  const controller = new AbortController()
  const reading = t.rejects(drain(files.read('acme', 'a', { signal: controller.signal })))
  const asking = t.rejects(files.stat('acme', 'a', controller.signal))
  await eventually(() => proxy.connections() === 2)
  controller.abort()
  await Promise.all([reading, asking])
})

t.test('a signal aborted beforehand reads nothing', async (t) => {
  const { files, proxy } = await setUp(t)
  await t.rejects(drain(files.read('acme', 'a', { signal: AbortSignal.abort() })), { name: 'AbortError' })
  t.equal(proxy.connections(), 0)
})

t.test('a stream that is destroyed frees the connection', async (t) => {
  const { files, incoming, running } = await setUp(t)
  await writeFile(join(incoming, 'a'), randomBytes(20_000_000))
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  stream.destroy()
  await once(stream, 'close')
  await eventually(async () => await openFilesUnder(running.rootDir) === 0)
})

t.test('a reader that stops taking bytes stops the server', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  await writeFile(join(incoming, 'a'), randomBytes(60_000_000))
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  let last = -1
  await eventually(async () => {
    const isStill = proxy.received() === last
    last = proxy.received()
    await sleep(50)
    return isStill
  })
  // The slower the way seems, the more is asked for at a time; the receive window, 24 MiB, is the end of it.
  t.ok(last < 30_000_000, `${last} bytes were fetched`)
  stream.destroy()
})

t.test('from a server that is far away, more is fetched at a time', async (t) => {
  const { files, incoming, proxy } = await setUp(t, {}, {}, 20)
  const content = randomBytes(8_000_000)
  await writeFile(join(incoming, 'a'), content)
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  // Three times what ssh2 lets come by itself, and nobody has taken a byte.
  await eventually(() => proxy.received() > 6_000_000)
  t.equal(await digestOf(stream), sha256(content))
})

t.test('reads of several files at once do not mix', async (t) => {
  const { files, incoming } = await setUp(t)
  const contents = await Promise.all(Array.from({ length: 5 }, async (_, index) => {
    const content = randomBytes(1_000_000 + index)
    await writeFile(join(incoming, `file-${index}`), content)
    return sha256(content)
  }))
  t.strictSame(await Promise.all(contents.map(async (_, index) => await digestOf(files.read('acme', `file-${index}`, { signal: never })))), contents)
})

t.test('operations in a row share a connection', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  await writeFile(join(incoming, 'a'), 'x')
  for (let index = 0; index < 10; index++) await files.stat('acme', 'a')
  await drain(files.read('acme', 'a', { signal: never }))
  await files.ping()
  t.equal(proxy.connections(), 1)
})

t.test('as many connections are kept as a full thread has jobs: the next jobs log in no more', async (t) => {
  const { files, incoming, proxy } = await setUp(t)
  await writeFile(join(incoming, 'a'), 'x')
  const ofAllJobs = async (): Promise<void> => { await Promise.all(Array.from({ length: 16 }, async () => await files.stat('acme', 'a'))) }
  await ofAllJobs()
  await ofAllJobs()
  t.equal(proxy.connections(), 16)
})

t.test('a listing holds the plain files with sizes and times', async (t) => {
  const { files, incoming } = await setUp(t)
  await writeFile(join(incoming, 'a.jsonl'), '12345')
  const [file, ...others] = await files.list('acme')
  t.match(file, { name: 'a.jsonl', size: 5, modifiedAtMs: Number })
  t.ok(Math.abs((file?.modifiedAtMs ?? 0) - Date.now()) < 60_000)
  t.strictSame(others, [])
  t.strictSame(await files.list('other'), [], 'a vendor that has never logged in has none')
})

t.test('the built-in server says when it has taken a file, whatever time its client sets', async (t) => {
  const { files, running } = await setUp(t)
  const merchant = await asVendor(t, running)
  await merchant.put('/incoming/a', 'x')
  await new Promise<void>((resolve, reject) => { merchant.raw.utimes('/incoming/a', 1, 1, (error) => { if (error) reject(error); else resolve() }) })
  const [file] = await files.list('acme')
  t.ok(Math.abs((file?.uploadedAtMs ?? 0) - Date.now()) < 60_000)
})

t.test('of another server nobody knows when it has taken a file', async (t) => {
  const attrs = { mode: 0o100644, uid: 0, gid: 0, size: 1, atime: 1, mtime: 1 }
  const { port, fingerprint, privateKeyFile } = await startForeignServer(t, [{ filename: 'a.jsonl', longname: '', attrs }])
  const files = createSftpFiles({ url: `sftp://catalog-service@127.0.0.1:${port}/{vendorId}`, privateKeyFile, hostKeys: { fingerprints: [fingerprint] }, log: silent, reconnect: quick })
  t.teardown(async () => await files.close())
  t.strictSame(await files.list('acme'), [{ name: 'a.jsonl', size: 1, modifiedAtMs: 1_000, uploadedAtMs: null }])
})

t.test('removing is done, and done again is fine', async (t) => {
  const { files, incoming } = await setUp(t)
  await writeFile(join(incoming, 'a'), 'x')
  await files.remove('acme', 'a')
  await files.remove('acme', 'a')
  t.strictSame(await files.list('acme'), [])
})

t.test('a key that the server does not accept is not tried for long', async (t) => {
  const running = await startServer(t)
  const privateKeyFile = join(running.rootDir, 'wrong')
  await writeFile(privateKeyFile, generateEd25519KeyPair('').private)
  const files = createSftpFiles({ url: `sftp://catalog-service@127.0.0.1:${running.port}/{vendorId}`, privateKeyFile, hostKeys: { knownHostsFile: running.knownHostsFile }, log: silent })
  t.teardown(async () => await files.close())
  await t.rejects(files.stat('acme', 'a'), { kind: 'fatal', message: /does not accept the key/ })
  await writeFile(privateKeyFile, 'nonsense')
  await t.rejects(files.stat('acme', 'a'), { kind: 'fatal', message: /key cannot be used/ })
})

t.test('a key file that is written late is waited for', async (t) => {
  const running = await startServer(t)
  const privateKeyFile = join(running.rootDir, 'late')
  const files = createSftpFiles({ url: `sftp://acme@127.0.0.1:${running.port}/`, privateKeyFile, hostKeys: { knownHostsFile: running.knownHostsFile }, log: silent, reconnect: quick })
  t.teardown(async () => await files.close())
  const listed = files.list('acme')
  await writeFile(privateKeyFile, running.keys.acme.private)
  t.strictSame(await listed, [])
})

t.test('ping fails at once when no one listens', async (t) => {
  const { files, proxy } = await setUp(t)
  proxy.refuse(true)
  await t.rejects(files.ping(), { kind: 'retryable', message: 'SFTP server cannot be reached' })
})

t.test('ping where every vendor logs in by itself knocks at the door', async (t) => {
  const listener = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const files = createSftpFiles({ url: `sftp://{vendorId}@127.0.0.1:${port}/`, privateKeyFile: 'none', hostKeys: { fingerprints: [] }, log: silent })
  await files.ping()
  listener.close()
  await once(listener, 'close')
  await t.rejects(files.ping(), { kind: 'retryable', code: 'SERVICE_UNAVAILABLE' })
})

t.test('after close nothing is asked any more', async (t) => {
  const { files, incoming } = await setUp(t)
  await writeFile(join(incoming, 'a'), randomBytes(5_000_000))
  const stream = files.read('acme', 'a', { signal: never })
  await once(stream, 'readable')
  await files.close()
  await t.rejects(drain(stream), { kind: 'retryable', code: 'SERVICE_UNAVAILABLE' })
  await t.rejects(files.list('acme'), { kind: 'retryable', message: 'SFTP files are closed' })
})

/** Open file descriptors of this process, in which the server runs too, below a folder. */
async function openFilesUnder (folder: string): Promise<number> {
  const names = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(names.map(async (name) => await readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder)).length
}
