import t from 'tap'
import { toLine } from '../../../../../src/api/graphql/catalog/product-line.js'
import { productBounds } from '../../../../../src/domain/product-bounds.js'
import { readProduct } from '../../../../../src/domain/product-patch.js'
import type { Fault } from '../../../../../src/domain/issue.js'

const metafields = (count: number, key = (n: number): string => `k${n}`) => Array.from({ length: count }, (_, n) => ({ key: key(n), value: String(n) }))
const ofProduct = { externalId: 'a', name: 'A', brandName: 'B', externalUrl: 'https://shop.example.com/a' }

function faultsOf (line: Record<string, unknown>): Fault[] {
  const faults: Fault[] = []
  readProduct(line, faults, [])
  return faults
}

t.test('metafields of a product and its variants stand beside their other fields', async (t) => {
  t.strictSame(toLine({ ...ofProduct, metafields: metafields(2), variants: [{ externalId: 'v', metafields: metafields(1) }] }),
    { ...ofProduct, 'meta:k0': '0', 'meta:k1': '1', variants: [{ externalId: 'v', 'meta:k0': '0' }] })
})

t.test('what is null or absent stays so', async (t) => {
  t.strictSame(toLine({ ...ofProduct, metafields: null }), ofProduct)
  t.strictSame(toLine({ ...ofProduct, variants: null }), { ...ofProduct, variants: null })
})

t.test('of a key that comes again the last value counts, however often it comes', async (t) => {
  const line = toLine({ ...ofProduct, metafields: metafields(3 * productBounds.metafields, (n) => `k${n % productBounds.metafields}`) })
  t.strictSame([Object.keys(line).length, line['meta:k0'], faultsOf(line)], [4 + productBounds.metafields, String(2 * productBounds.metafields), []])
})

t.test('of too many metafields no more are taken over than it takes to refuse them', async (t) => {
  const line = toLine({ ...ofProduct, metafields: metafields(200_000) })
  t.equal(Object.keys(line).length, 4 + productBounds.metafields + 1)
  t.match(faultsOf(line), [{ code: 'too-many', path: 'metafields' }])
})

t.test('keys that are too long hide no others that are too many', async (t) => {
  const line = toLine({ ...ofProduct, metafields: [{ key: 'x'.repeat(300), value: '' }, ...metafields(200_000)] })
  t.strictSame(faultsOf(line).map(({ code }) => code), ['too-long', 'too-many'])
})
