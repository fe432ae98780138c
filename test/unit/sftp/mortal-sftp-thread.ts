/** A thread with an SFTP server for one vendor, which ends by whatever its owner tells it to. */
import { parentPort, workerData } from 'node:worker_threads'
import { createSftpServer, type SftpServerOptions } from '../../../src/sftp/server.js'
import { silent } from '../../support/log.js'

export interface MortalThreadData {
  vendorId: string
  fingerprint: string
  server: Omit<SftpServerOptions, 'findVendorKey' | 'findKeyOwners' | 'log'>
}

export type Death = 'heap' | 'throw'

const { vendorId, fingerprint, server: options } = workerData as MortalThreadData
const server = await createSftpServer({
  ...options,
  findVendorKey: async (username, shown) => username === vendorId && shown === fingerprint,
  findKeyOwners: async () => new Map([[fingerprint, vendorId]]),
  log: silent
})

const deaths: Record<Death | 'close', () => void> = {
  heap: () => { for (const held: unknown[] = []; ;) held.push(Array.from({ length: 1_000 }, () => ({}))) },
  throw: () => { throw new Error('a fault of the thread') },
  close: () => { void server.close().then(() => { parentPort?.close() }) }
}
parentPort?.on('message', (death: keyof typeof deaths) => { deaths[death]() })
parentPort?.postMessage({ address: server.address, hostKeyFingerprint: server.hostKeyFingerprint, otherHostKeyFingerprints: server.otherHostKeyFingerprints })
