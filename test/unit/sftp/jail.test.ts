import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { asVendor, incomingOf, startServer, status } from './harness.js'

t.test('paths cannot climb out', async (t) => {
  const running = await startServer(t)
  await writeFile(join(await incomingOf(running, 'other'), 'secret.jsonl'), 'secret')
  const sftp = await asVendor(t, running)
  for (const path of [
    '../other/incoming/secret.jsonl', '/../other/incoming/secret.jsonl', '/incoming/../../other/incoming/secret.jsonl',
    '/other/incoming/secret.jsonl', 'incoming/../../../../../../etc/passwd', '/etc/passwd', '/.uploading', '/incoming/a/b'
  ]) {
    await t.rejects(sftp.open(path, 'r'), { code: status.noSuchFile }, path)
    await t.rejects(sftp.stat(path), { code: status.noSuchFile }, path)
    await t.rejects(sftp.opendir(path), { code: status.noSuchFile }, path)
    await t.rejects(sftp.open(path, 'w'), { code: status.permissionDenied }, path)
  }
})

t.test('.. stops at the root, as REALPATH tells', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  t.equal(await sftp.realpath('../../incoming/./x/..'), '/incoming')
  t.equal(await sftp.realpath(''), '/')
  t.equal(await sftp.realpath('//incoming//'), '/incoming')
})

t.test('names with NUL, control characters or backslashes are refused', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  for (const name of ['a\0b', 'a\nb', 'a\u001b[2J', '..\\..\\x', 'bad\ufffdutf8']) {
    await t.rejects(sftp.open(`/incoming/${name}`, 'w'), { code: status.badMessage })
    await t.rejects(sftp.stat(`/incoming/${name}`), { code: status.badMessage })
  }
})

t.test('names and paths that are too long are refused', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await t.rejects(sftp.open(`/incoming/${'a'.repeat(256)}`, 'w'), { message: 'File name too long' })
  await t.rejects(sftp.open(`/incoming/${'ü'.repeat(128)}`, 'w'), { message: 'File name too long' })
  await t.rejects(sftp.realpath('a/'.repeat(5000)), { message: 'Path too long' })
  await sftp.put(`/incoming/${'a'.repeat(255)}`, 'x')
})

t.test('a planted link to a file does not exist, and is not written through', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const outside = join(running.rootDir, 'outside')
  await writeFile(outside, 'outside')
  await symlink(outside, join(await incomingOf(running), 'link'))
  await t.rejects(sftp.open('/incoming/link', 'r'))
  await t.rejects(sftp.stat('/incoming/link'), { code: status.noSuchFile })
  await t.rejects(sftp.unlink('/incoming/link'), { code: status.noSuchFile })
  await t.rejects(sftp.rename('/incoming/link', '/incoming/b'), { code: status.noSuchFile })
  for (const flags of ['w', 'a', 'r+', 'wx']) await t.rejects(sftp.open('/incoming/link', flags), flags)
  t.equal(await readFile(outside, 'utf8'), 'outside')
  t.strictSame((await sftp.readdir('/incoming')).map(({ filename }) => filename), [])
})

t.test('a link planted for incoming/ leads nowhere', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', 'mine')
  const elsewhere = await incomingOf(running, 'other')
  await writeFile(join(elsewhere, 'a'), 'theirs')
  const mine = await incomingOf(running)
  await rename(mine, `${mine}-moved`)
  await symlink(elsewhere, mine)
  const attempts: Array<() => Promise<unknown>> = [
    async () => await sftp.open('/incoming/a', 'r'), async () => await sftp.open('/incoming/b', 'w'),
    async () => await sftp.stat('/incoming/a'), async () => await sftp.opendir('/incoming'),
    async () => await sftp.unlink('/incoming/a'), async () => await sftp.rename('/incoming/a', '/incoming/b')
  ]
  for (const attempt of attempts) await t.rejects(attempt().then(() => {}), { code: status.permissionDenied })
  t.equal(await readFile(join(elsewhere, 'a'), 'utf8'), 'theirs')
})

t.test('a link planted for a vendor\'s folder gets nothing made behind it', async (t) => {
  const running = await startServer(t)
  const elsewhere = join(running.rootDir, '..')
  await mkdir(join(elsewhere, 'target'))
  await symlink(join(elsewhere, 'target'), join(running.rootDir, 'acme'))
  const sftp = await asVendor(t, running)
  await t.rejects(sftp.open('/incoming/a', 'w'))
  t.strictSame(await readdir(join(elsewhere, 'target')), [])
})

t.test('an upload is not published into a folder exchanged meanwhile', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  const handle = await sftp.open('/incoming/a', 'w')
  const mine = await incomingOf(running)
  const elsewhere = await incomingOf(running, 'other')
  await rename(mine, `${mine}-moved`)
  await symlink(elsewhere, mine)
  await t.rejects(sftp.close(handle), { code: status.permissionDenied })
  t.strictSame(await readdir(elsewhere), [])
})

t.test('folders, pipes and sockets in incoming/ do not exist', async (t) => {
  const running = await startServer(t)
  const sftp = await asVendor(t, running)
  await mkdir(join(await incomingOf(running), 'folder'))
  await t.rejects(sftp.open('/incoming/folder', 'r'), { code: status.noSuchFile })
  await t.rejects(sftp.stat('/incoming/folder'), { code: status.noSuchFile })
  await t.rejects(sftp.opendir('/incoming/folder'), { code: status.noSuchFile })
  t.strictSame((await sftp.readdir('/incoming')).map(({ filename }) => filename), [])
})

t.test('links can neither be made nor read', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  await t.rejects(new Promise((resolve, reject) => sftp.raw.symlink('/etc/passwd', '/incoming/l', (e) => e ? reject(e) : resolve(0))), { code: status.permissionDenied })
  await t.rejects(new Promise((resolve, reject) => sftp.raw.readlink('/incoming/l', (e) => e ? reject(e) : resolve(0))), { code: status.permissionDenied })
})
