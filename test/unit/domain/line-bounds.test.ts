/** What a line may hold, and that nobody looks through what holds more. */
import t from 'tap'
import { wordFault, type Fault } from '../../../src/domain/issue.js'
import { productBounds } from '../../../src/domain/product-bounds.js'
import { readProduct } from '../../../src/domain/product-patch.js'
import { isLongerThan } from '../../../src/domain/reader.js'

function messagesOf (fields: Record<string, unknown>): string[] {
  const faults: Fault[] = []
  readProduct({ externalId: 'P', ...fields }, faults, [])
  return faults.map(wordFault)
}

/** A list of this many entries, each of which fails the test when it is asked for. */
const unvisited = (length: number): unknown[] => new Proxy(new Array<unknown>(length), {
  get (target, property, receiver) {
    if (typeof property === 'string' && /^\d+$/.test(property)) throw new Error('an entry was looked at')
    return Reflect.get(target, property, receiver) as unknown
  }
})

const entries: Record<string, { bound: number, entry: (index: number) => unknown }> = {
  variants: { bound: productBounds.variants, entry: (index) => ({ sku: `S${index}` }) },
  images: { bound: productBounds.images, entry: (index) => ({ url: `https://example.com/${index}` }) },
  tags: { bound: productBounds.tags, entry: String },
  fitmentTargetExternalIds: { bound: productBounds.fitmentTargets, entry: String }
}

for (const [field, { bound, entry }] of Object.entries(entries)) {
  t.test(`${field}: ${bound} are taken, a longer list is one error that names the bound, and is not looked through`, async (t) => {
    t.strictSame(messagesOf({ [field]: Array.from({ length: bound }, (_, index) => entry(index)) }), [])
    t.strictSame(messagesOf({ [field]: unvisited(bound + 1) }), [`${field} must hold at most ${bound} entries`])
  })
}

t.test('fitmentTargetExternalIds of a variant are not looked through either', async (t) => {
  t.strictSame(messagesOf({ variants: [{ sku: 'S', fitmentTargetExternalIds: unvisited(5_001) }] }), ['variants[0].fitmentTargetExternalIds must hold at most 5000 entries'])
})

t.test('the fitment targets of product and variants count together, before any is looked up', async (t) => {
  const targets = (count: number): string[] => Array.from({ length: count }, (_, index) => `T${index}`)
  const line = (more: number): Record<string, unknown> =>
    ({ fitmentTargetExternalIds: targets(2_000), variants: [{ sku: 'A', fitmentTargetExternalIds: targets(2_000) }, { sku: 'B', fitmentTargetExternalIds: targets(1_000 + more) }] })
  t.strictSame(messagesOf(line(0)), [])
  t.strictSame(messagesOf(line(1)), ['fitmentTargetExternalIds must hold at most 5000 entries'])
})

const keyed = (count: number, key: (index: number) => string): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 1]))

t.test('locations of a variant: 5,000 are taken, one more is one error, and no quantity is looked at', async (t) => {
  const line = (inventoryByLocation: unknown): Record<string, unknown> => ({ variants: [{ sku: 'S', inventoryByLocation }] })
  t.strictSame(messagesOf(line(keyed(5_000, (index) => `L${index}`))), [])
  const unread = new Proxy(keyed(5_001, (index) => `L${index}`), { get () { throw new Error('a quantity was looked at') } })
  t.strictSame(messagesOf(line(unread)), ['variants[0].inventoryByLocation must hold at most 5000 entries'])
})

t.test('metafields: 1,000 are taken, of more the bound is told once, and the rest of the line is read', async (t) => {
  const metafields = (count: number): Record<string, unknown> => keyed(count, (index) => `meta:${index}`)
  t.strictSame(messagesOf(metafields(1_000)), [])
  t.strictSame(messagesOf({ ...metafields(5_000), name: '' }), ['metafields must hold at most 1000 entries', 'name must not be blank'])
  t.strictSame(messagesOf({ variants: [{ sku: 'A', ...metafields(1_000) }, { sku: 'B', ...metafields(1_001) }] }), ['variants[1].metafields must hold at most 1000 entries'])
})

t.test('metafields of a variant that is repeated: 1,000 are taken, of more the bound is told once', async (t) => {
  const line = (count: number): Record<string, unknown> => ({ variants: Array.from({ length: count }, (_, index) => ({ sku: 'S', [`meta:${index}`]: 1 })) })
  t.strictSame(messagesOf(line(1_000)), [])
  t.strictSame(messagesOf(line(1_001)), ['variants[0].metafields must hold at most 1000 entries'])
})

t.test('a variant that is repeated does not pile up what it repeats', async (t) => {
  const variants = Array.from({ length: 2_048 }, (_, index) => ({ sku: 'S', 'meta:a': index, 'meta:b': index }))
  t.strictSame(readProduct({ externalId: 'P', variants }, [], []).variants?.map(({ metafields }) => metafields), [[['a', 2_047], ['b', 2_047]]])
})

t.test('whether a text is too long is known without looking through it', async (t) => {
  t.equal(isLongerThan('\u{1F600}'.repeat(5), 5), false)
  t.equal(isLongerThan('\u{1F600}'.repeat(5) + 'x', 5), true)
  t.equal(isLongerThan('xxxxx', 5), false)
  const unread = { length: 11, [Symbol.iterator] () { throw new Error('its characters were looked at') } }
  t.equal(isLongerThan(unread as unknown as string, 5), true)
})

for (const [what, fields] of Object.entries({
  'an external id': { externalId: '\u{1F600}'.repeat(2_000_000) },
  'a key of a metafield': { [`meta:${'k'.repeat(4_000_000)}`]: 1 },
  'a store code': { variants: [{ sku: 'S', inventoryByLocation: { ['L'.repeat(4_000_000)]: -1 } }] },
  'a currency': { variants: [{ sku: 'S', prices: [{ price: 1, currency: 'U'.repeat(4_000_000) }] }] },
  'a date': { publishedAt: '1'.repeat(4_000_000) },
  'an address': { externalUrl: 'x'.repeat(4_000_000) }
})) {
  t.test(`${what} of 4,000,000 characters is told in a short message`, async (t) => {
    const messages = messagesOf(fields)
    t.equal(messages.length, 1)
    t.ok((messages[0] ?? '').length < 400)
  })
}
