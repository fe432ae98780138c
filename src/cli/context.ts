/** What a command is given of the world around it, so that tests can give it another one. */
import type { Output } from './output.js'

export interface CliContext {
  env: NodeJS.ProcessEnv
  output: Output
  /**
   * Aborted by Ctrl-C and SIGTERM, for a command that has something to tidy up or to say then. Those signals end a
   * command that never calls it as they end any process.
   */
  interruption (): AbortSignal
  /** What the process ends with when the command does not fail; a command may set it. */
  exitCode: number
}
