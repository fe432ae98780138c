/**
 * `npm test`, the tests' part: one embedded database for all files that need a database but no service, then tap. Each of
 * those files has a database of its own on it (support/database.ts). Exits as tap does; arguments are tap's.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startTestServer } from './support/test-server.js'

const server = await startTestServer()
const tap = join(dirname(createRequire(import.meta.url).resolve('tap/package.json')), 'dist', 'esm', 'run.mjs')
const tests = spawn(process.execPath, [tap, ...process.argv.slice(2)], {
  stdio: 'inherit', env: { ...process.env, TEST_SHARED_MONGODB_URL: server.url }
})
// Who interrupts the tests interrupts tap as well; the server ends after it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { tests.kill(signal) })
const [code] = await once(tests, 'exit') as [number | null]
await server.stop()
process.exitCode = code ?? 1
