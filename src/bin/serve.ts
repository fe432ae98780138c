#!/usr/bin/env node
/** `npm start`: the service with the roles of ROLES (spec/operations.md). */
import closeWithGrace from 'close-with-grace'
import { loadConfig, type Config } from '../config.js'
import { ConfigError } from '../environment.js'
import { isAppError, type AppError } from '../errors.js'
import { createLog } from '../log.js'
import { startService } from './service.js'

/** Within the 30 s that SIGTERM allows. */
const drainMs = 28_000

function readConfig (): Config {
  try {
    return loadConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const config = readConfig()
const log = createLog({ level: config.logLevel })
const starting = startService(config, log, giveUp)

closeWithGrace({ delay: drainMs, logger: false }, async ({ signal, err }) => {
  if (err !== undefined) log.fatal({ err }, 'unexpected error')
  log.info({ signal }, 'draining')
  const service = await starting.catch(() => undefined)
  await service?.close()
  log.info('closed')
})

try {
  const { url, consoleLink, ops, sftp, mongodbUrl, kafkaBrokers } = await starting
  // Only where someone looks: a log that is kept is no place for it.
  if (consoleLink !== '' && process.stdout.isTTY) process.stdout.write(`console: ${consoleLink}\n`)
  // Whoever starts the service waits for this line, whatever the log level.
  log.child({}, { level: 'info' }).info({ ready: true, url, ...ops === '' ? {} : { ops }, sftp, mongodb: withoutCredentials(mongodbUrl), kafka: kafkaBrokers }, 'ready')
} catch (error) {
  if (error instanceof ConfigError) log.fatal(error.message)
  else if (isAppError(error)) log.fatal({ err: error.cause }, error.message)
  else log.fatal({ err: error }, 'the service could not be started')
  process.exitCode = 1
  setImmediate(() => { process.exit(1) })
}

/** The service has begun, and cannot go on. */
function giveUp (error: AppError): void {
  log.fatal(error.message)
  void starting.then(async ({ close }) => { await close() }).finally(() => { process.exit(1) })
}

function withoutCredentials (mongodbUrl: string): string {
  return mongodbUrl.replace(/\/\/[^@/]*@/, '//')
}
