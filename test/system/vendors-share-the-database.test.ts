/** However many costly reads one vendor sends at once, another's reads do not wait for all of them. */
import t from 'tap'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createReadGate, type ReadGate } from '../../src/store/reads/read-gate.js'
import { createGate, eventually } from '../support/eventually.js'
import { testApi } from '../unit/api/test-api.js'

const searches = 16
const reads = 5

/** What a read of the busy vendor meets at the database. */
let meet = async (): Promise<void> => {}
let nowMs = 0
const gate = createReadGate({ monotonicMs: () => nowMs })
const readGate: ReadGate = {
  ...gate,
  run: async (owner, shape, command) => await gate.run(owner, shape, async () => {
    if (owner === 'busy') await meet()
    return await command()
  })
}

const { database, graphql, keyOf } = await testApi(t, { readGate })
const [busy, other] = [await keyOf('busy'), await keyOf('other')]
const upsertProducts = createUpsertProducts(database.collections)
const words = 'wheel brake winter steel'
const product = (externalId: string): Record<string, unknown> =>
  ({ externalId, name: `${words} ${externalId}`, brandName: 'Acme', externalUrl: 'https://example.com/p', publishedAt: '2020-01-01' })
await upsertProducts('busy', [product('P0'), product('P1')])
await upsertProducts('other', [product('one')])

const search = async (): Promise<unknown> =>
  (await graphql(busy, 'query ($text: String!) { searchProducts(input: { vendorId: "busy", text: $text }) { totalCount } }', { text: words })).data
const read = async (): Promise<unknown> => (await graphql(other, '{ product(externalId: "one") { externalId } }')).data

t.test('one vendor searches for what all of its products have, another reads one product', async (t) => {
  // What a read costs is known by the ones before it.
  await read()
  meet = async () => { nowMs += 500 }
  await search()
  let searching = 0
  const answers = createGate()
  meet = async () => {
    searching++
    await answers.passed
  }
  const all = Promise.all(Array.from({ length: searches }, search))
  await eventually('all searches have come', () => searching + gate.state().waiting >= searches)
  for (let n = 0; n < reads; n++) t.strictSame(await read(), { product: { externalId: 'one' } })
  t.equal(searching, 1, 'the others wait')
  answers.open()
  t.strictSame(await all, Array.from({ length: searches }, () => ({ searchProducts: { totalCount: 2 } })), 'all of them are answered in the end')
})
