import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { asVendor, incomingOf, startServer, status, unfinished } from './harness.js'

const full = { code: status.failure, message: /^Quota exceeded/ }

t.test('a vendor cannot store more than its quota, finished and unfinished files together', async (t) => {
  const running = await startServer(t, { limits: { maxVendorBytes: 10 } })
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', '12345')
  const growing = await sftp.open('/incoming/b', 'w')
  await sftp.write(growing, '1234')
  const other = await sftp.open('/incoming/c', 'w')
  await t.rejects(sftp.write(other, '12'), full)
  await t.resolves(sftp.write(growing, '12345'), 'writing the same bytes again takes no more')
  await t.rejects(sftp.write(growing, '1', 5), full)
  await t.rejects(sftp.close(growing), full, 'half a file is not published')
})

t.test('another vendor has a quota of its own', async (t) => {
  const running = await startServer(t, { limits: { maxVendorBytes: 10 } })
  await (await asVendor(t, running)).put('/incoming/a', '1234567890')
  await t.resolves((await asVendor(t, running, 'other')).put('/incoming/a', '1234567890'))
})

t.test('deleting makes room at once', async (t) => {
  const sftp = await asVendor(t, await startServer(t, { limits: { maxVendorBytes: 10 } }))
  await sftp.put('/incoming/a', '1234567890')
  await t.rejects(sftp.put('/incoming/b', '1'), full)
  await sftp.unlink('/incoming/a')
  await t.resolves(sftp.put('/incoming/b', '1234567890'))
})

t.test('a file grown by its size alone, or far beyond its end, counts with that size', async (t) => {
  const sftp = await asVendor(t, await startServer(t, { limits: { maxVendorBytes: 10 } }))
  const handle = await sftp.open('/incoming/a', 'w')
  await t.rejects(new Promise<void>((resolve, reject) => { sftp.raw.fsetstat(handle, { size: 11 }, (error) => { if (error) reject(error); else resolve() }) }), full)
  await t.rejects(sftp.write(await sftp.open('/incoming/b', 'w'), 'x', 10), full)
})

t.test('a copy to append to takes its size first', async (t) => {
  const running = await startServer(t, { limits: { maxVendorBytes: 10 } })
  const sftp = await asVendor(t, running)
  await sftp.put('/incoming/a', '123456')
  await t.rejects(sftp.open('/incoming/a', 'a'), full)
  t.strictSame(await unfinished(running), [])
})

t.test('the number of files is bounded, too', async (t) => {
  const running = await startServer(t, { limits: { maxVendorFiles: 3 } })
  const sftp = await asVendor(t, running)
  const folder = await incomingOf(running)
  for (const name of ['a', 'b']) await writeFile(join(folder, name), '')
  await sftp.put('/incoming/c', '')
  await t.rejects(sftp.open('/incoming/d', 'w'), full)
  await sftp.unlink('/incoming/a')
  await t.resolves(sftp.put('/incoming/d', ''))
})
