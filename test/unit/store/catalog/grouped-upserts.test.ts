import t from 'tap'
import { MongoNetworkError } from 'mongodb'
import type { Product } from '../../../../src/domain/product.js'
import type { UpsertedProduct, UpsertProducts } from '../../../../src/domain/upsert-products.js'
import { groupUpserts } from '../../../../src/store/catalog/grouped-upserts.js'
import type { GroupBounds } from '../../../../src/store/database/in-groups.js'
import { currentReader } from '../../../../src/store/reads/reader.js'
import { createUpsertProducts } from '../../../../pipelines/product-upsert.js'
import { testDatabase } from '../../../support/database.js'
import { createGate } from '../../../support/eventually.js'
import { product } from '../../../support/product-lines.js'

const bounds: GroupBounds = { smallItems: 3, smallCharacters: 2_000, items: 4, characters: 3_000 }
const record = (externalId: string, more: object = {}): Record<string, unknown> => ({ externalId, ...more })
const idOf = (each: UpsertedProduct | undefined): string => each !== undefined && 'product' in each ? each.product.externalId : 'faulty'
const answerTo = (records: Array<Record<string, unknown>>): UpsertedProduct[] =>
  records.map(({ externalId }) => externalId === 'bad' ? { faults: [] } : { product: { externalId } as Product })

/** What is applied waits to be let go; `batches` says what was applied together. */
function held () {
  const batches: string[] = []
  const gates: Array<ReturnType<typeof createGate>> = []
  const apply: UpsertProducts = async (vendorId, records) => {
    batches.push(`${vendorId}: ${records.map(({ externalId }) => String(externalId)).join(' ')}`)
    const gate = createGate()
    gates.push(gate)
    await gate.passed
    return answerTo(records)
  }
  return { batches, gates, upsert: groupUpserts(apply, bounds) }
}
const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('who is alone begins at once; what comes meanwhile is one batch, in order, and each has its own answer', async (t) => {
  const { batches, gates, upsert } = held()
  const answers = [upsert('v', [record('a')])]
  t.strictSame(batches, ['v: a'], 'in the same turn')
  answers.push(upsert('v', [record('b'), record('bad')]), upsert('v', []), upsert('v', [record('c')]))
  gates[0]?.open()
  t.strictSame((await answers[0])?.map(idOf), ['a'], 'answered before the others are')
  await turn()
  t.strictSame(batches, ['v: a', 'v: b bad c'])
  gates[1]?.open()
  t.strictSame((await Promise.all(answers)).map((each) => each.map(idOf)), [['a'], ['b', 'faulty'], [], ['c']])
  const later = upsert('v', [record('d')])
  t.strictSame(batches.at(-1), 'v: d', 'and who is alone again does not wait')
  gates[2]?.open()
  await later
})

t.test('the next begins as soon as one is applied, while what the answer tells is still being read', async (t) => {
  const batches: string[] = []
  const [applied, read] = [createGate(), createGate()]
  const upsert = groupUpserts(async (_vendorId, records, onApplied) => {
    batches.push(records.map(({ externalId }) => String(externalId)).join(' '))
    if (batches.length > 1) return answerTo(records)
    await applied.passed
    onApplied?.()
    await read.passed
    return answerTo(records)
  }, bounds)
  const [first, second] = [upsert('v', [record('a')]), upsert('v', [record('b')])]
  await turn()
  t.strictSame(batches, ['a'], 'not before it is applied')
  applied.open()
  t.strictSame((await second).map(idOf), ['b'])
  t.strictSame(batches, ['a', 'b'])
  read.open()
  t.strictSame((await first).map(idOf), ['a'])
})

t.test('what is applied is not applied again when its answer cannot be read: others may have come after it', async (t) => {
  const batches: string[] = []
  const first = createGate()
  const upsert = groupUpserts(async (_vendorId, records, onApplied) => {
    batches.push(records.map(({ externalId }) => String(externalId)).join(' '))
    if (batches.length === 1) await first.passed
    onApplied?.()
    if (batches.length === 2) throw new Error('cannot be read')
    return answerTo(records)
  }, bounds)
  const [alone, ...together] = [upsert('v', [record('a')]), upsert('v', [record('b')]), upsert('v', [record('c')])]
  first.open()
  await alone
  for (const each of together) await t.rejects(each, /cannot be read/)
  t.strictSame(batches, ['a', 'b c'])
  t.strictSame((await upsert('v', [record('d')])).map(idOf), ['d'], 'and the next goes on')
})

