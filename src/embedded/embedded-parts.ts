/**
 * The one entry point to what is embedded: hands out addresses, whoever runs the servers behind them.
 *
 * Per DATA_DIR one process, the host, runs the embedded parts; every other (the command line beside a running service,
 * ROLES=worker beside ROLES=api) attaches to them. The lock `run/lock.N` decides who hosts, `run/service.json` says where things are:
 *
 *   lock free or stale ──▶ host: start the parts ──▶ publish service.json ──close()──▶ delete it, stop the parts, release the lock
 *   lock held ──▶ wait for a service.json of that very holder (its boot token) ──▶ attached ──close()──▶ leave everything running
 *
 * service.json is there only while everything in it answers, or when its host was killed, and then the lock is stale.
 * A process that needs nothing embedded takes no lock; it can still announce addresses and read those of others.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { unavailable, type AppError } from '../errors.js'
import { makeDataFolder } from './data-folder.js'
import { startEmbeddedKafka } from './embedded-kafka.js'
import { startEmbeddedMongodb } from './embedded-mongodb.js'
import { newHolder, tryLock, type ExclusiveLock, type LockHolder } from './exclusive-lock.js'
import { isRunning } from './process-identity.js'
import { createAnnouncements, readAllAddresses, readHostAddresses, removeLeftovers, type Addresses, type Announcements } from './service-file.js'

export interface EmbeddedPartsOptions {
  config: Pick<Config, 'dataDir' | 'embeddedMongo'>
  log: Logger
  /** What this process needs embedded; false where it has a real server's address. */
  parts: { mongodb: boolean, kafka: boolean, topics: readonly string[] }
  /** Called once when this process is attached and the host has gone: the addresses lead nowhere from then on. */
  onHostLost?: (error: AppError) => void
  /** For tests. */
  timeouts?: Partial<typeof defaultTimeouts>
}

export interface EmbeddedParts {
  mongodbUrl?: string
  /** `host:port` */
  kafkaBrokers?: string
  /** Whether the servers are in this process's care; `none` when it needs none. */
  role: 'host' | 'attached' | 'none'
  /** Publishes addresses of this process (such as `{ sftp: '127.0.0.1:2222' }`) to the others on DATA_DIR, until close(). */
  announce (addresses: Addresses): Promise<void>
  /** Everything that living processes on DATA_DIR announce right now, with `mongodb` and `kafka` where they are embedded. */
  addresses (): Promise<Addresses>
  /** Stops what this process hosts and waits until it is gone; an attached process stops nothing. May be called twice. */
  close (): Promise<void>
}

const defaultTimeouts = {
  /** The host may be downloading SecantusDB over a slow line. */
  hostStartMs: 5 * 60_000,
  /** The command line hosts too, for as long as its command takes. */
  missingPartMs: 60_000,
  /** How often an attached process looks whether the host is still there. */
  hostCheckMs: 1_000
}
const pollMs = 100

/** Rejects with an AppError: fatal when there is no server to embed, `SERVICE_UNAVAILABLE` when one does not start or cannot be shared. */
export async function startEmbeddedParts (options: EmbeddedPartsOptions): Promise<EmbeddedParts> {
  const { config, log, parts } = options
  const folder = join(config.dataDir, 'run')
  await makeDataFolder(config.dataDir)
  await makeDataFolder(folder)
  if (!parts.mongodb && !parts.kafka) return guest(folder, { role: 'none' })

  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  let waitingFor = ''
  let waitingSince = 0
  for (;;) {
    const lock = await tryLock(folder, 'lock')
    if (lock.held) return await host(options, folder, lock)

    const { holder } = lock
    const addresses = await readHostAddresses(folder, holder)
    const missing = addresses && missingPart(parts, addresses)
    if (addresses !== undefined && missing === undefined) {
      log.debug({ hostPid: holder.pid, addresses }, 'attached to the embedded parts of another process')
      return attach(folder, { holder, addresses, hostCheckMs: timeouts.hostCheckMs, onHostLost: options.onHostLost })
    }
    const state = `${holder.bootToken} ${missing ?? 'starting or stopping'}`
    if (state !== waitingFor) {
      waitingFor = state
      waitingSince = performance.now()
      log.info({ hostPid: holder.pid, missing }, 'waiting for another process on the same DATA_DIR')
    } else if (performance.now() - waitingSince > (missing === undefined ? timeouts.hostStartMs : timeouts.missingPartMs)) {
      throw unavailable(`Process ${holder.pid} holds ${config.dataDir} ` +
        (missing === undefined ? 'and has not finished starting or stopping' : `without an embedded ${missing}, which is needed here`) +
        ': end it, or choose another DATA_DIR')
    }
    await sleep(pollMs)
  }
}

