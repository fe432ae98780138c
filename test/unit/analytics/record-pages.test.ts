/** A vendor's records are gone through in pages: each stands in one, none holds more than it may, and no look goes on for ever. */
import t from 'tap'
import type { Document } from 'mongodb'
import type { OrderDocument } from '../../../src/domain/analytics/documents.js'
import type { Period } from '../../../src/domain/analytics/period.js'
import { createRecordPages } from '../../../src/store/analytics/record-pages.js'
import { asReader } from '../../../src/store/reads/reader.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { seededRandom } from '../domain/seeded-random.js'

const { database: { collections: { orders } } } = await testDatabase(t)
const dayMs = 86_400_000
const lifetime: Period = { start: null, end: null }

let vendors = 0
/** A vendor with a record at each of these instants. */
async function vendorWith (instants: number[]): Promise<string> {
  const vendorId = `vendor${vendors++}`
  const documents = instants.map((instant, index) => ({ _id: `${vendorId}-${(index * 7919) % 10_007}-${index}`, vendorId, created: new Date(instant) }))
  if (documents.length > 0) await orders.insertMany(documents as unknown as OrderDocument[])
  return vendorId
}

/** The instants of each page's records. */
async function pagesOf (vendorId: string, period: Period, pageSize: number): Promise<number[][]> {
  const pages: number[][] = []
  for await (const match of createRecordPages(orders, { vendorId }, period, { pageSize }).walk()) {
    pages.push((await orders.find(match).toArray()).map(({ created }) => created.getTime()))
  }
  return pages
}

/** The collection, which tells of each look at it. */
function countingLooks (look: () => void): typeof orders {
  const counting = withMethod(orders, 'find', ((...args: Parameters<typeof orders.find>) => {
    look()
    return orders.find(...args)
  }) as typeof orders.find)
  return withMethod(counting, 'countDocuments', async (...args: Parameters<typeof orders.countDocuments>) => {
    look()
    return await orders.countDocuments(...args)
  })
}

const inOrder = (instants: number[]): number[] => [...instants].sort((a, b) => a - b)

t.test('whatever the times of records, each of the period stands in one page, and none holds more than it may', async (t) => {
  const random = seededRandom(5)
  for (let round = 0; round < 12; round++) {
    const spreadMs = random.pick([3, 50, dayMs, 500 * dayMs, 20_000 * dayMs])
    const instants = Array.from({ length: random.below(40) }, () => Date.UTC(2025, 3) + random.below(20) * Math.ceil(spreadMs / 20))
    const vendorId = await vendorWith(instants)
    const end = (): Date | null => random.chance(0.4) ? null : new Date(Date.UTC(2025, 3) + Math.floor((random.below(14) - 2) / 10 * spreadMs))
    const period = { start: end(), end: end() }
    const pageSize = 1 + random.below(6)
    const expected = instants.filter((instant) => (period.start === null || instant >= period.start.getTime()) && (period.end === null || instant < period.end.getTime()))
    const pages = await pagesOf(vendorId, period, pageSize)
    t.strictSame(inOrder(pages.flat()), inOrder(expected), `round ${round}`)
    t.ok(pages.every((page) => page.length <= pageSize), `round ${round}: ${pages.map(({ length }) => length).join()}`)
  }
})

t.test('more records of one instant than a page holds are in pages by id, wherever the instant lies', async (t) => {
  const at = Date.UTC(2025, 3)
  const many = Array<number>(11).fill(at)
  for (const others of [[], [at - 1], [at + 1], [at - dayMs, at - 1, at + 1, at + dayMs]]) {
    const vendorId = await vendorWith([...many, ...others])
    const pages = await pagesOf(vendorId, lifetime, 3)
    t.equal(pages.flat().length, many.length + others.length)
    t.ok(pages.every(({ length }) => length <= 3))
    t.equal((await pagesOf(vendorId, { start: new Date(at), end: new Date(at + 1) }, 3)).flat().length, many.length)
  }
})

t.test('records of any year are found in few looks', async (t) => {
  const vendorId = await vendorWith([Date.UTC(2025, 0), -62_135_596_800_000, Date.UTC(9999, 11, 31), 0, 1])
  let looks = 0
  const counting = countingLooks(() => { looks++ })
  const matches: Document[] = []
  for await (const match of createRecordPages(counting, { vendorId }, lifetime, { pageSize: 2 }).walk()) matches.push(match)
  t.equal((await Promise.all(matches.map(async (match) => await orders.countDocuments(match)))).reduce((sum, n) => sum + n, 0), 5)
  t.ok(looks <= 40, `${looks} looks`)
})

t.test('who goes through the same pages a second time does not look for them again', async (t) => {
  const vendorId = await vendorWith([1, 2, 3, 4, 5])
  let looks = 0
  const counting = countingLooks(() => { looks++ })
  const pages = createRecordPages(counting, { vendorId }, lifetime, { pageSize: 2 })
  const walk = async (): Promise<Document[]> => {
    const found: Document[] = []
    for await (const match of pages.walk()) found.push(match)
    return found
  }
  const first = await walk()
  const before = looks
  t.strictSame(await walk(), first)
  t.equal(looks, before)
})

t.test('a period that is empty, or of a vendor without records, has no record in any page', async (t) => {
  t.strictSame((await pagesOf(await vendorWith([5]), { start: new Date(5), end: new Date(5) }, 2)).flat(), [])
  t.strictSame((await pagesOf(await vendorWith([]), lifetime, 2)).flat(), [])
})

t.test('nobody goes on for a reader who has gone', async (t) => {
  const vendorId = await vendorWith([1, 2, 3, 4, 5])
  let gone = false
  let pages = 0
  await t.rejects(asReader({ owner: vendorId, isGone: () => gone }, async () => {
    for await (const match of createRecordPages(orders, { vendorId }, lifetime, { pageSize: 2 }).walk()) {
      t.ok(match)
      pages++
      gone = true
    }
  }), { code: 'SERVICE_UNAVAILABLE' })
  t.equal(pages, 1)
})

t.test('what takes too long in all is given up, and says what to do', async (t) => {
  const vendorId = await vendorWith([1, 2, 3, 4, 5])
  let now = 0
  let pages = 0
  await t.rejects(async () => {
    for await (const match of createRecordPages(orders, { vendorId }, lifetime, { pageSize: 2, maxWalkMs: 1_000, monotonicMs: () => now }).walk()) {
      t.ok(match)
      pages++
      now += 600
    }
  }, { code: 'SERVICE_UNAVAILABLE', message: 'There are too many records to look at in time; ask for a shorter period' })
  t.equal(pages, 2)
})
