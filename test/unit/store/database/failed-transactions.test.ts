/** Bulks that had to do without their transaction are counted and told, in whichever thread it was. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pino from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { commitUpdates } from '../../../../src/store/database/commit-updates.js'
import { countFailedTransactions, reportFailedTransaction } from '../../../../src/store/database/failed-transactions.js'
import { bareProduct } from '../../../support/bare-product.js'
import { testDatabase } from '../../../support/database.js'
import { eventually } from '../../../support/eventually.js'
import { siblingDatabase } from '../../../support/sibling-database.js'
import { openDatabaseWith } from '../../../support/transactions.js'

const known = await testDatabase(t)

interface Told { msg: string, collection: string, reason: string, leftOut: number }

function counting (t: Test) {
  const metrics = new Registry()
  const told: Told[] = []
  const clock = { ms: 0 }
  const log = pino({}, { write: (line: string) => { told.push(JSON.parse(line) as Told) } })
  t.teardown(countFailedTransactions({ metrics, log, monotonicMs: () => clock.ms }))
  const counted = async (wanted: number): Promise<void> => {
    await eventually(`${wanted} are counted`, async () => {
      const { values } = await metrics.getSingleMetric('catalog_failed_transactions_total')?.get() ?? { values: [] }
      return values.reduce((sum, { value }) => sum + value, 0) === wanted
    })
  }
  return { told, clock, counted }
}

async function products (t: Test, kind: 'failing' | 'none') {
  const { url, database } = await siblingDatabase(t, known)
  const { collections, close } = openDatabaseWith(kind, url, 'catalog-test')
  t.teardown(close)
  await database.collections.products.insertMany(['a', 'b'].map((_id) => bareProduct(_id, { searchKeys: [] })))
  return collections.products
}

const updates = (revision: number) => ['a', 'b'].map((_id) => ({ updateOne: { filter: { _id, revision }, update: { $set: { revision: revision + 1 } } } }))

t.test('a bulk whose transaction fails is counted and told with the reason, once the plain bulk has done the same', async (t) => {
  const { told, counted } = counting(t)
  const collection = await products(t, 'failing')
  t.match(await commitUpdates(collection, updates(1)), { matchedCount: 2 })
  await counted(1)
  t.match(told, [{ msg: 'a transaction failed; the same was done without one', collection: 'products', reason: 'Refused', leftOut: 0 }])
})

t.test('one that fails without a transaction as well is not, nor one that was given none', async (t) => {
  const { told, counted } = counting(t)
  const collection = await products(t, 'failing')
  await t.rejects(commitUpdates(collection, updates(1), { fence: async () => { throw new Error('not yours any more') } }))
  await commitUpdates(await products(t, 'none'), updates(1))
  reportFailedTransaction('last', new Error('after these'))
  await counted(1)
  t.strictSame(told.map(({ collection }) => collection), ['last'])
})

t.test('it is told once a minute at most, with how many were left out', async (t) => {
  const { told, clock, counted } = counting(t)
  for (let count = 0; count < 3; count++) reportFailedTransaction('products', new Error('WriteConflict'))
  await counted(3)
  clock.ms = 60_000
  reportFailedTransaction('size_charts', 'no error')
  await counted(4)
  t.match(told, [{ collection: 'products', reason: 'WriteConflict', leftOut: 0 }, { collection: 'size_charts', reason: 'unknown', leftOut: 2 }])
})

t.test('those of other threads are counted, too', async (t) => {
  const { counted } = counting(t)
  const module = new URL('../../../../src/store/database/failed-transactions.js', import.meta.url)
  const worker = new Worker(`import('${module.href}').then(({ reportFailedTransaction }) => { reportFailedTransaction('products', new Error('over there')) })`, { eval: true })
  await once(worker, 'exit')
  await counted(1)
})
