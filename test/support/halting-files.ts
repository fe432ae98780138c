/**
 * Merchants' files on an SFTP server that stops answering in the middle of one: a job that reads it has begun and cannot be over,
 * however quick the engine is, until the test lets it go on.
 */
import type { Test } from 'tap'
import { startServer } from '../unit/sftp/harness.js'
import type { LocalFiles } from './service-process.js'
import { startTcpProxy } from './tcp-proxy.js'

export interface HaltingFiles extends LocalFiles {
  /** Nothing more comes once this many bytes have come from now on, some 64 KB sooner or later: a file must be longer than that by far. */
  haltAfter (bytes: number): void
  goOn (): void
}

/** Register it before the service that reads from it: it is closed after it then. */
export async function startHaltingFiles (t: Test): Promise<HaltingFiles> {
  const { port, rootDir, serviceKeyFile, server } = await startServer(t)
  const proxy = await startTcpProxy(t, { host: '127.0.0.1', port })
  return {
    env: {
      SFTP_URL: `sftp://catalog-service@127.0.0.1:${proxy.port}/{vendorId}`,
      SFTP_PRIVATE_KEY_FILE: serviceKeyFile,
      SFTP_HOST_KEY_FINGERPRINT: server.hostKeyFingerprint
    },
    root: rootDir,
    haltAfter: proxy.hangAfter,
    goOn: proxy.restore
  }
}
