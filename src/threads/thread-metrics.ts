/** How many threads each pool has, what they do, and what becomes of them, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface PoolFigures {
  threads: number
  running: number
  waiting: number
}

export interface ThreadMetrics {
  /** Labels: `pool` and, of the second, `reason`. */
  heldUp: Counter<'pool'>
  died: Counter<'pool' | 'reason'>
  /** `look` is called whenever the metrics are read. */
  watch (pool: string, look: () => PoolFigures): void
  unwatch (pool: string): void
}

export function createThreadMetrics (registry: Registry): ThreadMetrics {
  const pools = new Map<string, () => PoolFigures>()
  const gauge = (name: string, help: string, figure: keyof PoolFigures): void => {
    const made: Gauge<'pool'> = new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect () {
        made.reset()
        for (const [pool, look] of pools) made.set({ pool }, look()[figure])
      }
    })
  }
  gauge('catalog_threads', 'Threads of a pool', 'threads')
  gauge('catalog_thread_tasks_running', 'Tasks that the threads of a pool have in hand', 'running')
  gauge('catalog_thread_tasks_waiting', 'Tasks that wait for a thread, or for another one of their owner', 'waiting')
  return {
    heldUp: new Counter({ name: 'catalog_thread_hold_ups_total', help: 'Times that a thread did not come round for a second', labelNames: ['pool'], registers: [registry] }),
    died: new Counter({ name: 'catalog_thread_deaths_total', help: 'Threads that have died: out of memory, held up for ten seconds, or ended otherwise', labelNames: ['pool', 'reason'], registers: [registry] }),
    watch: (pool, look) => { pools.set(pool, look) },
    unwatch: (pool) => { pools.delete(pool) }
  }
}
