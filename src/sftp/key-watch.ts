/**
 * Ends the connections of keys that have been removed since they logged in. Keys are removed by any process, so each server
 * looks again by itself: one query for all open keys, again and again. With the interval, the query and the goodbye
 * (connection.ts), a connection ends within 5 s. A database that is away is no reason to end one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ServedConnection } from './connection.js'

/** The vendor of each of these fingerprints (`SHA256:…`); those that nobody has registered are left out. */
export type FindKeyOwners = (fingerprints: string[]) => Promise<Map<string, string>>

export interface KeyWatch {
  /** Looks no more. */
  stop (): void
}

export function watchKeys ({ connections, findKeyOwners, intervalMs, log }: {
  connections: ReadonlySet<ServedConnection>
  findKeyOwners: FindKeyOwners
  intervalMs: number
  log: Logger
}): KeyWatch {
  const stopped = new AbortController()
  const endRemoved = async (): Promise<void> => {
    const open = [...connections].flatMap((connection) => connection.login === undefined ? [] : [{ connection, ...connection.login }])
    if (open.length === 0) return
    const owners = await findKeyOwners([...new Set(open.map(({ fingerprint }) => fingerprint))])
    for (const { connection, vendorId, fingerprint } of open) {
      if (owners.get(fingerprint) !== vendorId) connection.end('its key was removed')
    }
  }
  const watch = async (): Promise<void> => {
    const { signal } = stopped
    while (await sleep(intervalMs, true, { signal, ref: false }).catch(() => false)) {
      await endRemoved().catch((error: unknown) => {
        log.warn({ err: error }, 'SFTP keys could not be looked up again; open connections stay')
      })
    }
  }
  void watch()
  return { stop: () => stopped.abort() }
}
