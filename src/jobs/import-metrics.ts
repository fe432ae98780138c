/**
 * What waits and what runs, over all vendors, for Prometheus: the same from whichever process is asked. Autoscaling goes by the
 * vendors that wait for a worker: jobs behind another of their own vendor would not run sooner with more workers.
 */
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { Backlog, Lanes } from '../store/jobs/lanes.js'

/** Several scrapers, and one gauge after the other, share one look at the database. */
const maxAgeMs = 2_000

export function registerImportMetrics (registry: Registry, lanes: Lanes, log: Logger): void {
  let last: { backlog: Promise<Backlog | null>, atMs: number } | null = null

  /** null while the database is away: then there is no figure, rather than an old one. */
  const look = async (): Promise<Backlog | null> => {
    if (last === null || performance.now() - last.atMs > maxAgeMs) {
      const backlog = lanes.backlog().catch((error: unknown) => {
        log.debug({ err: error }, 'no import metrics')
        return null
      })
      last = { backlog, atMs: performance.now() }
    }
    return await last.backlog
  }
  const gauge = (name: string, help: string, value: (backlog: Backlog) => number): void => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect () {
        const backlog = await look()
        if (backlog === null) made.remove()
        else made.set(value(backlog))
      }
    })
  }

  gauge('catalog_import_vendors_waiting', 'Vendors whose next import waits for a worker', ({ vendorsWaiting }) => vendorsWaiting)
  gauge('catalog_import_vendors_running', 'Vendors of which an import runs', ({ vendorsRunning }) => vendorsRunning)
  gauge('catalog_import_jobs_queued', 'Imports that are accepted and do not run yet', ({ jobsQueued }) => jobsQueued)
  gauge('catalog_import_longest_wait_seconds', 'Age of the oldest import that waits for a worker; 0 when none does',
    ({ waitingSince }) => waitingSince === null ? 0 : Math.max(0, Date.now() - waitingSince.getTime()) / 1_000)
}
