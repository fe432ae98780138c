/** What each part of the service is started with. */
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { AppError } from '../errors.js'
import type { Stops } from './stops.js'

export interface Starting extends Pick<Stops, 'onDrain' | 'onStop'> {
  config: Config
  log: Logger
  closing: AbortSignal
  /** Of a process that has never served: nobody sends it requests who has to notice that it ends. */
  hurry: AbortSignal
  close: () => Promise<void>
  giveUp: (error: AppError) => void
}
