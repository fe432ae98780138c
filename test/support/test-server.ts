/** An embedded database server in a temporary folder, started exactly as `npm start` does it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { loadConfig } from '../../src/config.js'
import { startEmbeddedParts } from '../../src/embedded/embedded-parts.js'

export interface TestServer {
  url: string
  stop (): Promise<void>
}

export async function startTestServer (): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const parts = await startEmbeddedParts({
    config: loadConfig({ DATA_DIR: dataDir, ...(process.env['EMBEDDED_MONGO'] === undefined ? {} : { EMBEDDED_MONGO: process.env['EMBEDDED_MONGO'] }) }),
    log: pino({ level: 'silent' }),
    parts: { mongodb: true, kafka: false, topics: [] }
  })
  if (parts.mongodbUrl === undefined) throw new Error('the embedded database has no address')
  return {
    url: parts.mongodbUrl,
    async stop () {
      await parts.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  }
}
