/**
 * Brings a database to what this version of the service expects, at every start with MIGRATE=auto and by `catalog migrate`:
 *
 *   version in `schema_versions` ──▶ each later step, in order, its number written when it is done ──▶ missing indexes
 *
 * Processes that start at once do not wait for each other. Steps are idempotent (migrations.ts), and each process takes all
 * those that it has found undone, so whoever is last leaves what the others have left. A crash in between is made good by
 * the next start; a step over all products goes on from where it was. A database of a later version is left at that: during an upgrade both are at work.
 */
import type { Logger } from 'pino'
import type { Database } from './database/connection.js'
import { isDuplicateKey } from './database/database-errors.js'
import { ensureIndexes } from './database/indexes.js'
import { migrations, type Migration } from './migrations.js'
import { expectMigrated } from './schema-gap.js'

/**
 * What a start does about a database that is behind (MIGRATE). One that no vendor is in is new and not behind: it is made ready in either mode, also while another
 * process does the same. Rejects with a fatal AppError, or the driver's.
 */
export async function prepareDatabase (database: Database, mode: 'auto' | 'check', log: Logger): Promise<void> {
  if (mode === 'auto' || await isNew(database)) await migrate(database, log)
  else await expectMigrated(database)
}

const isNew = async ({ collections: { vendors } }: Database): Promise<boolean> => await vendors.findOne({}, { projection: { _id: 1 } }) === null

/** Safe to repeat. Rejects with the driver's error. */
export async function migrate ({ collections }: Pick<Database, 'collections'>, log: Logger, steps: readonly Migration[] = migrations): Promise<void> {
  const { schemaVersions } = collections
  const { version: found = 0, begun } = await schemaVersions.findOne({ _id: 'catalog' }) ?? {}
  for (const { version, name, run } of steps) {
    if (version <= found) continue
    // Said before, too: with many products a step may take minutes.
    log.info({ version, change: name }, 'database is being migrated')
    await run(collections, {
      from: begun?.version === version ? begun.reached : null,
      // Of a database as it was before there were any steps there is no document yet.
      reached: async (reached) => { await schemaVersions.updateOne({ _id: 'catalog' }, { $set: { begun: { version, reached } } }) }
    })
    await record(version)
    log.info({ version, change: name }, 'database migrated')
  }
  await ensureIndexes(collections)

  async function record (version: number): Promise<void> {
    try {
      await schemaVersions.updateOne({ _id: 'catalog' }, { $max: { version }, $unset: { begun: true } }, { upsert: true })
    } catch (error) {
      // Another process has made the document in the same moment; now it is there.
      if (!isDuplicateKey(error)) throw error
      await schemaVersions.updateOne({ _id: 'catalog' }, { $max: { version } })
    }
  }
}
