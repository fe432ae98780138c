/** Turns whatever ended a command into one line on stderr and an exit code (spec/operations.md, "Command line"). */
import { CommanderError } from 'commander'
import pino from 'pino'
import { ConfigError } from '../environment.js'
import { isAppError } from '../errors.js'
import { CliError, exitCodes, UsageError } from './cli-error.js'
import type { CliContext } from './context.js'

export function reportError (error: unknown, { env, output }: Pick<CliContext, 'env' | 'output'>): number {
  // Commander has told its own errors already; asking for help or the version is not one.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof UsageError || error instanceof ConfigError) {
    output.error(error.message)
    return exitCodes.usage
  }
  if (isAppError(error)) {
    output.error(error.message)
    const wrongValue = error.kind === 'request' && error.code === 'BAD_USER_INPUT'
    return wrongValue ? exitCodes.usage : exitCodes.failed
  }
  if (error instanceof CliError) {
    output.error(error.message)
    return exitCodes.failed
  }
  const showsDetails = env['LOG_LEVEL'] === 'debug' || env['LOG_LEVEL'] === 'trace'
  if (showsDetails) pino({ level: 'debug' }, output.stderr).debug({ err: error }, 'the command failed')
  const message = error instanceof Error ? error.message : String(error)
  output.error(`unexpected failure: ${message}${showsDetails ? '' : ' (LOG_LEVEL=debug tells more)'}`)
  return exitCodes.failed
}
