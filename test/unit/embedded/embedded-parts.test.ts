import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { startEmbeddedParts, type EmbeddedParts, type EmbeddedPartsOptions } from '../../../src/embedded/embedded-parts.js'
import { newHolder, tryLock, type ExclusiveLock } from '../../../src/embedded/exclusive-lock.js'
import { createAnnouncements, type Announcements } from '../../../src/embedded/service-file.js'
import { testFolder } from '../../support/test-folder.js'
import { silent } from '../../support/log.js'

const start = async (dataDir: string, options: Partial<EmbeddedPartsOptions> = {}): Promise<EmbeddedParts> => await startEmbeddedParts({
  config: { dataDir, embeddedMongo: 'auto' },
  log: silent,
  parts: { mongodb: true, kafka: false, topics: [] },
  timeouts: { hostStartMs: 200, missingPartMs: 200 },
  ...options
})

/** Another host on the folder, as far as can be seen from outside. */
async function otherHost (dataDir: string): Promise<{ lock: ExclusiveLock, announcements: Announcements }> {
  await mkdir(join(dataDir, 'run'), { recursive: true })
  const lock = await tryLock(join(dataDir, 'run'), 'lock')
  if (!lock.held) throw new Error('the lock is taken')
  return { lock, announcements: createAnnouncements(join(dataDir, 'run'), lock.self, 'host') }
}

const kafkaOnly = { parts: { mongodb: false, kafka: true, topics: ['catalog.product-imports'] } }

t.test("the host's addresses are handed out to who attaches", async (t) => {
  const dataDir = testFolder(t, {})
  await (await otherHost(dataDir)).announcements.add({ mongodb: 'mongodb://m', kafka: 'k:1' })
  const parts = await start(dataDir)
  t.match(parts, { role: 'attached', mongodbUrl: 'mongodb://m', kafkaBrokers: 'k:1' })
  await parts.close()
})

t.test('a host that is still starting is waited for', async (t) => {
  const dataDir = testFolder(t, {})
  const { announcements } = await otherHost(dataDir)
  const starting = start(dataDir, { timeouts: {} })
  await announcements.add({ mongodb: 'mongodb://m' })
  const parts = await starting
  t.equal(parts.role, 'attached')
  await parts.close()
})

t.test('a host that never finishes starting is given up with a message that names it', async (t) => {
  const dataDir = testFolder(t, {})
  await otherHost(dataDir)
  await t.rejects(start(dataDir), { code: 'SERVICE_UNAVAILABLE', message: new RegExp(`Process ${process.pid} holds .* has not finished starting`) })
})

t.test('the addresses of an earlier host are not taken for those of the present one', async (t) => {
  const dataDir = testFolder(t, {})
  const earlier = await otherHost(dataDir)
  await earlier.announcements.add({ mongodb: 'mongodb://old' })
  await earlier.lock.release()
  await otherHost(dataDir)
  await t.rejects(start(dataDir), { message: /has not finished starting/ })
})

t.test('a host without a part that is needed is given up after a while', async (t) => {
  const dataDir = testFolder(t, {})
  await (await otherHost(dataDir)).announcements.add({ mongodb: 'mongodb://m' })
  await t.rejects(start(dataDir, kafkaOnly), { code: 'SERVICE_UNAVAILABLE', message: /without an embedded Kafka/ })
})

t.test('a host without a part that is needed is replaced as soon as it leaves', async (t) => {
  const dataDir = testFolder(t, {})
  const { lock, announcements } = await otherHost(dataDir)
  await announcements.add({ mongodb: 'mongodb://m' })
  const starting = start(dataDir, { ...kafkaOnly, timeouts: {} })
  await announcements.withdraw()
  await lock.release()
  const parts = await starting
  t.equal(parts.role, 'host')
  await parts.close()
})

t.test('who is attached is told when the host leaves', async (t) => {
  const dataDir = testFolder(t, {})
  const { announcements } = await otherHost(dataDir)
  await announcements.add({ mongodb: 'mongodb://m' })
  // The watch does not keep a process alive, so the test has to.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => { clearInterval(alive) })
  let onHostLost: (error: Error) => void = () => {}
  const lost = new Promise<Error>((resolve) => { onHostLost = resolve })
  const parts = await start(dataDir, { onHostLost, timeouts: { hostCheckMs: 10 } })
  await announcements.withdraw()
  t.match(await lost, { code: 'SERVICE_UNAVAILABLE', message: /no longer runs/ })
  await parts.close()
})

t.test('who has closed is not told anything any more', async (t) => {
  const dataDir = testFolder(t, {})
  const { announcements } = await otherHost(dataDir)
  await announcements.add({ mongodb: 'mongodb://m' })
  const parts = await start(dataDir, { onHostLost: () => { t.fail('told') }, timeouts: { hostCheckMs: 1 } })
  await parts.close()
  await announcements.withdraw()
  await new Promise((resolve) => setTimeout(resolve, 20))
})

t.test('who needs nothing embedded takes no lock, but can announce and read addresses', async (t) => {
  const dataDir = testFolder(t, {})
  const nothing = { parts: { mongodb: false, kafka: false, topics: [] } }
  const [one, other] = [await start(dataDir, nothing), await start(dataDir, nothing)]
  await one.announce({ sftp: '127.0.0.1:1' })
  await other.announce({ api: '127.0.0.1:2' })
  t.strictSame(await other.addresses(), { sftp: '127.0.0.1:1', api: '127.0.0.1:2' })
  await one.close()
  t.strictSame(await other.addresses(), { api: '127.0.0.1:2' })
  await other.close()
  t.strictSame(await readdir(join(dataDir, 'run')), [])
})

t.test('what a killed process has announced does not count, and the next host removes it', async (t) => {
  const dataDir = testFolder(t, { run: {} })
  const dead = { ...newHolder(), pid: spawnSync('true').pid }
  await createAnnouncements(join(dataDir, 'run'), dead, 'guest').add({ sftp: 'dead:1' })
  await createAnnouncements(join(dataDir, 'run'), dead, 'host').add({ kafka: 'dead:2' })
  const parts = await start(dataDir, kafkaOnly)
  t.strictSame(Object.keys(await parts.addresses()), ['kafka'])
  await parts.close()
  t.strictSame(await readdir(join(dataDir, 'run')), ['lock.1'])
})

t.test('a host that cannot start its parts leaves the folder to the next one', async (t) => {
  const dataDir = testFolder(t, {})
  await writeFile(join(dataDir, 'mongodb'), 'a file where the folder should be')
  await t.rejects(start(dataDir, { parts: { mongodb: true, kafka: true, topics: [] } }), { code: 'ENOTDIR' })
  const parts = await start(dataDir, kafkaOnly)
  t.equal(parts.role, 'host')
  await parts.close()
})

t.test('close() may be called twice', async (t) => {
  const parts = await start(testFolder(t, {}), kafkaOnly)
  await Promise.all([parts.close(), parts.close()])
  await parts.close()
})