t.test('a vendor waits for no other', async (t) => {
  const { batches, gates, upsert } = held()
  const waiting = upsert('slow', [record('a')])
  const other = upsert('quick', [record('b')])
  t.strictSame(batches, ['slow: a', 'quick: b'])
  gates[1]?.open()
  t.strictSame((await other).map(idOf), ['b'])
  gates[0]?.open()
  await waiting
})

t.test('a batch is bounded in products and characters, and what is large by itself goes past it', async (t) => {
  const { batches, gates, upsert } = held()
  const long = { name: 'x'.repeat(1_500) }
  const all = [upsert('v', [record('a')])]
  for (const records of [[record('b'), record('c'), record('d')], [record('e'), record('f')], [record('g', long)], [record('h', long)], [record('i', long)]]) all.push(upsert('v', records))
  all.push(upsert('v', [record('j'), record('k'), record('l'), record('m')]), upsert('v', [record('n', { name: 'x'.repeat(3_000) })]))
  t.strictSame(batches, ['v: a', 'v: j k l m', 'v: n'], 'large ones wait for nobody')
  for (let open = 0; open < 7; open++) {
    gates[open]?.open()
    await turn()
  }
  t.strictSame(batches.slice(3), ['v: b c d', 'v: e f g', 'v: h', 'v: i'])
  t.equal((await Promise.all(all)).flat().length, 14)
})

t.test('one request that cannot be applied fails by itself: the others of its batch are applied one by one, in order', async (t) => {
  const applied: string[] = []
  const upsert = groupUpserts(async (_vendorId, records) => {
    await turn()
    if (records.some(({ externalId }) => externalId === 'throws')) throw new Error('broken')
    applied.push(records.map(({ externalId }) => String(externalId)).join(' '))
    return answerTo(records)
  }, bounds)
  const answers = await Promise.allSettled([['first'], ['b'], ['throws'], ['c']].map(async ([id = '']) => (await upsert('v', [record(id)])).map(idOf)))
  t.match(answers, [{ value: ['first'] }, { value: ['b'] }, { reason: { message: 'broken' } }, { value: ['c'] }])
  t.strictSame(applied, ['first', 'b', 'c'])
})

t.test('a database that does not answer fails a batch as a whole, once, and neither what was answered before nor what comes after', async (t) => {
  let batches = 0
  const upsert = groupUpserts(async (_vendorId, records) => {
    await turn()
    if (++batches === 2) throw new MongoNetworkError('away')
    return answerTo(records)
  }, bounds)
  const answers = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(async (id) => (await upsert('v', [record(id)])).map(idOf)))
  t.match(answers, [{ value: ['a'] }, ...['b', 'c', 'd', 'e'].map(() => ({ reason: { message: 'away' } })), { value: ['f'] }])
  t.equal(batches, 3)
})

t.test('what a batch reads is read for the vendor', async (t) => {
  const owners: unknown[] = []
  await groupUpserts(async (_vendorId, records) => { owners.push(currentReader()); return answerTo(records) })('v', [record('a')])
  t.strictSame(owners, [{ owner: 'v' }])
})

const { database: { collections } } = await testDatabase(t)

t.test('the same product in many requests at once: all are applied, in the order in which they came', async (t) => {
  let batches = 0
  const apply = createUpsertProducts(collections)
  const upsert = groupUpserts(async (vendorId, records) => { batches++; return await apply(vendorId, records) })
  await upsert('same', [product('a')])
  const answers = await Promise.all(Array.from({ length: 40 }, async (_, n) => await upsert('same', [{ externalId: 'a', name: `Name ${n}`, [`meta:${n}`]: n }, ...(n === 7 ? [{ externalId: 'b' }] : [])])))
  t.ok(answers.every((each, n) => each.length === (n === 7 ? 2 : 1) && idOf(each[0]) === 'a'))
  t.match(answers[7]?.[1], { faults: [{ code: 'required', path: 'name' }] })
  t.match((await upsert('same', [{ externalId: 'a' }]))[0], { product: { name: 'Name 39', metafields: { length: 40 } } })
  t.equal(batches, 4)
})
