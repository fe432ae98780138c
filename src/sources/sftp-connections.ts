/**
 * Connections, one for each operation at a time, kept for a while for the next.
 *
 * Operations do not share a connection although SSH could carry several: a read that is aborted just drops its connection,
 * which frees its handle and its requests on both sides at once; a slow reader holds up no one; and there is no limit of
 * channels per connection (OpenSSH: 10) to run into. Logging in costs about 10 ms of CPU, which reuse saves where it would
 * count: many small operations in a row.
 */
import { unavailable } from '../errors.js'
import type { SftpConnection } from './sftp-connection.js'

export interface Lease {
  connection: SftpConnection
  /** Gives the connection back: no answer that is still to come may matter. */
  release (): void
}

export interface SftpConnections {
  lease (user: string, signal?: AbortSignal): Promise<Lease>
  /** Drops every connection; later leases are refused. */
  close (): void
}

/** Long enough for the files of one job, short enough to be no one's idle connection (servers cut those after minutes). */
const idleMs = 30_000
/** As many as a thread's jobs may read at once (jobs/import-threads), where one user reads for all vendors, as at the built-in server: were fewer kept, the others would log in anew. */
const maxIdlePerUser = 16

export function createSftpConnections (connect: (user: string, signal?: AbortSignal) => Promise<SftpConnection>): SftpConnections {
  const idle = new Map<string, Array<{ connection: SftpConnection, timer: NodeJS.Timeout }>>()
  const all = new Set<SftpConnection>()
  let isClosed = false

  const takeIdle = (user: string): SftpConnection | undefined => {
    for (let entry = idle.get(user)?.pop(); entry !== undefined; entry = idle.get(user)?.pop()) {
      clearTimeout(entry.timer)
      if (entry.connection.isOpen()) return entry.connection
    }
    return undefined
  }
  const keep = (user: string, connection: SftpConnection): void => {
    const kept = idle.get(user) ?? []
    if (isClosed || !connection.isOpen() || kept.length >= maxIdlePerUser) return connection.destroy()
    kept.push({ connection, timer: setTimeout(() => connection.destroy(), idleMs).unref() })
    idle.set(user, kept)
  }
  const open = async (user: string, signal?: AbortSignal): Promise<SftpConnection> => {
    const connection = await connect(user, signal)
    if (isClosed) {
      connection.destroy()
      throw unavailable('SFTP files are closed')
    }
    all.add(connection)
    connection.onClose(() => {
      all.delete(connection)
      const kept = (idle.get(user) ?? []).filter((entry) => entry.connection !== connection)
      if (kept.length > 0) idle.set(user, kept)
      else idle.delete(user)
    })
    return connection
  }

  return {
    async lease (user, signal) {
      if (isClosed) throw unavailable('SFTP files are closed')
      const connection = takeIdle(user) ?? await open(user, signal)
      return { connection, release: () => keep(user, connection) }
    },
    close () {
      isClosed = true
      for (const connection of all) connection.destroy()
    }
  }
}
