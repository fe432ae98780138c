/** What a database lacks of what this version of the service expects; migrate.ts closes the gap. Only reads. */
import { MongoServerError } from 'mongodb'
import { AppError } from '../errors.js'
import type { Database } from './database/connection.js'
import { declaredIndexes, type DeclaredIndex } from './database/declared-indexes.js'
import { migrations, type Migration } from './migrations.js'

export interface SchemaGap {
  /** Of the database; 0 where nothing has been prepared yet. */
  version: number
  /** Not taken yet. */
  steps: readonly Migration[]
  missing: readonly DeclaredIndex[]
}

const namespaceNotFound = 26

/**
 * Rejects with the driver's error. A database of a later version is no gap: that version may have dropped an index of this one's, and during an
 * upgrade processes of this one still start.
 */
export async function findSchemaGap ({ collections }: Pick<Database, 'collections'>, steps: readonly Migration[] = migrations): Promise<SchemaGap> {
  const { version = 0 } = await collections.schemaVersions.findOne({ _id: 'catalog' }) ?? {}
  if (version > steps.length) return { version, steps: [], missing: [] }
  const declared = await declaredIndexes()
  const names = [...new Set(declared.map(({ collection }) => collection))]
  const there = new Map(await Promise.all(names.map(async (name) => [name, await indexNames(collections[name])] as const)))
  return {
    version,
    steps: steps.filter((step) => step.version > version),
    missing: declared.filter(({ collection, index }) => there.get(collection)?.has(index.name) !== true)
  }
}

export const isBehind = ({ steps, missing }: SchemaGap): boolean => steps.length > 0 || missing.length > 0

/** Throws a fatal AppError, of one line, when the database is behind. */
export async function expectMigrated (database: Database): Promise<void> {
  const gap = await findSchemaGap(database)
  if (isBehind(gap)) throw new AppError('fatal', 'SERVICE_UNAVAILABLE', `${wordSchemaGap(database, gap)}: run "catalog migrate", or set MIGRATE=auto`)
}

export function wordSchemaGap ({ db }: Pick<Database, 'db'>, { version, steps, missing }: SchemaGap): string {
  const [first] = missing
  return [
    `The database ${db.databaseName} is behind this version of the service: it is at version ${version}${steps.length === 0 ? '' : ` of ${version + steps.length}`}`,
    ...first === undefined ? [] : [`${missing.length === 1 ? 'an index is missing' : `${missing.length} indexes are missing`}, such as ${wordIndex(first)}`]
  ].join(', and ')
}

export const wordIndex = ({ collection, index }: DeclaredIndex): string => `${collection}.${index.name}`

async function indexNames (collection: Database['collections'][DeclaredIndex['collection']]): Promise<Set<string | undefined>> {
  try {
    return new Set((await collection.indexes()).map(({ name }) => name))
  } catch (error) {
    // A collection is made with its first document or index.
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return new Set()
    throw error
  }
}
