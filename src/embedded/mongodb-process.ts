/** One run of a MongoDB-speaking server, from its start until it takes writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { serverEnvironment, serverFlags, type MongodbProgram } from './find-mongodb.js'
import { startGuardedChild, type GuardedChild } from './guarded-child.js'
import { isListening } from './local-ports.js'
import { becomePrimary } from './replica-set.js'

export interface MongodbProcessOptions {
  program: MongodbProgram
  port: number
  dataPath: string
  emptyConfigPath: string
  logPath: string
  env: NodeJS.ProcessEnv
  log: Logger
  /** For tests. */
  timeouts?: Partial<typeof defaultTimeouts>
}

const defaultTimeouts = {
  /**
   * After a kill the server first reads the journal of everything since its last checkpoint, of up to a minute: 40 s for 670,000 products. One that is
   * ended meanwhile has to begin again, so that on a slow disk it would never start.
   */
  listenMs: 10 * 60_000,
  /** After this it is told that there is something to wait for. */
  tellMs: 5_000,
  answerMs: 30_000
}
/** A checkpoint of what is in the cache (1 GiB) can take this long on a slow disk. */
const stopGraceSeconds = 10

/**
 * Rejects with AppError `SERVICE_UNAVAILABLE` when the server ends, has not listened after 10 min, or does not answer 30 s later; it is
 * stopped then.
 */
export async function startMongodbProcess (options: MongodbProcessOptions, onSpawn: (child: GuardedChild) => Promise<void>): Promise<GuardedChild> {
  const { program, port, dataPath, logPath } = options
  const child = await startGuardedChild({
    command: program.command,
    args: [...program.args, ...serverFlags(program.kind, options)],
    env: serverEnvironment(program.kind, options.env),
    cwd: dataPath,
    logPath,
    graceSeconds: stopGraceSeconds
  })
  try {
    await onSpawn(child)
    await waitUntilReady(child, options)
    return child
  } catch (error) {
    const exit = child.hasExited() ? `ended with ${await child.exited}` : 'did not become ready'
    await child.stop()
    throw unavailable(`The embedded ${program.kind} ${exit} on port ${port}; the end of ${logPath}:\n${await child.lastLines()}`, error)
  }
}

async function waitUntilReady (child: GuardedChild, { program, port, log, timeouts }: MongodbProcessOptions): Promise<void> {
  const { listenMs, tellMs, answerMs } = { ...defaultTimeouts, ...timeouts }
  const started = performance.now()
  for (let told = false; !await isListening(port);) {
    if (child.hasExited()) throw new Error('The server ended before it listened')
    const waitedMs = performance.now() - started
    if (!told && waitedMs > tellMs) {
      told = true
      log.info({ server: program.kind, serverPid: child.pid }, 'embedded MongoDB does not listen yet: it may be recovering what it wrote before it was killed')
    }
    if (waitedMs > listenMs) throw new Error(`The server did not listen within ${listenMs} ms`)
    await sleep(25)
  }
  const client = new MongoClient(addressOf(port), { serverSelectionTimeoutMS: answerMs, socketTimeoutMS: answerMs })
  const admin = client.db('admin')
  const converse = async (): Promise<void> => {
    await admin.command({ ping: 1 })
    // Somebody else may have taken the port between our choosing and the server's binding it.
    const { pid } = await admin.command({ serverStatus: 1 })
    if (Number(pid) !== child.pid) throw new Error(`Port ${port} is answered by process ${String(pid)}, not by the server just started`)
    if (program.kind === 'mongod') {
      await becomePrimary(async (command) => await admin.command(command), `127.0.0.1:${port}`, answerMs)
    }
  }
  try {
    // The driver by itself would go on looking for a server that has ended.
    await Promise.race([converse(), child.exited.then(() => { throw new Error('The server ended while it was being asked') })])
  } finally {
    await client.close()
  }
}

/** Direct: there is one server, and it need not be looked for under the name that it gives itself. */
export const addressOf = (port: number): string => `mongodb://127.0.0.1:${port}/catalog?directConnection=true`
