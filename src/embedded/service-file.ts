/**
 * What each process on a DATA_DIR tells the others: a small file of its own (mode 0600), so that none overwrites another's.
 * The host's is `service.json`; readers that attach to it check its boot token against the lock, never trust the file alone.
 */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LockHolder } from './exclusive-lock.js'
import { readJson, writeJson } from './json-file.js'
import { isRunning } from './process-identity.js'

/** Such as `{ mongodb: 'mongodb://…', kafka: 'host:port', sftp: 'host:port' }`. */
export type Addresses = Readonly<Record<string, string>>

interface ServiceFile extends LockHolder {
  /** ISO 8601 */
  startedAt: string
  addresses: Addresses
}

export interface Announcements {
  /** Adds to what this process has announced, or replaces it. */
  add (addresses: Addresses): Promise<void>
  withdraw (): Promise<void>
}

const hostFile = 'service.json'

export function createAnnouncements (folder: string, self: LockHolder, role: 'host' | 'guest'): Announcements {
  const path = join(folder, role === 'host' ? hostFile : `service-${self.bootToken}.json`)
  const startedAt = new Date().toISOString()
  let announced: Addresses = {}
  return {
    add: async (addresses) => {
      announced = { ...announced, ...addresses }
      await writeJson(path, { ...self, startedAt, addresses: announced } satisfies ServiceFile)
    },
    withdraw: async () => { await rm(path, { force: true }) }
  }
}

/** What the holder of the lock hosts; undefined while it is starting or stopping. */
export async function readHostAddresses (folder: string, holder: LockHolder): Promise<Addresses | undefined> {
  const service = await readJson<ServiceFile>(join(folder, hostFile))
  return service?.bootToken === holder.bootToken ? service.addresses : undefined
}

/** What all living processes on the folder have announced. */
export async function readAllAddresses (folder: string): Promise<Addresses> {
  const files = await readServiceFiles(folder)
  return Object.assign({}, ...files.filter(({ alive }) => alive).map(({ addresses }) => addresses)) as Addresses
}

/** Removes what killed processes have left. For the holder of the lock only, so that no two do it at once. */
export async function removeLeftovers (folder: string): Promise<void> {
  for (const { name, alive } of await readServiceFiles(folder)) {
    // Whoever wrote the host's file does not hold the lock any more.
    if (!alive || name === hostFile) await rm(join(folder, name), { force: true })
  }
}

async function readServiceFiles (folder: string): Promise<Array<{ name: string, alive: boolean, addresses: Addresses }>> {
  const names = (await readdir(folder)).filter((name) => /^service(-[\w-]+)?\.json$/.test(name))
  return await Promise.all(names.map(async (name) => {
    const { pid, startToken, addresses = {} } = await readJson<ServiceFile>(join(folder, name)) ?? {}
    return { name, addresses, alive: pid !== undefined && startToken !== undefined && isRunning({ pid, startToken }) }
  }))
}
