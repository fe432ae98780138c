/**
 * A worker that can be killed, cut off and held up without a process of its own: everything it does goes through two proxies, to
 * the database and to the file server. With both cut for good it is as dead as after kill -9: what was under way may or may
 * not have arrived, and nothing follows. With the database held up it is a worker that others take for dead, and that goes on afterwards.
 */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { createImportWorker } from '../../../src/jobs/import-worker.js'
import { createRunImport } from '../../../src/jobs/run-import.js'
import { createSftpFiles } from '../../../src/sources/sftp-files.js'
import { createRepositories } from '../../../src/store/repositories.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { silent } from '../../support/log.js'
import { openDatabaseWith, type TransactionKind } from '../../support/transactions.js'

export interface DisturbedWorker {
  database: TcpProxy
  files: TcpProxy
  /** A hint for the vendor. */
  wake (vendorId: string): void
  /** SIGTERM: resolves when its jobs are handed back. */
  stop (): Promise<void>
  /** kill -9. */
  kill (): void
}

export interface DisturbedWorkerOptions {
  mongodbUrl: string
  sftpUrl: string
  sftpPrivateKeyFile: string
  sftpHostKeyFingerprint: string
  beatMs: number
  leaseMs: number
  transactions: TransactionKind
}

export async function startDisturbedWorker (t: Test, options: DisturbedWorkerOptions): Promise<DisturbedWorker> {
  const databaseProxy = await startTcpProxy(t, addressOf(options.mongodbUrl))
  const filesProxy = await startTcpProxy(t, addressOf(options.sftpUrl))
  const database = openDatabaseWith(options.transactions, throughProxy(options.mongodbUrl, databaseProxy), 'catalog-fault-test')
  const files = createSftpFiles({
    url: throughProxy(options.sftpUrl, filesProxy),
    privateKeyFile: options.sftpPrivateKeyFile,
    hostKeys: { fingerprints: [options.sftpHostKeyFingerprint] },
    log: silent,
    reconnect: { firstDelayMs: 5, maxDelayMs: 50 }
  })
  const worker = createImportWorker({
    workerId: randomBytes(6).toString('hex'),
    repositories: createRepositories(database),
    run: createRunImport({ collections: database.collections, files, log: silent }),
    log: silent,
    beatMs: options.beatMs,
    leaseMs: options.leaseMs
  })
  const end = async (): Promise<void> => {
    // What becomes of a worker that has lost its database is nobody's business any more.
    await Promise.allSettled([worker.stop(), files.close()])
    await database.close()
  }
  let ended: Promise<void> | undefined
  t.teardown(async () => { await (ended ??= end()) })
  return {
    database: databaseProxy,
    files: filesProxy,
    wake: (vendorId) => { worker.wake(vendorId).catch(() => { /* it has been stopped or killed; recovery wakes another */ }) },
    stop: async () => { await (ended ??= end()) },
    kill () {
      databaseProxy.cut()
      filesProxy.cut()
      ended ??= Promise.allSettled([database.close(), end()]).then(() => {})
    }
  }
}

const addressOf = (url: string): { host: string, port: number } => {
  const { hostname, port } = new URL(url.replace(/^\w+:/, 'http:'))
  return { host: hostname, port: Number(port) }
}

const throughProxy = (url: string, { port }: TcpProxy): string => url.replace(/:\d+(?=[/?])/, `:${port}`)
