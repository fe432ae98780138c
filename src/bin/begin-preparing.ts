/** Brings the database to where the service may serve on it, or finds out why it may not, while all else starts. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { fatal, isAppError, type AppError } from '../errors.js'
import type { Database } from '../store/database/connection.js'
import { refusalOf, connectionFaultOf } from '../store/database/database-errors.js'
import { createPatience } from '../store/database/while-away.js'
import { prepareDatabase } from '../store/migrate.js'

interface PreparingOptions {
  config: Pick<Config, 'migrate' | 'mongodbUrlVariable'>
  closing: AbortSignal
  log: Logger
  /** Told what is found after this has given back. */
  giveUp: (error: AppError) => void
}

/** A database that is there says within this time whether it is behind. */
const firstLookMs = 2_000

/**
 * Roles that need the database wait for what is given back. One that is away is waited for; until then the service is up, and says over /readyz that it is not ready.
 * Rejects when the database is behind or refuses us, if that is to be seen at once.
 */
export async function beginPreparing (database: Database, { config, closing, log, giveUp }: PreparingOptions): Promise<{ prepared: Promise<void> }> {
  let told = ''
  const prepared = createPatience(closing, log)(async () => {
    try {
      await prepareDatabase(database, config.migrate, log)
    } catch (error) {
      const refusal = refusalOf(error, config.mongodbUrlVariable)
      if (refusal !== undefined) throw fatal(refusal, error)
      const line = connectionFaultOf(error, config.mongodbUrlVariable) ?? ''
      if (line !== told && line !== '') log.error(line)
      told = line
      throw error
    }
  })
  let hasBegun = false
  prepared.catch((error: unknown) => {
    if (closing.aborted) return
    if (isAppError(error)) {
      if (hasBegun) giveUp(error)
    } else log.fatal({ err: error }, 'the database could not be prepared')
  })
  // A migration may take its time, with the service up and unready; whether there is one to take does not.
  if (config.migrate === 'check') {
    const looked = prepared.catch((error: unknown) => { if (isAppError(error)) throw error })
    await Promise.race([looked, delay(firstLookMs, undefined, { ref: false, signal: closing }).catch(() => {})])
  }
  hasBegun = true
  return { prepared }
}
