/**
 * Ends an embedded database whose storage has given up, so that it is restarted. On a full disk mongod ends by itself;
 * secantusd-rs and SecantusDB go on answering, each read and write with an error, even when there is room again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, MongoServerError } from 'mongodb'
import type { Logger } from 'pino'
import type { GuardedChild } from './guarded-child.js'

const intervalMs = 1_000
/** One refusal may have a reason that has gone by. */
const refusals = 3

/** Until the child has ended or `signal` aborts; never rejects. */
export async function watchStorage (child: GuardedChild, url: string, log: Logger, signal: AbortSignal): Promise<void> {
  const client = new MongoClient(url, { appName: 'catalog-storage-watch', maxPoolSize: 1, serverSelectionTimeoutMS: 2_000, socketTimeoutMS: 10_000 })
  const over = AbortSignal.any([signal, endOf(child)])
  try {
    for (let refused = 0; refused < refusals;) {
      await sleep(intervalMs, undefined, { signal: over })
      const refusal = await refusalOf(client)
      refused = refusal === null ? 0 : refused + 1
      if (refused === refusals) {
        log.error({ err: refusal, serverPid: child.pid }, 'embedded MongoDB cannot read its storage; ending it, to start it again')
        process.kill(child.pid, 'SIGKILL')
      }
    }
  } catch {
    // The child has ended, or is not to be watched any more.
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
