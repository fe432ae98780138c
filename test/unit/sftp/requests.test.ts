import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { asVendor, eventually, incomingOf, openSftp, startServer, status, type TestClient, type TestServer } from './harness.js'

const asService = async (t: Parameters<typeof openSftp>[0], { port, serviceKeyFile }: TestServer): Promise<TestClient> =>
  await openSftp(t, { port, username: 'catalog-service', privateKey: await readFile(serviceKeyFile) })
const names = (entries: Array<{ filename: string }>): string[] => entries.map(({ filename }) => filename).sort()

t.test('a vendor sees incoming/ from its first login on', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  t.strictSame(names(await sftp.readdir('/')), ['incoming'])
  t.ok((await sftp.stat('/incoming')).isDirectory())
  t.ok((await sftp.lstat('/')).isDirectory())
})

t.test('a listing gives sizes, times and a line like ls -l', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a.jsonl', '12345')
  const [entry] = await sftp.readdir('/incoming')
  t.match(entry, { filename: 'a.jsonl', attrs: { size: 5 }, longname: /^-rw-r--r-- +1 \S+ +\S+ +5 [A-Z][a-z]{2} [ \d]\d \d\d:\d\d a\.jsonl$/ })
})

t.test('a long listing comes whole', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const folder = await incomingOf(running)
  const expected = Array.from({ length: 345 }, (_, index) => `file-${String(index).padStart(3, '0')}`)
  await Promise.all(expected.map(async (name) => await writeFile(join(folder, name), '')))
  t.strictSame(names(await sftp.readdir('/incoming')), expected)
})

t.test('files are renamed and removed', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a.filepart', 'x')
  await sftp.rename('/incoming/a.filepart', '/incoming/a')
  t.strictSame(names(await sftp.readdir('/incoming')), ['a'])
  await sftp.unlink('/incoming/a')
  t.strictSame(await sftp.readdir('/incoming'), [])
  await t.rejects(sftp.unlink('/incoming/a'), { code: status.noSuchFile })
})

t.test('a rename never replaces, except as POSIX rename', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'a')
  await sftp.put('/incoming/b', 'b')
  await t.rejects(sftp.rename('/incoming/a', '/incoming/b'), { code: status.failure, message: 'File exists' })
  Object.assign(sftp.raw, { _extensions: { 'posix-rename@openssh.com': '1' } })
  await new Promise<void>((resolve, reject) => sftp.raw.ext_openssh_rename('/incoming/a', '/incoming/b', (e) => e ? reject(e) : resolve()))
  t.equal(await sftp.get('/incoming/b'), 'a')
})

t.test('incoming/ cannot be removed, renamed or replaced', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'a')
  await t.rejects(sftp.rmdir('/incoming'), { code: status.permissionDenied })
  await t.rejects(sftp.unlink('/incoming'), { code: status.permissionDenied })
  await t.rejects(sftp.rename('/incoming', '/gone'), { code: status.permissionDenied })
  await t.rejects(sftp.rename('/incoming/a', '/incoming'), { code: status.permissionDenied })
  await t.rejects(sftp.rename('/incoming/a', '/a'), { code: status.permissionDenied })
})

t.test('folders cannot be made', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  for (const path of ['/incoming/sub', '/sub', '/incoming']) await t.rejects(sftp.mkdir(path), { code: status.permissionDenied })
})

t.test('files outside incoming/ cannot be written', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  for (const path of ['/a', '/incoming', '/', '/incoming/sub/a']) await t.rejects(sftp.open(path, 'w'), { code: status.permissionDenied })
})

t.test('a vendor does not see another', async (t) => {
  const running = await startServer(t)
  await (await asVendor(t, running, 'other')).put('/incoming/theirs', 'x')
  const sftp = await asVendor(t, running)
  t.strictSame(await sftp.readdir('/incoming'), [])
  t.strictSame(names(await sftp.readdir('/')), ['incoming'])
  await t.rejects(sftp.stat('/other'), { code: status.noSuchFile })
})

t.test('the service lists, reads and removes every vendor\'s files', async (t) => {
  const running = await startServer(t)
  await (await asVendor(t, running)).put('/incoming/a', 'of acme')
  await (await asVendor(t, running, 'other')).put('/incoming/b', 'of other')
  const service = await asService(t, running)
  t.strictSame(names(await service.readdir('/')), ['acme', 'other'])
  t.strictSame(names(await service.readdir('/acme/incoming')), ['a'])
  t.equal(await service.get('/other/incoming/b'), 'of other')
  await service.unlink('/acme/incoming/a')
  t.strictSame(await service.readdir('/acme/incoming'), [])
})

t.test('the service cannot write, rename or see unfinished uploads', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', 'x')
  await sftp.open('/incoming/b', 'w')
  const service = await asService(t, running)
  await t.rejects(service.open('/acme/incoming/c', 'w'), { code: status.permissionDenied })
  await t.rejects(service.open('/acme/incoming/a', 'a'), { code: status.permissionDenied })
  await t.rejects(service.rename('/acme/incoming/a', '/acme/incoming/c'), { code: status.permissionDenied })
  await t.rejects(service.mkdir('/new'), { code: status.permissionDenied })
  await t.rejects(service.opendir('/acme/.uploading'), { code: status.noSuchFile })
  await t.rejects(service.opendir('/../..//etc'), { code: status.noSuchFile })
})

