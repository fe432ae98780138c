/** However many costly reads one vendor sends at once, another's reads do not wait for all of them. */
import t from 'tap'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { testApi } from '../unit/api/test-api.js'

const products = 1_000
const searches = 16
const reads = 5

const { database, graphql, keyOf } = await testApi(t)
const [busy, other] = [await keyOf('busy'), await keyOf('other')]
const upsertProducts = createUpsertProducts(database.collections)
const words = 'wheel brake winter steel'
const product = (externalId: string): Record<string, unknown> =>
  ({ externalId, name: `${words} ${externalId}`, brandName: 'Acme', externalUrl: 'https://example.com/p', publishedAt: '2020-01-01' })
await upsertProducts('busy', Array.from({ length: products }, (_, n) => product(`P${n}`)))
await upsertProducts('other', [product('one')])

const search = async (): Promise<unknown> =>
  (await graphql(busy, 'query ($text: String!) { searchProducts(input: { vendorId: "busy", text: $text }) { totalCount } }', { text: words })).data
const read = async (): Promise<unknown> => (await graphql(other, '{ product(externalId: "one") { externalId } }')).data

t.test('one vendor searches for what all of its products have, another reads one product', async (t) => {
  // What a read costs is known by the ones before it.
  await search()
  await read()
  let answered = 0
  const all = Promise.all(Array.from({ length: searches }, async () => {
    const data = await search()
    answered++
    return data
  }))
  for (let n = 0; n < reads; n++) t.strictSame(await read(), { product: { externalId: 'one' } })
  t.ok(answered < searches / 2, `${answered} of ${searches} searches were answered before`)
  t.strictSame(await all, Array.from({ length: searches }, () => ({ searchProducts: { totalCount: products } })), 'all of them are answered in the end')
})
