/**
 * Sends hints again for every vendor that something waits for (a lane that holds anything, a size chart to be converted), at
 * start and every minute: for what was accepted while Kafka was away, what was accepted by a process that died before the
 * hint, and what the embedded broker forgets over a restart. A hint too many is harmless.
 */
import type { Logger } from 'pino'
import type { Wake } from './import-queue.js'
import { startRounds, type Rounds } from './rounds.js'

const intervalMs = 60_000

/** `waiting` gives the vendors, each with one of what waits. */
export function startRecovery (waiting: () => AsyncIterable<{ vendorId: string, jobId: string }>, wake: Wake, log: Logger, everyMs = intervalMs): Rounds {
  const recover = async (): Promise<void> => {
    try {
      for await (const { vendorId, jobId } of waiting()) wake(vendorId, jobId)
    } catch (error) {
      log.warn({ err: error }, 'what waits could not be looked through; next try in a minute')
    }
  }
  return startRounds(recover, everyMs)
}
