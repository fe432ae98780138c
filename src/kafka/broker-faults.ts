/**
 * What the brokers have against this process: the connection, or a right that it lacks. Whoever meets a fault notes it, whoever sees that it
 * is over clears it; each is told once in the log, however often it is met, and /readyz is unready until all are gone.
 */
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'

/** `connection`, or what may not be done with which topic or group. */
export type FaultKey = 'connection' | `${'write' | 'read' | 'group'} ${string}`

export interface BrokerFaults {
  /** `commands`: what an administrator runs to mend it. */
  note (key: FaultKey, line: string, commands?: readonly string[]): void
  clear (key: FaultKey): void
  find (key: FaultKey): string | undefined
  /** Throws SERVICE_UNAVAILABLE with the line of one of them. */
  check (): void
}

export function createBrokerFaults (log: Logger): BrokerFaults {
  const lines = new Map<FaultKey, string>()
  return {
    note (key, line, commands) {
      if (lines.get(key) === line) return
      lines.set(key, line)
      log.error(commands === undefined ? {} : { commands }, line)
    },
    clear (key) {
      const was = lines.get(key)
      if (was === undefined) return
      lines.delete(key)
      log.info({ was }, 'Kafka: mended')
    },
    find: (key) => lines.get(key),
    check () {
      const [line] = lines.values()
      if (line !== undefined) throw unavailable(line)
    }
  }
}
