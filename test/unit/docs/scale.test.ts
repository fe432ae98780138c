/** docs/scale.md says how each collection is sharded; the indexes that the service makes permit it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from 'mongodb'
import t from 'tap'
import { packageRoot } from '../../../src/api/graphql/schema-text.js'
import { testDatabase } from '../../support/database.js'

interface Row { collection: string, shardKey: string | null, unique: string[] }

const text = await readFile(join(packageRoot(), 'docs/scale.md'), 'utf8')
const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)

/** The rows of the table that has a column "shard key". */
function rows (): Row[] {
  const found: Row[] = []
  const lines = text.split('\n')
  for (const line of lines.slice(lines.findIndex((line) => line.includes('| shard key |')) + 2)) {
    if (!line.startsWith('|')) break
    const [names, , , key, unique] = line.split('|').slice(1, -1)
    for (const collection of quoted(names)) found.push({ collection, shardKey: quoted(key)[0] ?? null, unique: quoted(unique) })
  }
  return found
}

/** GridFS makes it with the first file. */
const chunks = { name: 'size_chart_pdfs.chunks', unique: ['files_id, n'] }

async function uniqueIn (collection: Pick<Collection, 'listIndexes'>): Promise<string[]> {
  const indexes = await collection.listIndexes().toArray().catch((error: unknown) => {
    // Made with its first document.
    if ((error as { code?: unknown }).code === 26) return []
    throw error
  })
  return indexes.filter(({ unique }) => unique === true).map(({ key }) => Object.keys(key as object).join(', ')).filter((fields) => fields !== '_id')
}

const { database } = await testDatabase(t)
const stored = new Map([[chunks.name, chunks.unique]])
for (const collection of Object.values(database.collections) as Array<Pick<Collection, 'listIndexes' | 'collectionName'>>) stored.set(collection.collectionName, await uniqueIn(collection))

t.test('the table has each collection once', async (t) => {
  t.strictSame(rows().map(({ collection }) => collection).sort(), [...stored.keys()].sort())
})

for (const { collection, shardKey, unique } of rows()) {
  t.test(`${collection} has the unique indexes that the table says, and they permit its shard key`, async (t) => {
    t.strictSame(stored.get(collection), unique)
    const field = shardKey?.split(':')[0]
    // A hashed key permits no unique index but that of what it is made from.
    const isPermitted = (fields: string): boolean => field === undefined || (shardKey?.endsWith('hashed') === false && fields.split(', ')[0] === field)
    t.ok(unique.every(isPermitted))
  })
}
