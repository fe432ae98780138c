/** An embedded MongoDB server for tests, started exactly as `npm start` does it, of the kind that `EMBEDDED_MONGO` names. */
import type { Logger } from 'pino'
import { loadConfig } from '../../src/config.js'
import { startEmbeddedParts, type EmbeddedParts } from '../../src/embedded/embedded-parts.js'

export async function startTestServer (dataDir: string, log: Logger): Promise<EmbeddedParts> {
  const { EMBEDDED_MONGO = '' } = process.env
  return await startEmbeddedParts({ config: loadConfig({ DATA_DIR: dataDir, EMBEDDED_MONGO }), log, parts: { mongodb: true, kafka: false, topics: [] } })
}
