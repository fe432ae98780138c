/** A database with its indexes for a benchmark that needs nothing else: the one of `MONGODB_URL`, or an embedded one (`EMBEDDED_MONGO`) in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { loadConfig } from '../src/config.js'
import { startEmbeddedParts } from '../src/embedded/embedded-parts.js'
import { openDatabase, type Database } from '../src/store/database/connection.js'
import { ensureIndexes } from '../src/store/database/indexes.js'

/** Gone again when `run` has ended, in whichever way. */
export async function withBenchDatabase (run: (database: Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  const given = process.env['MONGODB_URL']
  const parts = given === undefined
    ? await startEmbeddedParts({
      config: loadConfig({ DATA_DIR: folder, EMBEDDED_MONGO: process.env['EMBEDDED_MONGO'] ?? 'auto' }),
      log: pino({ level: 'warn' }, pino.destination(2)),
      parts: { mongodb: true, kafka: false, topics: [] }
    })
    : null
  const database = openDatabase(given ?? parts?.mongodbUrl ?? '', { appName: 'catalog-bench' })
  try {
    await ensureIndexes(database.collections)
    await run(database)
  } finally {
    await database.close()
    await parts?.close()
    await rm(folder, { recursive: true, force: true })
  }
}