function missingPart (parts: EmbeddedPartsOptions['parts'], addresses: Addresses): 'MongoDB' | 'Kafka' | undefined {
  if (parts.mongodb && addresses['mongodb'] === undefined) return 'MongoDB'
  return parts.kafka && addresses['kafka'] === undefined ? 'Kafka' : undefined
}

async function host ({ config, log, parts }: EmbeddedPartsOptions, folder: string, lock: ExclusiveLock): Promise<EmbeddedParts> {
  const stops = [async () => { await lock.release() }]
  const stopAll = once(async () => {
    const failures: unknown[] = []
    // One part that does not stop is no reason to leave the others running.
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => { failures.push(error) })
    if (failures.length > 0) throw new AggregateError(failures, 'Not all embedded parts have stopped')
  })
  try {
    await removeLeftovers(folder)
    const addresses: { mongodb?: string, kafka?: string } = {}
    if (parts.kafka) {
      const kafka = await startEmbeddedKafka({ topics: parts.topics, log })
      stops.push(async () => { await kafka.close() })
      addresses.kafka = kafka.brokers
    }
    if (parts.mongodb) {
      const mongodb = await startEmbeddedMongodb({ dataDir: config.dataDir, wanted: config.embeddedMongo, log })
      stops.push(async () => { await mongodb.close() })
      addresses.mongodb = mongodb.url
    }
    const announcements = createAnnouncements(folder, lock.self, 'host')
    stops.push(async () => { await announcements.withdraw() })
    await announcements.add(addresses)
    return partsOf(folder, announcements, { role: 'host', ...named(addresses), close: stopAll })
  } catch (error) {
    await stopAll().catch((stopError: unknown) => { log.error({ err: stopError }, 'after a failed start') })
    throw error
  }
}

interface Attachment {
  holder: LockHolder
  addresses: Addresses
  hostCheckMs: number
  onHostLost: EmbeddedPartsOptions['onHostLost'] | undefined
}

function attach (folder: string, { holder, addresses, hostCheckMs, onHostLost }: Attachment): EmbeddedParts {
  const closing = new AbortController()
  const hostHasGone = async (): Promise<void> => {
    while (isRunning(holder) && await readHostAddresses(folder, holder) !== undefined) {
      await sleep(hostCheckMs, undefined, { signal: closing.signal, ref: false })
    }
  }
  const report = (cause?: unknown): void => {
    if (closing.signal.aborted) return
    onHostLost?.(unavailable(`Process ${holder.pid} no longer runs the embedded parts that this one uses`, cause))
  }
  hostHasGone().then(() => { report() }, report)
  return guest(folder, { role: 'attached', ...named(addresses) }, () => { closing.abort() })
}

function guest (folder: string, what: Pick<EmbeddedParts, 'role' | 'mongodbUrl' | 'kafkaBrokers'>, onClose?: () => void): EmbeddedParts {
  const announcements = createAnnouncements(folder, newHolder(), 'guest')
  return partsOf(folder, announcements, {
    ...what,
    close: async () => {
      onClose?.()
      await announcements.withdraw()
    }
  })
}

const partsOf = (folder: string, announcements: Announcements, rest: Omit<EmbeddedParts, 'announce' | 'addresses'>): EmbeddedParts => ({
  ...rest,
  announce: async (addresses) => { await announcements.add(addresses) },
  addresses: async () => await readAllAddresses(folder)
})

const named = ({ mongodb, kafka }: { mongodb?: string, kafka?: string }): Pick<EmbeddedParts, 'mongodbUrl' | 'kafkaBrokers'> => ({
  ...(mongodb === undefined ? {} : { mongodbUrl: mongodb }),
  ...(kafka === undefined ? {} : { kafkaBrokers: kafka })
})

function once (action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return async () => { await (result ??= action()) }
}
