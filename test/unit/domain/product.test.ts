import t from 'tap'
import { defaultImageExternalId, markLine, positionIn, productId, variantId, visibilityOf } from '../../../src/domain/product.js'

t.test('ids are deterministic and differ by vendor, product and variant', async (t) => {
  t.equal(productId('acme', 'P'), productId('acme', 'P'))
  const product = productId('acme', 'P')
  t.equal(new Set([product, productId('other', 'P'), productId('acme', 'Q'), productId('acme', 'p'), variantId(product, 'P')]).size, 5)
})

t.test('the parts of an id cannot run into each other', async (t) => {
  t.not(productId('ab', 'c'), productId('a', 'bc'))
  t.not(productId('a', ' '), productId('a', ''))
})

t.test('an image is known by the MD5 of its URL', async (t) => {
  t.equal(defaultImageExternalId('https://example.com/a.jpg'), '7cff6e664a8bf6783610a2814043d343')
  t.equal(defaultImageExternalId(''), 'd41d8cd98f00b204e9800998ecf8427e')
})

t.test('a mark is read back by its own job alone', async (t) => {
  const mark = markLine('job-1', { file: 2, line: 17 })
  t.strictSame(positionIn('job-1', mark), { file: 2, line: 17 })
  t.equal(positionIn('job-2', mark), null)
  t.equal(positionIn('job', mark), null)
  t.equal(positionIn('job-1', null), null)
})

const now = new Date('2024-05-01T10:00:00Z')
for (const [archived, publishedAt, visibility] of [
  [false, null, 'DRAFT'], [false, new Date('2024-05-01T09:59:59Z'), 'PUBLISHED'], [false, now, 'PUBLISHED'],
  [false, new Date('2024-05-01T10:00:01Z'), 'SCHEDULED'], [true, null, 'ARCHIVED'], [true, new Date(0), 'ARCHIVED'], [true, new Date('2999-01-01'), 'ARCHIVED']
] as Array<[boolean, Date | null, string]>) {
  t.test(`${archived ? 'archived' : 'live'}, published at ${publishedAt?.toISOString() ?? 'no time'}: ${visibility}`, async (t) => {
    t.equal(visibilityOf({ archived, publishedAt }, now), visibility)
  })
}
