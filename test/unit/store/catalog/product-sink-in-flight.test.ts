/** Batches that are under way at the same time, over the real database: how many, and in which order they apply. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { productStages } from '../../../../pipelines/product-import.js'
import { Envelope } from '../../../../src/engine/envelope.js'
import { inOrder } from '../../../../src/engine/stage.js'
import { parse } from '../../../../src/stages/parse.js'
import { createProductSink, type BatchRoom, type ProductSink } from '../../../../src/store/catalog/product-sink.js'
import { testDatabase } from '../../../support/database.js'
import { createGate, type Gate } from '../../../support/eventually.js'
import { product } from '../../../support/product-lines.js'
import { withMethod } from '../../../support/with-method.js'

const parts = await testDatabase(t)
const { products } = parts.database.collections

interface Bulk { arrived: Gate, door: Gate, isRefused: boolean }

interface HeldSink {
  sink: ProductSink
  /** The bulks in the order in which they reach the database's door, where they wait until it is opened. */
  bulk (index: number): Bulk
  write (...records: object[]): Promise<void>
  nameOf (externalId: string): Promise<string | undefined>
}

let vendors = 0

function heldSink (room?: BatchRoom): HeldSink {
  const vendorId = `vendor-${++vendors}`
  const bulks: Bulk[] = []
  const bulk = (index: number): Bulk => (bulks[index] ??= { arrived: createGate(), door: createGate(), isRefused: false })
  let arrived = 0
  const held = withMethod(products, 'bulkWrite', async (...parameters) => {
    const mine = bulk(arrived++)
    mine.arrived.open()
    await mine.door.passed
    if (mine.isRefused) throw new Error('refused')
    return await products.bulkWrite(...parameters)
  })
  const sink = createProductSink({
    collections: { products: held }, issues: parts.repositories.importIssues, vendorId, jobId: randomUUID(), mode: 'UPDATE', files: ['a.jsonl'],
    attempt: 1, dryRun: false, room, patience: async (operation) => await operation()
  })
  const stages = inOrder(parse, productStages({ vendorId, mode: 'UPDATE', links: parts.repositories.links, onUnknownStoreCode: sink.countUnknownStoreCode }))
  let lines = 0
  return {
    sink,
    bulk,
    write: async (...records) => { await sink.write(await stages(records.map((record) => new Envelope({ file: 0, line: ++lines }, JSON.stringify(record))))) },
    nameOf: async (externalId) => (await products.findOne({ vendorId, externalId }))?.name
  }
}

/** Whether it is settled by the end of this turn of the loop. */
async function isSettled (promise: Promise<void>): Promise<boolean> {
  let settled = false
  promise.then(() => { settled = true }, () => { settled = true })
  await new Promise(setImmediate)
  return settled
}

t.test('a batch has its room until it is written, or has failed', async (t) => {
  const freed: string[] = []
  const held = heldSink({ take: async () => {}, free: () => { freed.push('one') } })
  await held.write(product('a'))
  await held.bulk(0).arrived.passed
  t.strictSame(freed, [])
  held.bulk(0).door.open()
  await held.sink.flush()
  t.strictSame(freed, ['one'])
  await held.write(product('b'))
  held.bulk(1).isRefused = true
  held.bulk(1).door.open()
  await t.rejects(held.sink.flush(), { message: 'refused' })
  t.strictSame(freed, ['one', 'one'])
})

t.test('two batches wait at the database while a third is prepared, and no more', async (t) => {
  const held = heldSink()
  await held.write(product('a'))
  await held.bulk(0).arrived.passed
  await held.write(product('b'))
  await held.bulk(1).arrived.passed
  const third = held.write(product('c'))
  await held.bulk(2).arrived.passed
  t.notOk(await isSettled(third), 'there is no room for a fourth')
  held.bulk(0).door.open()
  await third
  held.bulk(1).door.open()
  held.bulk(2).door.open()
  await held.sink.flush()
  t.equal(held.sink.stats.productsCreated, 3)
})

t.test('of batches with long lines only two are under way', async (t) => {
  const held = heldSink()
  // 2.2 million characters each.
  const long = (prefix: string): object[] => Array.from({ length: 44 }, (_, index) => product(`${prefix}${index}`, { description: 'x'.repeat(50_000) }))
  await held.write(...long('a'))
  await held.bulk(0).arrived.passed
  const second = held.write(...long('b'))
  await held.bulk(1).arrived.passed
  t.notOk(await isSettled(second), 'there is no room for a third')
  held.bulk(0).door.open()
  await second
  held.bulk(1).door.open()
  await held.sink.flush()
})

t.test('a batch with a product of one that is under way waits for that one, however many are in between', async (t) => {
  const held = heldSink()
  await held.write(product('a', { name: 'First' }))
  await held.bulk(0).arrived.passed
  await held.write(product('b'))
  await held.bulk(1).arrived.passed
  const third = held.write(product('a', { name: 'Second' }))
  held.bulk(1).door.open()
  t.notOk(await isSettled(third))
  t.equal(await held.nameOf('a'), undefined)
  held.bulk(0).door.open()
  await third
  // It is taken for new first.
  for (const index of [2, 3]) held.bulk(index).door.open()
  await held.sink.flush()
  t.equal(await held.nameOf('a'), 'Second')
  t.match(held.sink.stats, { productsCreated: 2, productsUpdated: 1 })
})

t.test('the failure of a batch is told to whoever writes next, and to flush', async (t) => {
  const held = heldSink()
  held.bulk(0).isRefused = true
  for (const index of [0, 1, 2]) held.bulk(index).door.open()
  await held.write(product('a'))
  await held.bulk(0).arrived.passed
  await held.write(product('b'))
  await t.rejects(held.write(product('c')), { message: 'refused' })
  await t.rejects(held.sink.flush(), { message: 'refused' })
})

t.test('flush waits for all batches that are under way, also when the first has failed', async (t) => {
  const held = heldSink()
  held.bulk(0).isRefused = true
  await held.write(product('a'))
  await held.bulk(0).arrived.passed
  await held.write(product('b'))
  await held.bulk(1).arrived.passed
  held.bulk(0).door.open()
  const flushed = held.sink.flush()
  for (let turn = 0; turn < 5; turn++) t.notOk(await isSettled(flushed))
  held.bulk(1).door.open()
  await t.rejects(flushed, { message: 'refused' })
  t.equal(held.sink.stats.productsCreated, 1)
})
