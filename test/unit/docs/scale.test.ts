/** docs/scale.md says how each collection is sharded; the indexes that the service makes permit it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from 'mongodb'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import { shardKeys } from '../../../src/store/database/shard-keys.js'
import { testDatabase } from '../../support/database.js'

interface Row { collection: string, shardKey: string | null, unique: string[] }

const text = await readFile(join(packageRoot(), 'docs/scale.md'), 'utf8')
const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)

/** The cells of the table that has a column of this name. */
function table (column: string): string[][] {
  const lines = text.split('\n')
  const rows = lines.slice(lines.findIndex((line) => line.includes(`| ${column} |`)) + 2)
  return rows.slice(0, rows.findIndex((line) => !line.startsWith('|'))).map((line) => line.split('|').slice(1, -1))
}

const rows = (): Row[] => table('shard key').flatMap(([names, , , key, unique]) =>
  quoted(names).map((collection) => ({ collection, shardKey: quoted(key)[0] ?? null, unique: quoted(unique) })))

/** GridFS makes it with the first file. */
const chunks = { name: 'size_chart_pdfs.chunks', unique: ['files_id, n'] }

interface Index { name: string, key: object, unique?: true }

async function indexesOf (collection: Pick<Collection, 'listIndexes'>): Promise<Index[]> {
  return await collection.listIndexes().toArray().catch((error: unknown) => {
    // Made with its first document.
    if ((error as { code?: unknown }).code === 26) return []
    throw error
  }) as Index[]
}

const uniqueAmong = (indexes: Index[]): string[] =>
  indexes.filter(({ unique }) => unique === true).map(({ key }) => Object.keys(key).join(', ')).filter((fields) => fields !== '_id')

const { database } = await testDatabase(t)
const indexNames = new Set(['_id'])
const stored = new Map([[chunks.name, chunks.unique]])
for (const collection of Object.values(database.collections) as Array<Pick<Collection, 'listIndexes' | 'collectionName'>>) {
  const indexes = await indexesOf(collection)
  stored.set(collection.collectionName, uniqueAmong(indexes))
  for (const { name } of indexes) indexNames.add(name)
}

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

t.test('the shard keys of the table are those of catalog shard-commands', async (t) => {
  const argued = rows().flatMap(({ collection, shardKey }) => shardKey === null ? [] : [`${collection} { ${shardKey} }`])
  const printed = [...shardKeys].map(([collection, key]) => `${collection} ${JSON.stringify(key).replaceAll('"', '').replaceAll(':', ': ').replace('{', '{ ').replace('}', ' }')}`)
  t.strictSame(printed.sort(), argued.sort())
})

t.test('the indexes that queries are said to go by are there', async (t) => {
  const named = table('index').flatMap((cells) => quoted(cells[2]))
  t.ok(named.length > 30)
  for (const name of named) t.ok(indexNames.has(name), name)
})