t.test('too many open handles are refused, and closing one makes room', async (t) => {
  const sftp = await asVendor(t, await startServer(t, { limits: { maxOpenHandles: 3 } }))
  await sftp.put('/incoming/a', 'x')
  const handles = [await sftp.open('/incoming/a', 'r'), await sftp.opendir('/'), await sftp.open('/incoming/b', 'w')]
  await t.rejects(sftp.open('/incoming/a', 'r'), { code: status.failure, message: 'Too many open files' })
  await sftp.close(handles[1] as Buffer)
  await sftp.open('/incoming/a', 'r')
})

t.test('handles that are not open are refused', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  for (const handle of [Buffer.alloc(0), Buffer.alloc(4), Buffer.alloc(256, 7)]) {
    await t.rejects(sftp.close(handle), { message: 'Invalid handle' })
    await t.rejects(sftp.read(handle).then(() => {}), { message: 'Invalid handle' })
    await t.rejects(sftp.write(handle, 'x'), { message: 'Invalid handle' })
    await t.rejects(sftp.fstat(handle).then(() => {}), { message: 'Invalid handle' })
  }
})

t.test('handles are used for what they were opened for', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'x')
  const file = await sftp.open('/incoming/a', 'r')
  const folder = await sftp.opendir('/incoming')
  await t.rejects(sftp.write(file, 'y'), { code: status.permissionDenied })
  await t.rejects(sftp.write(folder, 'y'), { code: status.permissionDenied })
  await t.rejects(sftp.read(folder).then(() => {}), { code: status.failure })
})

t.test('a read past the end gives nothing, and one over the limit gives less', async (t) => {
  const running = await startServer(t, { limits: { maxReadBytes: 100 } })
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', 'x'.repeat(1000))
  const handle = await sftp.open('/incoming/a', 'r')
  t.equal((await sftp.read(handle, 1000)).length, 100)
  t.equal((await sftp.read(handle, 10, 1000)).length, 0)
  t.equal((await sftp.read(handle, 10, 2 ** 52)).length, 0)
})

t.test('an idle connection is ended', async (t) => {
  const sftp = await asVendor(t, await startServer(t, { limits: { idleTimeoutMs: 50 } }))
  await once(sftp.client, 'close')
})

t.test('channels per connection are bounded', async (t) => {
  const sftp = await asVendor(t, await startServer(t, { limits: { maxChannels: 2 } }))
  const another = async (): Promise<void> => await new Promise((resolve, reject) => sftp.client.sftp((e) => e ? reject(e) : resolve()))
  await another()
  await t.rejects(another())
})

t.test('broken SFTP packets end that connection only', async (t) => {
  const running = await startServer(t)
  for (const packet of [[0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff, 3], [0, 0, 0, 2, 250, 0], [0, 0, 0, 5, 3, 0, 0, 0, 1], [0, 0, 0, 9, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]]) {
    const sftp = await asVendor(t, running)
    const closed = once(sftp.client, 'close')
    const { _protocol: protocol, outgoing } = sftp.raw as unknown as { _protocol: { channelData (id: number, data: Buffer): void }, outgoing: { id: number } }
    protocol.channelData(outgoing.id, Buffer.from(packet))
    await closed
  }
  t.equal(await (await asVendor(t, running)).realpath('.'), '/')
})

t.test('a client that asks for everything and takes no answer costs bounded memory', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await writeFile(join(await incomingOf(running), 'big'), Buffer.alloc(4 * 1024 * 1024))
  const handle = await sftp.open('/incoming/big', 'r')
  const socket = (sftp.client as unknown as { _sock: { pause (): void, resume (): void } })._sock
  socket.pause()
  const before = process.memoryUsage().rss
  let answers = 0
  const buffer = Buffer.alloc(31_000)
  for (let index = 0; index < 20_000; index++) sftp.raw.read(handle, buffer, 0, buffer.length, 0, () => { answers++ })
  await new Promise((resolve) => setTimeout(resolve, 500)) // time in which it could grow by 620 MB
  t.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024, `grew by ${Math.round((process.memoryUsage().rss - before) / 1e6)} MB`)
  t.equal(answers, 0)
  socket.resume()
  await eventually(() => answers > 5000)
})

t.test('close is bounded and can be called twice', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const closed = once(sftp.client, 'close')
  await Promise.all([running.server.close(), running.server.close()])
  await closed
  await t.rejects(asVendor(t, running))
})

t.test('a port that is taken rejects', async (t) => {
  const { port, rootDir } = await startServer(t)
  await t.rejects(startServer(t, { port, dir: `${rootDir}-2` }), { code: 'EADDRINUSE' })
})
