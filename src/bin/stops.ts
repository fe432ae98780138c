/**
 * How what was started is stopped, whatever of it fails to:
 *
 *   what takes from outside (the API, the worker) ─ all of it at once, for none may use up the others' time ─▶ what that is built upon, the last first
 */
import type { Logger } from 'pino'

export type Stop = () => Promise<void>

export interface Stops {
  /** For what takes requests or jobs. It may go on using, while it ends, whatever was given to `onStop`. */
  onDrain (stop: Stop): void
  /** In reverse order; those given together run side by side. */
  onStop (...together: Stop[]): void
  /** Never rejects: what does not stop cleanly is told in the log. */
  run (): Promise<void>
}

export function createStops (log: Logger): Stops {
  const draining: Stop[] = []
  const stopping: Stop[][] = []
  const together = async (stops: Stop[]): Promise<void> => {
    await Promise.all(stops.map(async (stop) => {
      await stop().catch((error: unknown) => { log.error({ err: error }, 'a part did not stop cleanly') })
    }))
  }
  return {
    onDrain (stop) { draining.push(stop) },
    onStop (...stops) { stopping.push(stops) },
    async run () {
      await together(draining)
      for (const stops of stopping.reverse()) await together(stops)
    }
  }
}
