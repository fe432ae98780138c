import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type ssh2 from 'ssh2'
import { partialUploadName } from '../../../src/domain/partial-upload.js'
import { createSftpFiles, type SftpFiles } from '../../../src/sources/sftp-files.js'
import type { SftpLimits } from '../../../src/sftp/limits.js'
import { incomingOf, login, startServer, type Teardown, type TestServer } from '../sftp/harness.js'
import { silent } from '../../support/log.js'

const id = '3f1f3c7e-5a54-4d0c-9a31-0d6f3f0f7c11'
const partial = partialUploadName(id)

async function setUp (t: Teardown, limits: Partial<SftpLimits> = {}): Promise<{ running: TestServer, files: SftpFiles }> {
  const running = await startServer(t, { limits })
  const files = createSftpFiles({
    url: `sftp://catalog-service@127.0.0.1:${running.port}/{vendorId}`, privateKeyFile: running.serviceKeyFile, hostKeys: { knownHostsFile: running.knownHostsFile }, log: silent
  })
  t.teardown(async () => await files.close())
  return { running, files }
}

async function * pieces (...texts: Array<string | Error>): AsyncGenerator<Buffer> {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield Buffer.from(text)
  }
}

t.test('what is appended in several goes becomes one file of a vendor that has never logged in', async (t) => {
  const { running, files } = await setUp(t)
  await files.append('acme', partial, 0, pieces('ab', 'c'))
  t.equal(await files.sizeOf('acme', partial), 3)
  await files.append('acme', partial, 3, pieces('def'))
  await files.replace('acme', partial, 'a.jsonl')
  t.strictSame(await readdir(join(running.rootDir, 'acme', 'incoming')), ['a.jsonl'])
  t.equal(await readFile(join(running.rootDir, 'acme', 'incoming', 'a.jsonl'), 'utf8'), 'abcdef')
})

t.test('what came before a client broke off is kept, and the break is told', async (t) => {
  const { files } = await setUp(t)
  await t.rejects(files.append('acme', partial, 0, pieces('abc', new Error('broken off'))), { message: 'broken off' })
  t.equal(await files.sizeOf('acme', partial), 3)
})

t.test('a whole file takes the place of one that has its name', async (t) => {
  const { running, files } = await setUp(t)
  for (const text of ['old', 'new']) {
    await files.append('acme', partial, 0, pieces(text))
    await files.replace('acme', partial, 'a.jsonl')
  }
  t.equal(await readFile(join(await incomingOf(running), 'a.jsonl'), 'utf8'), 'new')
})

t.test('a file that is not there has no size, and cannot be given a name', async (t) => {
  const { files } = await setUp(t)
  await files.append('acme', partial, 0, pieces())
  await files.remove('acme', partial)
  t.equal(await files.sizeOf('acme', partial), null)
  await t.rejects(files.replace('acme', partial, 'a.jsonl'), { code: 'NOT_FOUND' })
})

t.test('the quota of bytes holds, over uploads that were begun before', async (t) => {
  const { files } = await setUp(t, { maxVendorBytes: 10 })
  await files.append('acme', partial, 0, pieces('12345678'))
  await t.rejects(files.append('acme', partial, 8, pieces('9', '0', '1')), { code: 'LIMIT_EXCEEDED', message: /^Quota exceeded/ })
})

t.test('so do the number of files and the size of one', async (t) => {
  const { files } = await setUp(t, { maxVendorFiles: 1, maxFileBytes: 4 })
  await t.rejects(files.append('acme', partial, 0, pieces('12345')), { code: 'LIMIT_EXCEEDED', message: /^File is larger/ })
  await t.rejects(files.append('acme', partialUploadName(id.replace('3', '4')), 0, pieces('1')), { code: 'LIMIT_EXCEEDED', message: /^Quota exceeded/ })
})

t.test('a server that is away is told, without being waited for', async (t) => {
  const { running, files } = await setUp(t)
  await running.server.close()
  await t.rejects(files.sizeOf('acme', partial), { code: 'SERVICE_UNAVAILABLE' })
})

t.test('the service writes partial uploads only, and moves none to another vendor', async (t) => {
  const { running } = await setUp(t)
  await incomingOf(running)
  const client = await login(t, { port: running.port, username: 'catalog-service', privateKey: await readFile(running.serviceKeyFile, 'utf8'), hostVerifier: () => true })
  const sftp = await new Promise<ssh2.SFTPWrapper>((resolve, reject) => { client.sftp((error, channel) => { if (error === undefined) resolve(channel); else reject(error) }) })
  const status = async (work: (done: (error?: Error | null) => void) => void): Promise<number | undefined> =>
    await new Promise((resolve) => { work((error) => { resolve((error as { code?: number } | null | undefined)?.code) }) })
  const permissionDenied = 3
  t.equal(await status((done) => sftp.open('/acme/incoming/a.jsonl', 'w', done)), permissionDenied)
  t.equal(await status((done) => sftp.open(`/acme/incoming/${partial}`, 'w', done)), undefined)
  t.equal(await status((done) => sftp.rename(`/acme/incoming/${partial}`, '/other/incoming/a.jsonl', done)), permissionDenied)
})
