/**
 * Ends an embedded database whose storage has given up, so that it is restarted: secantusd-rs and SecantusDB go on answering, each read and write
 * with an error, even when there is room again on a disk that was full. mongod ends by itself.
 *
 * And ends one that is about to fill its disk, so that none of them meets a full one. The commit whose journal entry finds no room may be acknowledged
 * all the same (in WiredTiger, as both servers use it), and is gone after the restart. What ended while there was room has everything.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, MongoServerError } from 'mongodb'
import type { Logger } from 'pino'
import { isDiskNearlyFull, needsRoomBytes, roomBytes } from './disk-room.js'
import type { GuardedChild } from './guarded-child.js'

const refusalIntervalMs = 1_000
/** One refusal may have a reason that has gone by. */
const refusals = 3
/** In which nothing fills what has to be left. */
const roomIntervalMs = 100

export interface WatchedServer {
  child: GuardedChild
  url: string
  /** Where it keeps its data. */
  dataPath: string
}

/** Until the child has ended or `signal` aborts; never rejects. */
export async function watchStorage ({ child, url, dataPath }: WatchedServer, log: Logger, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, endOf(child)])
  const end = (): void => { if (!over.aborted) process.kill(child.pid, 'SIGKILL') }
  await Promise.all([
    untilOver(async () => {
      const refusal = await watchRefusals(url, over)
      log.error({ err: refusal, serverPid: child.pid }, 'embedded MongoDB cannot read its storage; ending it, to start it again')
      end()
    }),
    untilOver(async () => {
      let room: number
      while (!isDiskNearlyFull(room = await roomBytes(dataPath))) await sleep(roomIntervalMs, undefined, { signal: over })
      log.error({ serverPid: child.pid, roomBytes: room, needsRoomBytes }, 'the disk of DATA_DIR is nearly full; ending embedded MongoDB until there is room')
      end()
    })
  ])

  async function untilOver (watch: () => Promise<void>): Promise<void> {
    try {
      await watch()
    } catch (error) {
      // The child has ended, or is not to be watched any more.
      if (!over.aborted) log.error({ err: error, serverPid: child.pid }, 'embedded MongoDB is not watched any more')
    }
  }
}

/** Resolves when reads have been refused several times in a row; rejects when `signal` aborts. */
async function watchRefusals (url: string, signal: AbortSignal): Promise<Error> {
  const client = new MongoClient(url, { appName: 'catalog-storage-watch', maxPoolSize: 1, serverSelectionTimeoutMS: 2_000, socketTimeoutMS: 10_000 })
  try {
    for (let refused = 0; ;) {
      await sleep(refusalIntervalMs, undefined, { signal })
      const refusal = await refusalOf(client)
      refused = refusal === null ? 0 : refused + 1
      if (refusal !== null && refused === refusals) return refusal
    }
  } finally {
    await client.close()
  }
}

/** The server's own error. A server that cannot be reached is another matter: it has ended, or is busy. */
async function refusalOf (client: MongoClient): Promise<Error | null> {
  try {
    // Anew where the first time was in vain: the driver alone would answer "Topology is closed" from then on.
    await client.connect()
    await client.db().collection('schema_versions').findOne()
    return null
  } catch (error) {
    return error instanceof MongoServerError ? error : null
  }
}

function endOf (child: GuardedChild): AbortSignal {
  const ended = new AbortController()
  void child.exited.then(() => { ended.abort() })
  return ended.signal
}
