/**
 * `npm run certify -- --mongodb-url … --kafka … --sftp …` (spec/operations.md): the system tests against somebody's own servers, in databases, topics and a folder of the run's own, which are removed
 * afterwards. Progress is on stderr, the report on stdout. No secret is in any of it.
 */
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { readSecrets, withoutSecrets } from '../../src/cli/doctor/secrets.js'
import { nameOf } from './certify/certified-files.js'
import { certify } from './certify/certify.js'
import { readArguments, usage, UsageError, type CertifyArguments } from './certify/certify-arguments.js'
import { takeInterruption } from './certify/interruption.js'
import { describeFailure } from './parts/describe-failure.js'

/** Of one test file: over a slow network each of its waits is longer. */
const timeoutSeconds = 1_800
const interruption = takeInterruption(() => { tell('interrupted; what was made on the servers is being removed') })

function tell (line: string): void {
  process.stderr.write(`certify: ${line}\n`)
}

async function run ({ servers, files, report, log, lines, word }: CertifyArguments): Promise<boolean> {
  const secrets = await readSecrets(servers.env)
  const clean = (text: string): string => withoutSecrets(text, secrets)
  for (const [option, file] of [['report', report], ['log', log]] as const) {
    if (file !== undefined) await writeFile(file, '').catch((error: unknown) => { throw new UsageError(`--${option} must be a file that can be written: ${(error as Error).message}`) })
  }
  const logStream = log === undefined ? undefined : createWriteStream(log)
  let begun = 0
  const onLine = (line: string): void => {
    logStream?.write(`${clean(line)}\n`)
    if (/^# Subtest: /.test(line)) tell(`${nameOf(line)} (${++begun} of ${files.length})`)
    if (/^not ok /.test(line)) tell(`${clean(line)}`)
  }
  try {
    tell('trying the servers')
    const certified = await certify({ servers, files, timeoutSeconds, env: { THROUGHPUT_LINES: String(lines) }, signal: interruption.signal, onLine })
    const text = clean(certified.report)
    process.stdout.write(text)
    if (report !== undefined) await writeFile(report, text)
    return certified.isPassed
  } catch (error) {
    tell(clean(word(describeFailure(error))))
    return false
  } finally {
    await new Promise<void>((resolve) => { if (logStream === undefined) resolve(); else logStream.end(resolve) })
  }
}

try {
  const given = await readArguments(process.argv.slice(2), process.env)
  if (given === null) process.stdout.write(usage)
  else process.exitCode = await run(given) ? 0 : 1
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  tell(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}
process.exitCode = interruption.exitCode() ?? process.exitCode
