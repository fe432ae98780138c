/**
 * Sends hints again for every vendor that something waits for (a lane that holds anything, a size chart to be converted), at
 * start and every minute: for what was accepted while Kafka was away, what was accepted by a process that died before the
 * hint, and what the embedded broker forgets over a restart. A hint too many is harmless.
 *
 * Where nothing has moved for two minutes, no hint arrives: there is no topic, or nobody reads its partition. Then the worker of this
 * process is woken without Kafka. Others do the same, and one of them gets the work.
 */
import type { Logger } from 'pino'
import { createStandstill } from '../domain/standstill.js'
import type { Wake } from './import-queue.js'
import { startRounds, type Rounds } from './rounds.js'

const intervalMs = 60_000
/** Two rounds, each of which may begin a moment early. */
const stillMs = 1.9 * intervalMs

/** `jobId` is one of what waits. `mark` differs whenever somebody has worked on it. */
export interface WaitingVendor { vendorId: string, jobId: string, mark: string }

export interface RecoveryOptions {
  waiting: () => AsyncIterable<WaitingVendor>
  /** Sends a hint. */
  wake: Wake
  /** Wakes the worker of this process; resolves when nothing is left for the vendor. */
  wakeHere: (vendorId: string) => Promise<void>
  log: Logger
  everyMs?: number
  stillMs?: number
}

export function startRecovery ({ waiting, wake, wakeHere, log, everyMs = intervalMs, ...options }: RecoveryOptions): Rounds {
  const untouched = createStandstill(options.stillMs ?? stillMs)
  const recover = async (): Promise<void> => {
    try {
      const vendors = new Set<string>()
      for await (const { vendorId, jobId, mark } of waiting()) {
        vendors.add(vendorId)
        wake(vendorId, jobId)
        if (untouched.standsStill(vendorId, mark)) {
          log.info({ vendorId, jobId }, 'no hint has moved this vendor; looking without one')
          wakeHere(vendorId).catch((error: unknown) => { log.debug({ err: error, vendorId }, 'left to others') })
        }
      }
      untouched.keepOnly(vendors)
    } catch (error) {
      log.warn({ err: error }, 'what waits could not be looked through; next try in a minute')
    }
  }
  return startRounds(recover, everyMs)
}
