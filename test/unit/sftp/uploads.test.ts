import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import ssh2 from 'ssh2'
import { asVendor, eventually, incomingOf, startServer, status, unfinished } from './harness.js'
import { testFolder } from '../../support/test-folder.js'

const { OPEN_MODE } = ssh2.utils.sftp

t.test('an upload is invisible until it is closed', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const onlooker = await asVendor(t, running)
  const handle = await sftp.open('/incoming/a.jsonl', 'w')
  await sftp.write(handle, '{"a":1}\n')
  await t.rejects(onlooker.stat('/incoming/a.jsonl'), { code: status.noSuchFile })
  t.strictSame(await onlooker.readdir('/incoming'), [])
  await sftp.close(handle)
  t.equal(await onlooker.get('/incoming/a.jsonl'), '{"a":1}\n')
})

t.test('a connection lost before the close leaves nothing', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.write(await sftp.open('/incoming/a.jsonl', 'w'), 'half')
  t.equal((await unfinished(running)).length, 1)
  sftp.client.destroy()
  await eventually(async () => (await unfinished(running)).length === 0)
  t.strictSame(await readdir(await incomingOf(running)), [])
})

t.test('a channel closed before the file is leaves nothing', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.write(await sftp.open('/incoming/a.jsonl', 'w'), 'half')
  sftp.raw.end()
  await eventually(async () => (await unfinished(running)).length === 0)
  t.strictSame(await readdir(await incomingOf(running)), [])
})

t.test('closing the server discards what is being uploaded', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.write(await sftp.open('/incoming/a.jsonl', 'w'), 'half')
  await running.server.close()
  t.strictSame(await unfinished(running), [])
  t.strictSame(await readdir(await incomingOf(running)), [])
})

t.test('overwriting keeps the old content visible until the close', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const onlooker = await asVendor(t, running)
  await sftp.put('/incoming/a', 'old')
  const handle = await sftp.open('/incoming/a', 'w')
  await sftp.write(handle, 'new content')
  t.equal(await onlooker.get('/incoming/a'), 'old')
  await sftp.close(handle)
  t.equal(await onlooker.get('/incoming/a'), 'new content')
})

t.test('a reader keeps the old content while the file is replaced', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'old')
  const reading = await sftp.open('/incoming/a', 'r')
  await sftp.put('/incoming/a', 'new')
  t.equal((await sftp.read(reading)).toString(), 'old')
})

t.test('an upload is resumed at the size it has', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'first,')
  const handle = await sftp.open('/incoming/a', OPEN_MODE.WRITE | OPEN_MODE.CREAT)
  await sftp.write(handle, 'second', (await sftp.fstat(handle)).size)
  await sftp.close(handle)
  t.equal(await sftp.get('/incoming/a'), 'first,second')
})

t.test('appending goes to the end whatever the offset', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', 'first,')
  const handle = await sftp.open('/incoming/a', 'a')
  await sftp.write(handle, 'second', 0)
  await sftp.write(handle, ',third', 0)
  await sftp.close(handle)
  t.equal(await sftp.get('/incoming/a'), 'first,second,third')
})

t.test('a resumed upload that is lost leaves the old file as it was', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', 'first,')
  await sftp.write(await sftp.open('/incoming/a', 'a'), 'half')
  sftp.client.destroy()
  await eventually(async () => (await unfinished(running)).length === 0)
  t.equal(await readFile(join(await incomingOf(running), 'a'), 'utf8'), 'first,')
})

t.test('the size of the file being uploaded can be asked for, by handle and by name', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  const handle = await sftp.open('/incoming/a', 'w')
  await sftp.write(handle, '12345')
  t.equal((await sftp.fstat(handle)).size, 5)
  t.equal((await sftp.stat('/incoming/a')).size, 5)
})

t.test('an exclusive upload is refused where the file exists, also at its close', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const handle = await sftp.open('/incoming/a', 'wx')
  await sftp.put('/incoming/a', 'faster')
  await t.rejects(sftp.close(handle), { code: status.failure, message: 'File exists' })
  await t.rejects(sftp.open('/incoming/a', 'wx'), { code: status.failure })
  t.equal(await sftp.get('/incoming/a'), 'faster')
  t.strictSame(await unfinished(running), [])
})

