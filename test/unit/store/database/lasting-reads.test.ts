/** What a line is settled by without a write is read from what a majority has, whichever way it is settled. */
import type { CommandStartedEvent } from 'mongodb'
import t from 'tap'
import { testDatabase } from '../../../support/database.js'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'
import { line } from '../../../support/product-lines.js'
import { testCatalog, type ImportOptions } from '../test-catalog.js'

const { url } = await testDatabase(t)
const parts = await siblingDatabase(t, monitored({ url }))

/** Of each read of products that the import makes: the fields that it asks for, and its read concern. */
async function readsOf (sent: unknown[], before: unknown[], options: ImportOptions = {}): Promise<string[]> {
  const catalog = testCatalog(parts)
  await catalog.import(before, { mode: options.mode ?? 'UPDATE' })
  const reads: string[] = []
  const listen = ({ commandName, command }: CommandStartedEvent): void => {
    if (commandName !== 'find' || command['find'] !== 'products') return
    const { projection = {}, readConcern } = command as { projection?: object, readConcern?: { level: string } }
    reads.push(`${Object.keys(projection).join() || 'all'}: ${readConcern?.level ?? 'local'}`)
  }
  parts.database.db.client.on('commandStarted', listen)
  try {
    await catalog.import(sent, options)
  } finally {
    parts.database.db.client.off('commandStarted', listen)
  }
  return reads
}

t.test('lines that are known, of an UPDATE', async (t) => {
  t.strictSame(await readsOf([line('P')], [line('P')]), ['patchHash: majority'])
})

t.test('the products that are live when a REPLACE begins, with their lines', async (t) => {
  t.strictSame(await readsOf([line('P')], [line('P')], { mode: 'REPLACE' }), ['patchHash: majority'])
})

t.test('products that are merged: of a line that says what there is already nothing is written', async (t) => {
  t.strictSame(await readsOf([{ externalId: 'P', tags: [] }], [line('P')], { attempt: 2 }), ['all: majority'])
})

t.test('the head of a large one, and the product', async (t) => {
  const reads = await readsOf([{ externalId: 'P', tags: [] }], [line('P', { description: 'long '.repeat(4_000) })], { attempt: 2 })
  t.strictSame(reads, ['all: majority', 'patchHash,createdBy,writtenBy,size: majority', 'all: majority'])
})
