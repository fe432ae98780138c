/** The inside of the built-in SFTP server's thread (see sftp/threaded-server), with a database connection of its own for vendors' keys. */
import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { lowerOwnPriority } from '../threads/thread-priority.js'
import { createSftpServer, type SftpServerOptions } from '../sftp/server.js'
import type { FromSftpThread } from '../sftp/threaded-server.js'
import { openDatabase } from '../store/database/connection.js'
import { createSftpKeys } from '../store/access/sftp-keys.js'

export interface SftpThreadData {
  mongodbUrl: string
  logLevel: string
  server: Omit<SftpServerOptions, 'findVendorKey' | 'findKeyOwners' | 'log'>
}

const owner = parentPort
if (owner === null) throw new Error('sftp-thread is run by sftp/threaded-server only')
const { mongodbUrl, logLevel, server: options } = workerData as SftpThreadData

/** A request is waited for, an upload takes its time anyway. Still before imports (jobs/import-thread). */
lowerOwnPriority(5)

const log = pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, { appName: 'catalog-sftp' })
const keys = createSftpKeys(database.collections)
// What keeps it from starting is thrown, and told by the thread's owner.
const { address, hostKeyFingerprint, otherHostKeyFingerprints, close } = await createSftpServer({ ...options, findVendorKey: keys.isRegistered, findKeyOwners: keys.ownersOf, log })

// To close, it would say.
owner.once('messageerror', (error: Error) => { throw error })
owner.once('message', () => {
  void close().then(database.close).finally(() => { owner.close() })
})
owner.postMessage({ address, hostKeyFingerprint, otherHostKeyFingerprints } satisfies FromSftpThread)
