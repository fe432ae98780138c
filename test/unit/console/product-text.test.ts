import t from 'tap'
import { priceRange, unitsOf, webAddress } from '../../../src/console/catalog/product-text.js'

t.test('only addresses of the web become links', async (t) => {
  t.equal(webAddress('https://example.com/a'), 'https://example.com/a')
  for (const other of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '//example.com', 'http://', '', null]) t.equal(webAddress(other), null, String(other))
})

t.test('units are those of tracked variants; with none there is no number', async (t) => {
  t.equal(unitsOf([{ inventory: 3 }, { inventory: null }, { inventory: -1 }]), 2)
  t.equal(unitsOf([{ inventory: null }]), null)
})

t.test('prices of one currency are compared with each other alone', async (t) => {
  const variant = (price: number, currency: string) => ({ inventory: null, inventoryPolicy: null, prices: [{ price, compareAtPrice: null, currency }] })
  t.strictSame(priceRange({ variants: [variant(9, 'USD'), variant(1, 'EUR'), variant(5, 'USD')] }), { from: 5, to: 9, currency: 'USD' })
  t.equal(priceRange({ variants: [] }), null)
})
