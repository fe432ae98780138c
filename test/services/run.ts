/**
 * `npm run test:services`: the system tests against a real Kafka, MongoDB server and SFTP server, started here and stopped
 * afterwards. Exits as the tests do. A part that cannot be had fails the run; no test is left out for it. What is run on somebody's own servers goes the same way (certify.ts); here the report is on
 * stderr, for stdout is the tests'.
 *
 * `npm run soak`: of these tests the ones that find more the longer they run, for hours in place of minutes. Nothing but their lengths
 * differs, and what the environment says of these wins. Files may be named, as for dist/test/run.js.
 */
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemTests } from './certify/certified-files.js'
import { certify } from './certify/certify.js'
import { takeInterruption } from './certify/interruption.js'
import { describeFailure } from './parts/describe-failure.js'
import { startRealParts, type RealParts } from './parts/real-parts.js'
import { say } from './parts/say.js'

/** What a soak runs, and for how long. */
const soakTests = ['bulks-survive-kill-9.test.js', 'console-memory.test.js', 'fault-schedule.test.js', 'hostile-shapes.test.js', 'import-model.test.js', 'import-survives-kill-9.test.js']
const soakLengths = { BULK_KILLS: '200', CONSOLE_MINUTES: '60', FAULT_SEEDS: '200', KILL_ROUNDS: '10', MODEL_SEEDS: '200000', HOSTILE_SECONDS: '30', HOSTILE_SHAPES: '.' }
const isSoak = process.argv.includes('--soak')
/** What computes from beginning to end and waits for nobody. */
const needsNoParts = /\bimport-model\.test\.js$/

const here = dirname(fileURLToPath(import.meta.url))
/** Of a test file: the longest, the model, gets what the others leave. A soak's set theirs by their lengths. */
const timeoutSeconds = isSoak ? 24 * 60 * 60 : 3_600
/** Most files wait more than they compute: for leases, for what comes back, for processes that end. A soak's are what keeps the machine busy. */
const lanes = 2
let haveParts = false
const interruption = takeInterruption(() => {
  // What is being fetched and started ends with this process, and its folders are removed.
  if (!haveParts) process.exit(interruption.exitCode())
})

/** Those that look at the service through its outside parts, and the tests of the parts themselves. */
async function testFiles (): Promise<string[]> {
  const named = process.argv.slice(2).filter((argument) => argument !== '--soak')
  if (named.length > 0) return named
  const pathOf = (name: string): string => relative(process.cwd(), join(here, name))
  if (isSoak) return soakTests.map(pathOf)
  const services = (await readdir(here)).filter((name) => name.endsWith('.test.js'))
  // The long ones first: the many short ones fill up what a lane has left at the end.
  return [...services.map(pathOf), ...await systemTests()]
}

async function runTests (parts: RealParts): Promise<number> {
  const env = {
    MONGODB_URL: parts.mongodbUrl,
    ...parts.kafka,
    SFTP_URL: parts.sftpUrl,
    SFTP_PRIVATE_KEY_FILE: parts.sftpPrivateKeyFile,
    SFTP_HOST_KEY_FINGERPRINT: parts.sftpHostKeyFingerprint
  }
  const lengths = isSoak ? Object.fromEntries(Object.entries(soakLengths).filter(([name]) => process.env[name] === undefined)) : {}
  // Topics, groups and folders have the same names in each file: on one broker, but on two databases, two services would take each other's hints. So each lane has names of its own.
  const files = await testFiles()
  const { isPassed, exitCode, report } = await certify({ servers: { env, sftpRoot: parts.sftpRoot }, files, lanes: isSoak ? 1 : lanes, beside: files.filter((file) => needsNoParts.test(file)), timeoutSeconds, env: lengths, signal: interruption.signal })
  process.stderr.write(report)
  return isPassed ? 0 : exitCode === 0 ? 1 : exitCode
}

try {
  const parts = await startRealParts('certify_')
  haveParts = true
  try {
    process.exitCode = await runTests(parts)
  } finally {
    say('stopping')
    await parts.stop()
  }
} catch (error) {
  say(describeFailure(error))
  process.exitCode = 1
}
process.exitCode = interruption.exitCode() ?? process.exitCode
