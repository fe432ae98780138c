/** Removes originals of size charts that no chart holds: what a crash leaves between writing one and pointing to it, or between letting go and removing. */
import type { Logger } from 'pino'
import type { Repositories } from '../store/repositories.js'
import { startRounds, type Rounds } from './rounds.js'

const intervalMs = 60 * 60 * 1_000
/** Far longer than any upload or conversion takes to get from its file to its chart. */
const orphanAgeMs = 60 * 60 * 1_000

export function startSizeChartSweep (
  { sizeCharts, sizeChartPdfs }: Pick<Repositories, 'sizeCharts' | 'sizeChartPdfs'>, log: Logger, everyMs = intervalMs
): Rounds {
  const sweep = async (): Promise<void> => {
    try {
      const removed = await sizeChartPdfs.sweep(sizeCharts.heldPdfs, orphanAgeMs)
      if (removed > 0) log.info({ removed }, 'originals without a size chart removed')
    } catch (error) {
      log.warn({ err: error }, 'originals could not be swept; next try in an hour')
    }
  }
  return startRounds(sweep, everyMs)
}
