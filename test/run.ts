/**
 * `npm test`, after build and lint: all tests over embedded database servers that are started here, one for each test file that runs at
 * a time. To start and stop one for each file that needs it would cost more than most of the tests; a file that is about the server
 * itself starts its own. Arguments go to tap.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import { loadConfig } from '../src/config.js'
import { startEmbeddedParts, type EmbeddedParts } from '../src/embedded/embedded-parts.js'

/** More than there are cores: tests mostly wait, for a group to form or a service to stop. */
const jobs = 4

const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
const servers: EmbeddedParts[] = []
let tests: ChildProcess | undefined
// tap ends then, and so does this.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { if (tests === undefined) process.exit(1); else tests.kill(signal) })
try {
  // One after the other: the first may have to install the server.
  for (let job = 0; job < jobs; job++) servers.push(await startServer(join(folder, String(job))))
  const tap = join(dirname(createRequire(import.meta.url).resolve('tap/package.json')), 'dist', 'esm', 'run.mjs')
  tests = spawn(process.execPath, [tap, `--jobs=${jobs}`, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_MONGODB_URL: servers.map(({ mongodbUrl }) => mongodbUrl).join(' ') }
  })
  const [code] = await once(tests, 'exit') as [number | null]
  process.exitCode = code ?? 1
} finally {
  await Promise.all(servers.map(async ({ close }) => { await close() }))
  await rm(folder, { recursive: true, force: true })
}

async function startServer (dataDir: string): Promise<EmbeddedParts> {
  const { EMBEDDED_MONGO = '' } = process.env
  return await startEmbeddedParts({
    config: loadConfig({ DATA_DIR: dataDir, EMBEDDED_MONGO }),
    log: pino({ level: 'warn' }, pino.destination(2)),
    parts: { mongodb: true, kafka: false, topics: [] }
  })
}
