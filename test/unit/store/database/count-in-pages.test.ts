/** However many there are, each command looks at a page of them, where the server stops there. */
import type { CommandStartedEvent, Document } from 'mongodb'
import t from 'tap'
import { countInPages } from '../../../../src/store/database/count-in-pages.js'
import type { CountedRange } from '../../../../src/store/database/counted.js'
import { createDatabaseServer, setServerOf } from '../../../../src/store/database/server-of.js'
import { mongodb } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'

const { url } = await testDatabase(t)
const { database: { db } } = await siblingDatabase(t, monitored({ url }))
const pageSize = 4

interface Item extends Document { owner: string, at: number, isWanted: boolean }
const items = db.collection<Item>('items')
setServerOf(items, createDatabaseServer(db.client, () => { throw new Error('none is asked for') }, { profile: mongodb }))
await items.createIndex({ owner: 1, at: 1 })
await items.insertMany([
  ...Array.from({ length: 23 }, (_, at) => ({ owner: 'many', at, isWanted: at % 3 === 0 })),
  ...Array.from({ length: 4 }, (_, at) => ({ owner: 'page', at, isWanted: true }))
])

const indexed = (owner: string) => (range: CountedRange) => ({ owner, ...(range === null ? {} : { at: range }) })

/** Counts, and gives the commands that it took. */
async function counting (owner: string, count?: (range: CountedRange) => Promise<number>): Promise<{ counted: number, commands: Document[] }> {
  const commands: Document[] = []
  const listen = ({ command }: CommandStartedEvent): void => { commands.push(command) }
  db.client.on('commandStarted', listen)
  try {
    return { counted: await countInPages(items, { along: 'at', indexed: indexed(owner), ...(count === undefined ? {} : { count }) }, pageSize), commands }
  } finally {
    db.client.off('commandStarted', listen)
  }
}

t.test('what fits a page is counted whole', async (t) => {
  t.equal((await counting('page')).counted, 4)
  t.equal((await counting('nobody')).counted, 0)
})

t.test('more is counted page by page, and no command is without an end', async (t) => {
  const { counted, commands } = await counting('many')
  t.equal(counted, 23)
  const ranges = commands.filter(({ aggregate, pipeline }) => aggregate !== undefined && !JSON.stringify(pipeline).includes('$limit'))
    .map(({ pipeline }) => JSON.stringify((pipeline as Document[])[0]?.['$match'].at))
  t.strictSame(ranges, ['{"$lt":4}', '{"$gte":4,"$lt":8}', '{"$gte":8,"$lt":12}', '{"$gte":12,"$lt":16}', '{"$gte":16,"$lt":20}', '{"$gte":20}'])
})

t.test('of each page those are counted that are wanted', async (t) => {
  const wanted = async (range: CountedRange): Promise<number> => await items.countDocuments({ ...indexed('many')(range), isWanted: true })
  t.equal((await counting('many', wanted)).counted, 8)
})

t.test('of those within bounds each page is within them', async (t) => {
  t.equal(await countInPages(items, { along: 'at', within: { $gte: 2, $lt: 19 }, indexed: indexed('many') }, pageSize), 17)
  t.equal(await countInPages(items, { along: 'at', within: { $gte: 2, $lt: 4 }, indexed: indexed('many') }, pageSize), 2)
})
