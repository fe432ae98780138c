/**
 * `npm test`, after build and lint: all tests of unit/ and system/, or those that are named, in plain Node (support/spawn-files). Database servers
 * are started here, one for each test file that runs at a time; a file that is about the server itself starts its own. When all have ended, the shapes of what the service has asked of its databases in
 * those of system/ are held against its indexes (support/held-commands).
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import t from 'tap'
import type { EmbeddedParts } from '../src/embedded/embedded-parts.js'
import { expectedIndexes, unneeded } from './support/held-commands.js'
import { recordedLooks, recordingInto, wordFaults } from './support/recorded-looks.js'
import { spawnFiles } from './support/spawn-files.js'
import { startTestServer } from './support/test-server.js'

/** More than there are cores: tests mostly wait, for a group to form or a service to stop. */
const jobs = 4
/** A slow machine's; what is waited for within a test has limits of its own, which tell what did not come. */
const timeoutSeconds = 300

const here = dirname(fileURLToPath(import.meta.url))

const named = process.argv.slice(2)
const isWhole = named.length === 0

async function testFiles (): Promise<string[]> {
  if (!isWhole) return named
  const all = await Promise.all(['system', 'unit'].map(async (folder) => (await readdir(join(here, folder), { recursive: true }))
    .filter((name) => name.endsWith('.test.js')).sort().map((name) => relative(process.cwd(), join(here, folder, name)))))
  return all.flat()
}

const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
const servers: EmbeddedParts[] = []
const log = pino({ level: 'warn' }, pino.destination(2))
// The servers' start has limits of its own, and on a machine that others keep busy takes longer than a test may.
t.setTimeout(0)
t.teardown(async () => {
  await Promise.all(servers.map(async ({ close }) => { await close() }))
  await rm(folder, { recursive: true, force: true })
})
// The first may have to install the server.
servers.push(await startTestServer(join(folder, '0'), log))
servers.push(...await Promise.all(Array.from({ length: jobs - 1 }, async (_, job) => await startTestServer(join(folder, String(job + 1)), log))))

const commandsFolder = join(folder, 'commands')
await mkdir(commandsFolder)
await spawnFiles(await testFiles(), { lanes: servers.map(({ mongodbUrl }) => ({ TEST_MONGODB_URL: mongodbUrl })), timeoutSeconds, ofFile: recordingInto(commandsFolder) })
// At once: tap ends what has nothing left to do.
await t.test('whatever the service asks of its database in system tests has an index', async (t) => {
  const [recorded, indexes] = [await recordedLooks(commandsFolder), await expectedIndexes()]
  for (const fault of wordFaults(recorded, indexes)) t.fail(fault)
  if (isWhole) t.strictSame(unneeded(recorded.map(({ look }) => look), indexes), [], 'what is allowed is what there is')
  t.comment(`${recorded.length} shapes of commands`)
})
