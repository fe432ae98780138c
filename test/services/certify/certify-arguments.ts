/** What `npm run certify` is told: servers by options, or by the variables by which the service is told of them; options win. */
import { parseArgs } from 'node:util'
import { loadConfig } from '../../../src/config.js'
import { certifiedTests } from './certified-files.js'
import type { Servers } from './own-places.js'

export const usage = `usage: npm run certify -- --mongodb-url URL --kafka HOST:PORT,… [--sftp URL …] [options] [test …]

  --mongodb-url URL                  or MONGODB_URL, MONGODB_URL_FILE; its user may make, list and drop databases
  --kafka HOST:PORT,…                or KAFKA_BROKERS; how it is logged in to: KAFKA_SECURITY_PROTOCOL and all other KAFKA_… of the service
  --sftp URL                         or SFTP_URL: sftp://user@host:22/folder/{vendorId}, in a folder that the user may write in; without it the built-in server
  --sftp-private-key-file FILE       or SFTP_PRIVATE_KEY_FILE
  --sftp-known-hosts-file FILE       or SFTP_KNOWN_HOSTS_FILE
  --sftp-host-key-fingerprint TEXT   or SFTP_HOST_KEY_FINGERPRINT
  --report FILE                      the report, which stdout gets as well
  --log FILE                         all that the tests say
  --lines N                          of the catalog by which throughput is measured; 20000
  test                               some of the tests, such as import-dry-run throughput

Secrets are better off in files and variables: a command line is seen by others. Ends with 0 when all passed, with 1 when not, and with 2 when it was called wrongly.
`

const variables = {
  'mongodb-url': 'MONGODB_URL',
  kafka: 'KAFKA_BROKERS',
  sftp: 'SFTP_URL',
  'sftp-private-key-file': 'SFTP_PRIVATE_KEY_FILE',
  'sftp-known-hosts-file': 'SFTP_KNOWN_HOSTS_FILE',
  'sftp-host-key-fingerprint': 'SFTP_HOST_KEY_FINGERPRINT'
} as const
/** What an option takes the place of, beside its own variable. */
const replaced: Readonly<Record<string, string>> = {
  MONGODB_URL: 'MONGODB_URL_FILE',
  SFTP_KNOWN_HOSTS_FILE: 'SFTP_HOST_KEY_FINGERPRINT',
  SFTP_HOST_KEY_FINGERPRINT: 'SFTP_KNOWN_HOSTS_FILE'
}
const ofServers = /^(?:MONGODB_URL(?:_FILE)?|KAFKA_\w+|SFTP_(?:URL|PRIVATE_KEY_FILE|KNOWN_HOSTS_FILE|HOST_KEY_FINGERPRINT)|NODE_EXTRA_CA_CERTS)$/
const text = { type: 'string' } as const
const maxLines = 10_000_000

export interface CertifyArguments {
  servers: Servers
  files: string[]
  report: string | undefined
  log: string | undefined
  lines: number
  /** A message with the names of options in place of those of variables, but of what was given by a variable. */
  word (message: string): string
}

/** What it was called with is wrong: one line that names the option, or the variable. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** null: help is asked for. Rejects with UsageError. */
export async function readArguments (args: string[], given: NodeJS.ProcessEnv): Promise<CertifyArguments | null> {
  const { values, positionals } = orUsage(() => parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(Object.keys(variables).map((name) => [name, text])) as Record<keyof typeof variables, typeof text>,
      report: text, log: text, lines: text, help: { type: 'boolean', short: 'h' }
    }
  }))
  if (values.help === true) return null
  const env = Object.fromEntries(Object.entries(given).filter(([name]) => ofServers.test(name)))
  const isByVariable = (variable: string): boolean => given[variable] !== undefined
  const options: Array<[option: string, variable: string]> = Object.entries(variables).filter(([option, variable]) => values[option as keyof typeof variables] !== undefined || !isByVariable(variable))
  for (const [option, variable] of Object.entries(variables) as Array<[keyof typeof variables, string]>) {
    const value = values[option]
    if (value === undefined) continue
    if (value === '') throw new UsageError(`--${option} must not be empty`)
    env[variable] = value
    const other = replaced[variable]
    if (other !== undefined && values[optionOf(other)] === undefined) delete env[other]
  }
  const word = (message: string): string => options.reduce((rest, [option, variable]) => rest.replaceAll(new RegExp(`\\b${variable}\\b`, 'g'), `--${option}`), message)
  const lines = Number(values.lines ?? 20_000)
  if (!(Number.isInteger(lines) && lines > 0 && lines <= maxLines)) throw new UsageError(`--lines must be a number from 1 to ${maxLines}, not "${values.lines ?? ''}"`)
  const { mongodbUrl, kafka, sftpUrl } = orUsage(() => loadConfig(env), word)
  if (mongodbUrl === undefined) throw new UsageError('--mongodb-url (or MONGODB_URL, MONGODB_URL_FILE) is required, such as --mongodb-url mongodb://user@host:27017/?replicaSet=rs0')
  if (kafka.brokers === undefined) throw new UsageError('--kafka (or KAFKA_BROKERS) is required, such as --kafka host:9092')
  const files = await certifiedTests({ named: positionals, isSftpGiven: sftpUrl !== undefined }).catch((error: unknown) => { throw new UsageError((error as Error).message) })
  return { servers: { env }, files, report: values.report, log: values.log, lines, word }
}

const optionOf = (variable: string): keyof typeof variables => Object.entries(variables).find(([, each]) => each === variable)?.[0] as keyof typeof variables

function orUsage<T> (read: () => T, word = (message: string): string => message): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(word((error as Error).message))
  }
}
