/** What is wanted among much that is not: each command looks at a bounded number of documents. */
import type { CommandStartedEvent, Document } from 'mongodb'
import t from 'tap'
import { findAmong, type SoughtPage } from '../../../../src/store/database/find-among.js'
import { mongodb } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { siblingDatabase } from '../../../support/sibling-database.js'

const { url } = await testDatabase(t)
const { database: { db } } = await siblingDatabase(t, { url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true` }, { serverProfile: mongodb })
const lookedAt = 4

interface Item extends Document { owner: string, name: string, isWanted: boolean }
const items = db.collection<Item>('items')
await items.createIndex({ owner: 1, name: 1 })
const nameOf = (number: number): string => String(number).padStart(2, '0')
await items.insertMany(Array.from({ length: 23 }, (_, number) => ({ owner: 'a', name: nameOf(number), isWanted: [1, 2, 14, 22].includes(number) })))

async function find (page: SoughtPage): Promise<string[]> {
  const indexed = (range: Document | null) => ({ owner: 'a', ...(range === null ? {} : { name: range }) })
  return (await findAmong(items, { along: 'name', indexed, wanted: { isWanted: true } }, page, lookedAt)).map(({ name }) => name)
}

t.test('a page has what is wanted, in order, wherever it stands', async (t) => {
  t.strictSame(await find({ after: null, limit: 3 }), ['01', '02', '14'])
  t.strictSame(await find({ after: '02', limit: 3 }), ['14', '22'])
  t.strictSame(await find({ after: '22', limit: 3 }), [])
  t.strictSame(await find({ after: null, limit: 3, projection: { name: 1 } }), ['01', '02', '14'])
})

t.test('no command looks at more than so many', async (t) => {
  const looks: unknown[] = []
  const listen = ({ command }: CommandStartedEvent): void => {
    const { aggregate, pipeline, find, skip } = command as { aggregate?: string, pipeline?: Document[], find?: string, skip?: number }
    if (aggregate !== undefined) looks.push(pipeline?.findIndex((stage) => stage['$limit'] === lookedAt))
    if (find !== undefined) looks.push(skip)
  }
  db.client.on('commandStarted', listen)
  await find({ after: null, limit: 3 })
  db.client.off('commandStarted', listen)
  t.strictSame(looks, [2, 3, 2, 3, 2, 3, 2], 'before what is wanted is sorted out')
})
