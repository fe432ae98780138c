/**
 * Sends hints again for every lane that holds anything, at start and every minute: for jobs accepted while Kafka was away,
 * jobs whose process died between acceptance and hint, and what the embedded broker forgets over a restart. A hint too many
 * is harmless.
 */
import type { Logger } from 'pino'
import type { Lanes } from '../store/lanes.js'
import type { Wake } from './import-queue.js'

const intervalMs = 60_000

export interface Recovery {
  stop (): Promise<void>
}

export function startRecovery (lanes: Lanes, wake: Wake, log: Logger, everyMs = intervalMs): Recovery {
  let round = Promise.resolve()
  const recover = async (): Promise<void> => {
    try {
      for await (const { vendorId, jobId } of lanes.activeVendors()) wake(vendorId, jobId)
    } catch (error) {
      log.warn({ err: error }, 'jobs could not be looked through; next try in a minute')
    }
  }
  round = recover()
  const timer = setInterval(() => { round = round.then(recover) }, everyMs)
  return {
    async stop () {
      clearInterval(timer)
      await round
    }
  }
}
