/**
 * `npm run test:services`: the system tests against a real Kafka, MongoDB server and SFTP server, started here and stopped
 * afterwards. Exits as the tests do. A part that cannot be had fails the run; no test is left out for it.
 *
 * `npm run soak`: of these tests the ones that find more the longer they run, for hours in place of minutes. Nothing but their lengths
 * differs, and what the environment says of these wins. Files may be named, as for dist/test/run.js.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeFailure } from './parts/describe-failure.js'
import { descendantsOf, killIfThere } from './parts/process-tree.js'
import { startRealParts, type RealParts } from './parts/real-parts.js'
import { say } from './parts/say.js'

/** Services that were under test drain meanwhile. */
const graceMs = 5_000

/** What a soak runs, and for how long. */
const soakTests = ['bulks-survive-kill-9.test.js', 'fault-schedule.test.js', 'hostile-shapes.test.js', 'import-model.test.js', 'rolling-update.test.js']
const soakLengths = { BULK_KILLS: '200', FAULT_SEEDS: '200', MODEL_SEEDS: '200000', HOSTILE_SECONDS: '30', HOSTILE_SHAPES: '.', ROLLING_VENDORS: '20' }
const isSoak = process.argv.includes('--soak')

const here = dirname(fileURLToPath(import.meta.url))
/** Of a test file: the longest takes twenty minutes, and three times as long in a slow hour. A soak's set theirs by their lengths. */
const timeoutSeconds = isSoak ? 24 * 60 * 60 : 3_600
let tests: ChildProcess | undefined
let interrupted: NodeJS.Signals | undefined

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted ??= signal
    // What is being fetched and started ends with this process, and its folders are removed.
    if (tests === undefined) process.exit(128 + constants.signals[signal])
    void endTests(tests)
  })
}

/** tap by itself waits for its test files, which need not end soon; and who started them may be killed before they are. */
async function endTests ({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  const all = [pid, ...await descendantsOf(pid)]
  for (const each of all) killIfThere(each, 'SIGTERM')
  setTimeout(() => { for (const each of all) killIfThere(each, 'SIGKILL') }, graceMs).unref()
}

/** Those that look at the service through its outside parts, and the tests of the parts themselves. */
async function testFiles (): Promise<string[]> {
  const named = process.argv.slice(2).filter((argument) => argument !== '--soak')
  if (named.length > 0) return named
  if (isSoak) return soakTests.map((name) => relative(process.cwd(), join(here, name)))
  const system = (await readdir(join(here, '..', 'system'))).filter((name) => /^(?:import|api)-.*\.test\.js$/.test(name))
  const services = (await readdir(here)).filter((name) => name.endsWith('.test.js'))
  return [...system.map((name) => join(here, '..', 'system', name)), ...services.map((name) => join(here, name))]
    .map((path) => relative(process.cwd(), path))
}

async function runTests (parts: RealParts): Promise<number> {
  // One file at a time: the service's topic and consumer group have fixed names, so two services on one broker but on two
  // databases would take each other's hints.
  tests = spawn(process.execPath, [join(here, 'run-files.js'), String(timeoutSeconds), ...await testFiles()], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...isSoak ? soakLengths : {},
      ...process.env,
      TEST_MONGODB_URL: parts.mongodbUrl,
      TEST_KAFKA_BROKERS: parts.kafkaBrokers,
      TEST_SFTP_URL: parts.sftpUrl,
      TEST_SFTP_PRIVATE_KEY_FILE: parts.sftpPrivateKeyFile,
      TEST_SFTP_HOST_KEY_FINGERPRINT: parts.sftpHostKeyFingerprint,
      TEST_SFTP_ROOT: parts.sftpRoot
    }
  })
  const [code] = await once(tests, 'exit') as [number | null]
  return code ?? 1
}

try {
  const parts = await startRealParts()
  try {
    process.exitCode = await runTests(parts)
  } finally {
    say('stopping')
    await parts.stop()
  }
  if (interrupted !== undefined) process.exitCode = 128 + constants.signals[interrupted]
} catch (error) {
  say(describeFailure(error))
  process.exitCode = 1
}
