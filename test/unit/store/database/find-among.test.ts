/** What is wanted among much that is not: each command looks at a bounded number of documents. */
import type { Collection, CommandStartedEvent, Db, Document } from 'mongodb'
import t from 'tap'
import { countAmong, findAmong, type SoughtPage } from '../../../../src/store/database/find-among.js'
import { mongodb, secantusdb, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { monitored, siblingDatabase } from '../../../support/sibling-database.js'

const { url } = await testDatabase(t)
const lookedAt = 4

interface Item extends Document { owner: string, name: string, isWanted: boolean }
const nameOf = (number: number): string => String(number).padStart(2, '0')
const indexed = (range: Document | null): Document => ({ owner: 'a', ...(range === null ? {} : { name: range }) })
const sought = { along: 'name', indexed, wanted: { isWanted: true } } as const

async function withItems (serverProfile: ServerProfile): Promise<{ items: Collection<Item>, client: Db['client'] }> {
  const { database: { db } } = await siblingDatabase(t, monitored({ url }), { serverProfile })
  const items = db.collection<Item>('items')
  await items.createIndex({ owner: 1, name: 1 })
  await items.insertMany(Array.from({ length: 23 }, (_, number) => ({ owner: 'a', name: nameOf(number), isWanted: [1, 2, 14, 22].includes(number) })))
  return { items, client: db.client }
}

const kinds = { 'a server that stops at a limit': await withItems(mongodb), 'one that does not': await withItems(secantusdb) }

const find = async (items: Collection<Item>, page: SoughtPage): Promise<string[]> =>
  (await findAmong(items, sought, page, { atOnce: lookedAt })).found.map(({ name }) => name)

for (const [kind, { items }] of Object.entries(kinds)) {
  t.test(`a page has what is wanted, in order, wherever it stands: ${kind}`, async (t) => {
    t.strictSame(await find(items, { after: null, limit: 3 }), ['01', '02', '14'])
    t.strictSame(await find(items, { after: '02', limit: 3 }), ['14', '22'])
    t.strictSame(await find(items, { after: '22', limit: 3 }), [])
    t.strictSame((await find(items, { after: null, limit: 3, projection: { name: 1 } })), ['01', '02', '14'])
  })

  t.test(`who looks at so many in all is told how far that was, and goes on from there: ${kind}`, async (t) => {
    const look = async (after: string | null, limit: number, inAll: number): Promise<[string[], string | null]> => {
      const { found, reached } = await findAmong(items, sought, { after, limit }, { atOnce: lookedAt, inAll })
      return [found.map(({ name }) => name), reached]
    }
    // Twice: what was learned from the first pages does not make others of them.
    for (let round = 0; round < 2; round++) {
      t.strictSame(await look(null, 3, 8), [['01', '02'], '07'])
      t.strictSame(await look('07', 3, 4), [[], '11'], 'nothing among them')
      t.strictSame(await look(null, 2, 8), [['01', '02'], '02'], 'a page that is full')
      t.strictSame(await look('11', 3, 100), [['14', '22'], null], 'to the end')
      t.strictSame([await countAmong(items, sought, { atOnce: lookedAt }), await countAmong(items, sought, { atOnce: lookedAt, inAll: 16 })], [4, 3])
    }
  })
}

t.test('no command looks at more than so many', async (t) => {
  const { items, client } = kinds['a server that stops at a limit']
  const looks: unknown[] = []
  const listen = ({ command }: CommandStartedEvent): void => {
    const { aggregate, pipeline, find, skip } = command as { aggregate?: string, pipeline?: Document[], find?: string, skip?: number }
    if (aggregate !== undefined) looks.push(pipeline?.findIndex((stage) => stage['$limit'] === lookedAt))
    if (find !== undefined) looks.push(skip)
  }
  client.on('commandStarted', listen)
  await find(items, { after: null, limit: 3 })
  client.off('commandStarted', listen)
  t.strictSame(looks, [2, 3, 2, 3, 2, 3, 2], 'before what is wanted is sorted out')
})

t.test('a server that does not stop at a limit looks at little more than a page where most are wanted', async (t) => {
  const { database: { db } } = await siblingDatabase(t, monitored({ url }), { serverProfile: secantusdb })
  const items = db.collection<Item>('items')
  await items.createIndex({ owner: 1, name: 1 })
  await items.insertMany(Array.from({ length: 90 }, (_, number) => ({ owner: 'a', name: nameOf(number), isWanted: number < 30 && number % 4 !== 0 })))
  const ranges: number[] = []
  async function look (after: string | null): Promise<void> {
    const asked: Document[] = []
    const listen = ({ command }: CommandStartedEvent): void => {
      const { pipeline } = command as { pipeline?: Document[] }
      if (pipeline !== undefined) asked.push(pipeline[0]?.['$match'] as Document)
    }
    db.client.on('commandStarted', listen)
    await findAmong(items, sought, { after, limit: 3 }, { atOnce: 50, inAll: 90 })
    db.client.off('commandStarted', listen)
    ranges.length = 0
    for (const filter of asked) ranges.push(await items.countDocuments(filter))
  }
  await look(null)
  t.strictSame(ranges, [6], 'twice as many as are wanted')
  await look('29')
  t.strictSame(ranges, [6, 24, 30], 'four times as many each time that too few are, until the end')
})
