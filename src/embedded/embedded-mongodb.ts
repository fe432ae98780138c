/**
 * The embedded database: a MongoDB-speaking server as a child process on `DATA_DIR/mongodb`, for trying out,
 * developing and testing. The rest of the service gets an address and cannot tell.
 *
 *   starting ──answers──▶ running ──ends by itself──▶ restarting ──answers──▶ running …
 *      │ (3 attempts)        └──close()──▶ closed ◀──close()──┘ └─fails─▶ restarting, later
 *      └──fails──▶ rejected
 *
 * A restart keeps the port, so clients reconnect by themselves; it is tried for as long as the service runs. A server whose
 * storage has given up is ended, and so restarted; so is one whose disk is nearly full, once there is room (storage-watch).
 * The caller holds the lock on DATA_DIR: there is never a second of these on the same folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EmbeddedMongo } from '../config.js'
import { unavailable } from '../errors.js'
import { isDiskNearlyFull, needsRoomBytes, roomBytes } from './disk-room.js'
import { findMongodb, type MongodbKind } from './find-mongodb.js'
import type { GuardedChild } from './guarded-child.js'
import { readJson, writeJson } from './json-file.js'
import { freePort } from './local-ports.js'
import { addressOf, startMongodbProcess } from './mongodb-process.js'
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js'
import { watchStorage } from './storage-watch.js'

export interface EmbeddedMongodb {
  url: string
  /** Stops the server and waits until it is gone. */
  close (): Promise<void>
}

export interface EmbeddedMongodbOptions {
  dataDir: string
  wanted: EmbeddedMongo
  log: Logger
  env?: NodeJS.ProcessEnv
}

const predecessorTimeoutMs = 20_000
/** For a port that was taken between choosing and binding it, and for storage that is let go a moment late. */
const startAttempts = 3
const firstBackoffMs = 100
const longestBackoffMs = 10_000
/** A server that ran this long starts over with the shortest backoff. */
const healthyAfterMs = 60_000

/** Rejects with an AppError: fatal when there is no server to start, `SERVICE_UNAVAILABLE` when it does not start. */
export async function startEmbeddedMongodb ({ dataDir, wanted, log, env = process.env }: EmbeddedMongodbOptions): Promise<EmbeddedMongodb> {
  const folder = join(dataDir, 'mongodb')
  const places = { dataPath: join(folder, 'data'), emptyConfigPath: join(folder, 'empty.toml'), logPath: join(dataDir, 'mongodb.log') }
  const serverFile = join(folder, 'server.json')
  await mkdir(places.dataPath, { recursive: true, mode: 0o700 })
  await writeFile(places.emptyConfigPath, '', { mode: 0o600 })

  const previous = await readJson<ServerRecord>(serverFile)
  await waitForPredecessor(previous, log)
  const program = await findMongodb({ wanted, writtenBy: previous?.kind, env })
  let current: GuardedChild | undefined
  async function start (port: number): Promise<GuardedChild> {
    const room = await roomBytes(places.dataPath)
    if (isDiskNearlyFull(room)) {
      throw unavailable(`The disk of DATA_DIR has room for ${inMiB(room)} MiB more, and the embedded database needs ${inMiB(needsRoomBytes)}: make room there, choose another DATA_DIR, or name a MongoDB server of your own`)
    }
    return await startMongodbProcess({ program, port, ...places, env, log }, async (spawned) => {
      current = spawned
      await writeJson(serverFile, { kind: program.kind, ...identityOf(spawned.pid) })
    })
  }

  const { child: firstChild, port } = await startOnFreePort(start, log)
  const closing = new AbortController()
  const watching = watch(firstChild)
  log.info({ server: program.kind, port, serverPid: firstChild.pid }, 'embedded MongoDB started')

  async function watch (child: GuardedChild): Promise<void> {
    let backoffMs = firstBackoffMs
    let startedAt = performance.now()
    for (;;) {
      await watchStorage({ child, url: addressOf(port), dataPath: places.dataPath }, log, closing.signal)
      const exit = await child.exited
      if (closing.signal.aborted) return
      log.error({ server: program.kind, exit, output: await child.lastLines() }, 'embedded MongoDB ended by itself; restarting it')
      if (performance.now() - startedAt > healthyAfterMs) backoffMs = firstBackoffMs
      for (let restarted = false; !restarted;) {
        await sleep(backoffMs, undefined, { signal: closing.signal }).catch(() => { /* close() cuts the wait short */ })
        if (closing.signal.aborted) return
        backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
        try {
          startedAt = performance.now()
          child = await start(port)
          restarted = true
          log.info({ server: program.kind, port, serverPid: child.pid }, 'embedded MongoDB restarted')
        } catch (error) {
          if (closing.signal.aborted) return
          log.error({ err: error, retryInMs: backoffMs }, 'embedded MongoDB did not restart')
        }
      }
      // close() may have come just before this one was spawned, and stopped only its predecessor.
      if (closing.signal.aborted) await child.stop()
    }
  }

  return {
    url: addressOf(port),
    close: async () => {
      closing.abort()
      await current?.stop()
      await watching
    }
  }
}

const inMiB = (bytes: number): number => Math.floor(bytes / 2 ** 20)

interface ServerRecord extends ProcessIdentity {
  kind: MongodbKind
}

async function startOnFreePort (start: (port: number) => Promise<GuardedChild>, log: Logger): Promise<{ child: GuardedChild, port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { child: await start(port), port }
    } catch (error) {
      if (attempt === startAttempts) throw error
      log.warn({ err: error, attempt }, 'embedded MongoDB did not start; trying again')
      await sleep(500)
    }
  }
}

/** After kill -9 of the service, its server is still writing out and holds the storage. */
async function waitForPredecessor (previous: Partial<ServerRecord> | undefined, log: Logger): Promise<void> {
  const { pid, startToken } = previous ?? {}
  if (pid === undefined || startToken === undefined) return
  const deadline = performance.now() + predecessorTimeoutMs
  for (let waited = false; isRunning({ pid, startToken }); waited = true) {
    if (!waited) log.info({ serverPid: pid }, 'waiting for the embedded MongoDB of a previous run to end')
    if (performance.now() > deadline) {
      throw unavailable(`The embedded MongoDB of a previous run (process ${pid}) still runs after ${predecessorTimeoutMs / 1_000} s: end it, then start again`)
    }
    await sleep(100)
  }
}
