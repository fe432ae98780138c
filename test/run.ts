/**
 * `npm test`, after build and lint: all tests of unit/ and system/, or those that are named, in plain Node (support/spawn-files). Database servers
 * are started here, one for each test file that runs at a time; a file that is about the server itself starts its own.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import t from 'tap'
import type { EmbeddedParts } from '../src/embedded/embedded-parts.js'
import { spawnFiles } from './support/spawn-files.js'
import { startTestServer } from './support/test-server.js'

/** More than there are cores: tests mostly wait, for a group to form or a service to stop. */
const jobs = 4
/** A slow machine's; what is waited for within a test has limits of its own, which tell what did not come. */
const timeoutSeconds = 300

const here = dirname(fileURLToPath(import.meta.url))

async function testFiles (): Promise<string[]> {
  const named = process.argv.slice(2)
  if (named.length > 0) return named
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

await spawnFiles(await testFiles(), { lanes: servers.map(({ mongodbUrl }) => ({ TEST_MONGODB_URL: mongodbUrl })), timeoutSeconds })