t.test('opening a missing file for changes does not make it', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await t.rejects(sftp.open('/incoming/a', 'r+'), { code: status.noSuchFile })
})

t.test('a file over the limit is refused, and leaves nothing although the client closes it', async (t) => {
  const running = await startServer(t, { limits: { maxFileBytes: 10 } })
  const sftp = await asVendor(t, running)
  const handle = await sftp.open('/incoming/a', 'w')
  await sftp.write(handle, '12345')
  await t.rejects(sftp.write(handle, '6', 10), { message: 'File is larger than 10 bytes' })
  await t.rejects(sftp.write(handle, '6', 5), { code: status.failure }, 'a broken upload stays broken')
  await t.rejects(sftp.close(handle), { code: status.failure })
  t.strictSame(await sftp.readdir('/incoming'), [])
  t.strictSame(await unfinished(running), [])
})

t.test('a write that fails on the disk is told, and leaves nothing', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const probe = await open(join(running.rootDir, 'probe'), 'w')
  const prototype = Object.getPrototypeOf(probe) as { write: unknown }
  await probe.close()
  const { write } = prototype
  t.teardown(() => { prototype.write = write })
  const handle = await sftp.open('/incoming/a', 'w')
  prototype.write = async () => { throw Object.assign(new Error('disk'), { code: 'ENOSPC' }) }
  await t.rejects(sftp.write(handle, 'x'), { code: status.failure, message: 'No space left on device' })
  prototype.write = write
  await t.rejects(sftp.close(handle), { message: 'No space left on device' })
  t.strictSame(await sftp.readdir('/incoming'), [])
  t.strictSame(await unfinished(running), [])
})

t.test('setting times and modes is taken politely, and the time stays that of the upload', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  const handle = await sftp.open('/incoming/a', 'w')
  await new Promise<void>((resolve, reject) => sftp.raw.fsetstat(handle, { mode: 0o777 }, (e) => e ? reject(e) : resolve()))
  await sftp.close(handle)
  await new Promise<void>((resolve, reject) => sftp.raw.utimes('/incoming/a', 1, 1, (e) => e ? reject(e) : resolve()))
  t.ok((await sftp.stat('/incoming/a')).mtime > Date.now() / 1000 - 60)
})

t.test('truncating by handle holds, truncating a finished file by name is refused', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await sftp.put('/incoming/a', '12345')
  const handle = await sftp.open('/incoming/a', 'r+')
  await new Promise<void>((resolve, reject) => sftp.raw.fsetstat(handle, { size: 2 }, (e) => e ? reject(e) : resolve()))
  await sftp.close(handle)
  t.equal(await sftp.get('/incoming/a'), '12')
  await t.rejects(new Promise<void>((resolve, reject) => sftp.raw.setstat('/incoming/a', { size: 0 }, (e) => e ? reject(e) : resolve())), { code: status.permissionDenied })
})

t.test('a large upload with many writes in flight arrives byte for byte', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const content = randomBytes(8 * 1024 * 1024 + 13)
  const source = join(running.rootDir, 'source')
  await writeFile(source, content)
  await new Promise<void>((resolve, reject) => sftp.raw.fastPut(source, '/incoming/large', { concurrency: 128 }, (e) => e ? reject(e) : resolve()))
  t.ok((await readFile(join(await incomingOf(running), 'large'))).equals(content))
})

t.test('a start removes the unfinished uploads of a crash, and no others', async (t) => {
  const dir = testFolder(t)
  const folder = join(dir, 'files', 'acme', '.uploading')
  await mkdir(folder, { recursive: true })
  const host = hostname().replaceAll(',', '-')
  const dead = `${host},999999999,1,a`
  const earlierLife = `${host},${process.pid},1,b`
  const running = `${host},${process.ppid},1,c`
  const elsewhere = 'another-host,1,1,d'
  const old = 'another-host,1,1,e'
  for (const name of [dead, earlierLife, running, elsewhere, old]) await writeFile(join(folder, name), 'x')
  await utimes(join(folder, old), 1, 1)
  await startServer(t, { dir })
  t.strictSame((await readdir(folder)).sort(), [elsewhere, running].sort())
})
