/** Look-ups of many external ids, without a database: how many queries there are. */
import t from 'tap'
import type { Collections } from '../../../../src/store/database/connection.js'
import { createLinks } from '../../../../src/store/catalog/links.js'
import { createGate } from '../../../support/eventually.js'

/** A collection in which `onQuery` sees every query, and which finds nothing. */
const collections = (onQuery: (count: number) => Promise<void>): Collections => {
  let count = 0
  const find = () => ({ project: () => (async function * () { await onQuery(++count) })() })
  return { fitmentTargets: { find }, sizeCharts: { find } } as unknown as Collections
}
const ids = Array.from({ length: 5_000 }, (_, index) => `T${index}`)

t.test('a look-up of thousands of ids ends when its run is aborted', async (t) => {
  const abort = new AbortController()
  let queries = 0
  const links = createLinks(collections(async (count) => {
    queries = count
    if (count === 10) abort.abort(new Error('enough'))
  }), abort.signal)
  await t.rejects(links.fitmentTargetIds('acme', ids), { message: 'enough' })
  t.ok(queries < 20, `${queries} queries of 200`)
})

t.test('one that fails begins no more queries, and ends when those under way have', async (t) => {
  const gate = createGate()
  let [queries, under] = [0, 0]
  const links = createLinks(collections(async (count) => {
    queries = count
    if (count === 5) throw new Error('away')
    under += 1
    await gate.passed
    under -= 1
  }))
  const looking = links.sizeChartIds('acme', ids)
  setImmediate(() => { gate.open() })
  await t.rejects(looking, { message: 'away' })
  t.strictSame([queries, under], [5, 0])
})
