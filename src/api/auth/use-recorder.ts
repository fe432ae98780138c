/** When keys were last used: written at most once a minute and key, off the requests' path. */
import type { FastifyBaseLogger } from 'fastify'
import { createBoundedMap } from '../../domain/bounded-map.js'

export interface UseRecorder {
  /** A lost record of a use is worth a line in the log, not a failed request. */
  record (key: { _id: string, lastUsedAt: Date | null }): void
  /** Waits for what is being written. */
  close (): Promise<void>
}

const intervalMs = 60_000
const maxKeys = 10_000

export function createUseRecorder (
  { touch, log, monotonicMs }: { touch: (id: string, at: Date) => Promise<void>, log: FastifyBaseLogger, monotonicMs: () => number }
): UseRecorder {
  const recordedAt = createBoundedMap<string, number>(maxKeys)
  const writes = new Set<Promise<void>>()

  return {
    record ({ _id, lastUsedAt }) {
      const now = monotonicMs()
      const last = recordedAt.get(_id)
      if (last === undefined ? isRecent(lastUsedAt) : now - last < intervalMs) return
      recordedAt.set(_id, now)
      const write = touch(_id, new Date())
        .catch((error: unknown) => { log.warn({ err: error, keyId: _id }, 'the use of an API key was not recorded') })
        .finally(() => { writes.delete(write) })
      writes.add(write)
    },
    close: async () => { await Promise.all(writes) }
  }
}

/** Another process has recorded it. */
const isRecent = (lastUsedAt: Date | null): boolean =>
  lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < intervalMs
