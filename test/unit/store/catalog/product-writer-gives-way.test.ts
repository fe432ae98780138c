/** The writer gives way as the stages do; a run that is aborted ends between two of its writes, and what it has written is counted. */
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { productStages } from '../../../../pipelines/product-import.js'
import { Envelope } from '../../../../src/engine/envelope.js'
import { inOrder } from '../../../../src/engine/stage.js'
import { createTurn, type Turn } from '../../../../src/engine/turn.js'
import { ImportCancelled } from '../../../../src/jobs/run-import.js'
import { parse } from '../../../../src/stages/parse.js'
import { createProductSink, type ProductSink, type ProductSinkOptions } from '../../../../src/store/catalog/product-sink.js'
import { testDatabase } from '../../../support/database.js'
import { product } from '../../../support/product-lines.js'
import { statsOf, testCatalog, withBeforeBulk, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

interface Written { sink: ProductSink, write: (...records: object[]) => Promise<void>, badLines: () => Promise<number> }

function writing ({ vendorId }: TestCatalog, options: Partial<ProductSinkOptions>): Written {
  const jobId = randomUUID()
  const issues = parts.repositories.importIssues
  const sink = createProductSink({
    collections, issues, vendorId, jobId, mode: 'UPDATE', files: ['a.jsonl'], attempt: 1, dryRun: false, patience: async (operation) => await operation(), ...options
  })
  const stages = inOrder(parse, productStages({ vendorId, mode: 'UPDATE', links: parts.repositories.links, onUnknownStoreCode: sink.countUnknownStoreCode }))
  return {
    sink,
    badLines: async () => await issues.countBadLines(vendorId, jobId),
    async write (...records) {
      await sink.write(await stages(records.map((record, index) => new Envelope({ file: 0, line: index + 1 }, JSON.stringify(record)))))
      await sink.flush()
    }
  }
}

/** One that is always over. */
function countedTurn (): { turn: Turn, asked: () => number, given: () => number } {
  let [asked, given] = [0, 0]
  return { asked: () => asked, given: () => given, turn: { isOver () { asked += 1; return true }, async giveWay () { given += 1 }, async pause () {} } }
}

for (const [what, records] of Object.entries({
  'lines of one product': Array.from({ length: 20 }, (_, index) => product('a', { tags: [String(index)] })),
  products: Array.from({ length: 20 }, (_, index) => product(`p${index}`))
})) {
  t.test(`between any two ${what} it looks at its turn, and gives way when that is over`, async (t) => {
    const { turn, asked, given } = countedTurn()
    const { sink, write } = writing(testCatalog(parts), { turn })
    await write(...records)
    t.ok(asked() >= 20 && given() === asked(), `asked ${asked()} times, ${given()} times given`)
    t.equal(sink.stats.productsProcessed, 20)
  })
}

/** Three products that are too large to be in memory together. */
async function withLargeProducts (): Promise<TestCatalog> {
  const catalog = testCatalog(parts)
  await catalog.upsert(...['a', 'b', 'c'].map((externalId) => product(externalId, { description: 'x'.repeat(2_200_000) })))
  return catalog
}
const renamed = (externalId: string): object => ({ externalId, name: 'New' })
const namesOf = async ({ vendorId }: TestCatalog): Promise<number> => await collections.products.countDocuments({ vendorId, name: 'New' })

async function endsWith (t: Test, { sink, badLines }: Written, running: Promise<void>): Promise<void> {
  await t.rejects(running, ImportCancelled)
  await t.rejects(sink.flush(), ImportCancelled)
  t.equal(sink.stats.errors, await badLines(), 'as many errors as the report has')
}

t.test('a run that is aborted while a batch is written does not go on to the next of its products: what it has written is counted', async (t) => {
  const catalog = await withLargeProducts()
  const abort = new AbortController()
  const written = writing(catalog, { collections: withBeforeBulk(collections, async () => { abort.abort(new ImportCancelled()) }), turn: createTurn(abort.signal) })
  await endsWith(t, written, written.write({ externalId: 'unreadable', name: 5 }, renamed('a'), renamed('b'), { externalId: 'c', name: '' }))
  t.equal(await namesOf(catalog), 1)
  t.strictSame(written.sink.stats, statsOf(0, 1, await written.badLines()))
})

t.test('when its turn to write comes after the abort, it does not write; what is in the report is counted', async (t) => {
  const catalog = await withLargeProducts()
  const abort = new AbortController()
  const written = writing(catalog, {
    turn: createTurn(abort.signal),
    async inTurn (write) {
      abort.abort(new ImportCancelled())
      return await write()
    }
  })
  await endsWith(t, written, written.write(renamed('a'), { externalId: 'a', variants: [{ sku: 'nameless' }] }, renamed('b')))
  t.equal(await namesOf(catalog), 0)
  t.strictSame(written.sink.stats, statsOf(0, 0, 1))
})
