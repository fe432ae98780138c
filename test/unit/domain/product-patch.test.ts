import t from 'tap'
import { wordFault, wordFaultForRest, type Fault, type Warning } from '../../../src/domain/issue.js'
import { readExternalId, readProduct, type ProductPatch } from '../../../src/domain/product-patch.js'

type Line = Record<string, unknown>

function read (line: Line): { patch: ProductPatch, messages: string[], faults: Fault[], warnings: Warning[] } {
  const faults: Fault[] = []
  const warnings: Warning[] = []
  // The data alone, whatever its class.
  const patch = structuredClone(readProduct(line, faults, warnings))
  return { patch, messages: faults.map(wordFault), faults, warnings }
}

/** Those that were sent. */
const fieldsOf = (patch: unknown): object => JSON.parse(JSON.stringify(patch)) as object
/** The faults of a product that is fine but for these fields. */
const messagesOf = (fields: Line): string[] => read({ externalId: 'P', ...fields }).messages
/** The faults of a variant that is fine but for these fields. */
const variantMessagesOf = (fields: Line): string[] => messagesOf({ variants: [{ externalId: 'V', ...fields }] })

t.test('externalId is always required', async (t) => {
  t.strictSame(read({}).messages, ['Missing required field: externalId'])
  t.strictSame(read({}).faults.map(wordFaultForRest), ['"externalId" is required'])
})

for (const [fields, message] of [
  [{ externalId: '' }, 'externalId must not be blank'],
  [{ externalId: ' \t' }, 'externalId must not be blank'],
  [{ externalId: null }, 'externalId must not be null'],
  [{ externalId: 7 }, 'externalId must be a string'],
  [{ externalId: 'x'.repeat(256) }, 'externalId must be at most 255 characters'],
  [{ name: null }, 'name must not be null'],
  [{ name: '  ' }, 'name must not be blank'],
  [{ name: 5 }, 'name must be a string'],
  [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
  [{ brandName: null }, 'brandName must not be null'],
  [{ brandName: '' }, 'brandName must not be blank'],
  [{ externalUrl: null }, 'externalUrl must not be null'],
  [{ externalUrl: 'shop.example.com' }, 'Invalid URL format for externalUrl'],
  [{ externalUrl: '' }, 'Invalid URL format for externalUrl'],
  [{ description: 1 }, 'description must be a string'],
  [{ publishedAt: 'tomorrow' }, 'publishedAt must be an ISO 8601 date and time with a zone'],
  [{ publishedAt: false }, 'publishedAt must be an ISO 8601 date and time with a zone'],
  [{ archived: 'true' }, 'archived must be true or false'],
  [{ archived: 1 }, 'archived must be true or false'],
  [{ images: {} }, 'images must be a list'],
  [{ images: ['https://example.com/a.jpg'] }, 'images[0] must be an object'],
  [{ images: [{}] }, 'Missing required field: images[0].url'],
  [{ images: [{ url: null }] }, 'images[0].url must not be null'],
  [{ images: [{ url: 'a.jpg' }] }, 'Invalid URL format for images[0].url'],
  [{ images: [{ url: 'https://example.com/'.padEnd(2_049, 'x') }] }, 'images[0].url must be at most 2048 characters'],
  [{ images: [{ url: 'https://example.com/a', position: '1' }] }, 'images[0].position must be an integer'],
  [{ images: [{ url: 'https://example.com/a', externalId: 1 }] }, 'images[0].externalId must be a string'],
  [{ variants: 'V' }, 'variants must be a list'],
  [{ variants: [null] }, 'variants[0] must be an object'],
  [{ categories: 'Shoes' }, 'categories must be a list'],
  [{ categories: ['Shoes', 1] }, 'categories[1] must be a string'],
  [{ tags: [null] }, 'tags[0] must not be null'],
  [{ fitmentTargetExternalIds: 'T' }, 'fitmentTargetExternalIds must be a list'],
  [{ fitmentTargetExternalIds: [1] }, 'fitmentTargetExternalIds[0] must be a string'],
  [{ sizeChartExternalId: 1 }, 'sizeChartExternalId must be a string'],
  [{ [`meta:${'k'.repeat(256)}`]: 'v' }, `meta:${'k'.repeat(254)}… must be at most 255 characters`]
] as Array<[Line, string]>) {
  t.test(`of a product: ${message.length > 80 ? `${message.slice(0, 40)}…` : message}`, async (t) => { t.strictSame(messagesOf(fields), [message]) })
}

for (const [fields, message] of [
  [{ externalId: '' }, 'variants[0].externalId must not be blank'],
  [{ externalId: 5 }, 'variants[0].externalId must be a string'],
  [{ externalId: 'x'.repeat(256) }, 'variants[0].externalId must be at most 255 characters'],
  [{ name: 5 }, 'variants[0].name must be a string'],
  [{ name: ' ' }, 'variants[0].name must not be blank'],
  [{ sku: 1.5 }, 'variants[0].sku must be a string or an exact integer'],
  [{ sku: true }, 'variants[0].sku must be a string'],
  [{ upc: 2 ** 53 }, 'variants[0].upc must be a string or an exact integer'],
  [{ imageExternalId: 1 }, 'variants[0].imageExternalId must be a string'],
  [{ inventory: '5' }, 'variants[0].inventory must be an integer'],
  [{ inventory: 1.5 }, 'variants[0].inventory must be an integer'],
  [{ quantity: '5' }, 'variants[0].quantity must be an integer'],
  [{ inventoryPolicy: 'continue' }, 'variants[0].inventoryPolicy must be one of CONTINUE, DENY'],
  [{ inventoryByLocation: [] }, 'variants[0].inventoryByLocation must be an object of store codes and quantities'],
  [{ inventoryByLocation: { NYC: -1 } }, 'variants[0].inventoryByLocation.NYC must be at least 0'],
  [{ inventoryByLocation: { NYC: 1.5 } }, 'variants[0].inventoryByLocation.NYC must be an integer'],
  [{ inventoryByLocation: { NYC: null } }, 'variants[0].inventoryByLocation.NYC must be an integer'],
  [{ inventoryByLocation: { NYC: '1' } }, 'variants[0].inventoryByLocation.NYC must be an integer'],
  [{ prices: {} }, 'variants[0].prices must be a list'],
  [{ prices: [5] }, 'variants[0].prices[0] must be an object'],
  [{ prices: [{ price: 1 }] }, 'Missing required field: variants[0].prices[0].currency'],
  [{ prices: [{ currency: 'USD' }] }, 'Missing required field: variants[0].prices[0].price'],
  [{ prices: [{ price: null, currency: 'USD' }] }, 'variants[0].prices[0].price must be a number'],
  [{ prices: [{ price: '9', currency: 'USD' }] }, 'variants[0].prices[0].price must be a number'],
  [{ prices: [{ price: -1, currency: 'USD' }] }, 'variants[0].prices[0].price must be at least 0'],
  [{ prices: [{ price: 1, currency: 'usd' }] }, 'variants[0].prices[0].currency must be an ISO 4217 currency code'],
  [{ prices: [{ price: 1, compareAtPrice: -1, currency: 'USD' }] }, 'variants[0].prices[0].compareAtPrice must be at least 0'],
  [{ sizeChartExternalId: {} }, 'variants[0].sizeChartExternalId must be a string']
] as Array<[Line, string]>) {
  t.test(`of a variant: ${message}`, async (t) => { t.strictSame(variantMessagesOf(fields), [message]) })
}

t.test('a nested path names each place', async (t) => {
  const variant = (externalId: string, prices: unknown[]): Line => ({ externalId, prices })
  const price = { price: 1, currency: 'USD' }
  t.strictSame(messagesOf({ variants: [variant('a', [price]), variant('b', []), variant('c', [{ price: 1, currency: 'XX' }])] }),
    ['variants[2].prices[0].currency must be an ISO 4217 currency code'])
})

t.test('every fault of a line is found, not only the first', async (t) => {
  t.strictSame(messagesOf({ name: '', externalUrl: 'x', variants: [{ sku: 'S', inventory: 'many', prices: [{ price: -1 }] }] }), [
    'name must not be blank',
    'Invalid URL format for externalUrl',
    'variants[0].inventory must be an integer',
    'variants[0].prices[0].price must be at least 0',
    'Missing required field: variants[0].prices[0].currency'
  ])
})

for (const variant of [{}, { name: 'Blue' }, { sku: null }, { sku: '' }, { sku: '  ' }, { externalId: null }, { externalId: null, sku: null }]) {
  t.test(`a variant ${JSON.stringify(variant)} needs externalId or sku`, async (t) => {
    t.strictSame(messagesOf({ variants: [variant] }), ['Missing required field: variants[0].externalId (or variants[0].sku)'])
  })
}

for (const variant of [{ sku: 'S-1' }, { externalId: null, sku: 'S-1' }]) {
  t.test(`in ${JSON.stringify(variant)} the sku is the external id`, async (t) => {
    t.match(read({ externalId: 'P', variants: [variant] }).patch.variants, [{ externalId: 'S-1', sku: 'S-1' }])
  })
}

t.test('an integer sku becomes the external id in its string form', async (t) => {
  t.match(read({ externalId: 'P', variants: [{ sku: 42 }] }).patch.variants, [{ externalId: '42', sku: '42' }])
})

t.test('an integer upc becomes its string form', async (t) => {
  t.match(read({ externalId: 'P', variants: [{ sku: 'S', upc: 123_456_789_012 }] }).patch.variants, [{ upc: '123456789012' }])
})

t.test('a sku that serves as external id is bound to 255 characters, another is not', async (t) => {
  const sku = 'x'.repeat(256)
  t.strictSame(messagesOf({ variants: [{ sku }] }), ['variants[0].sku must be at most 255 characters'])
  t.strictSame(messagesOf({ variants: [{ externalId: 'V', sku }] }), [])
})

for (const [sent, kept] of [
  [{ inventory: 3 }, 3], [{ quantity: 4 }, 4], [{ quantity: null }, null], [{ inventory: null }, null], [{ inventory: -2 }, -2],
  [{ inventory: 3, quantity: 4 }, 3], [{ quantity: 4, inventory: 3 }, 3], [{ inventory: null, quantity: 4 }, null], [{ inventory: 0, quantity: 4 }, 0]
] as Array<[Line, number | null]>) {
  t.test(`${JSON.stringify(sent)} is an inventory of ${kept}`, async (t) => {
    const [variant] = read({ externalId: 'P', variants: [{ externalId: 'V', ...sent }] }).patch.variants ?? []
    t.equal(variant?.inventory, kept)
    t.notOk('quantity' in fieldsOf(variant))
  })
}

t.test('a faulty quantity is a fault even when inventory wins', async (t) => {
  t.strictSame(variantMessagesOf({ inventory: 3, quantity: 'x' }), ['variants[0].quantity must be an integer'])
})

t.test('a field that was not sent is absent, whether of product or variant', async (t) => {
  t.strictSame(fieldsOf(read({ externalId: 'P', variants: [{ externalId: 'V' }] }).patch),
    { externalId: 'P', metafields: [], variants: [{ externalId: 'V', metafields: [], index: 0 }] })
})

t.test('keys that are neither a field nor meta: are ignored', async (t) => {
  const { patch, messages } = read({ externalId: 'P', Name: 'x', id: 5, _id: { $gt: '' }, $where: 'sleep(1000)', 'name.first': 1, metafields: [], meta: 1, Meta: 1, 'META:a': 1 })
  t.strictSame(messages, [])
  t.strictSame(fieldsOf(patch), { externalId: 'P', metafields: [] })
})

t.test('meta: with nothing after it is ignored', async (t) => {
  t.strictSame(read({ externalId: 'P', 'meta:': 'x' }).patch.metafields, [])
})

t.test('a meta: key loses its prefix once and keeps the rest as it is', async (t) => {
  t.strictSame(read({ externalId: 'P', 'meta:a': 1, 'meta:meta:b': 2, 'meta: c ': 3, 'meta:$x.y': 4 }).patch.metafields,
    [['a', 1], ['meta:b', 2], [' c ', 3], ['$x.y', 4]])
})

t.test('a meta: key of 255 characters is kept', async (t) => {
  t.strictSame(messagesOf({ [`meta:${'\u{1F600}'.repeat(255)}`]: 1 }), [])
})

for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '$where', 'prototype']) {
  t.test(`a key ${key} is a key like any other`, async (t) => {
    const line = JSON.parse(`{"externalId":"P","${key}":{"name":"evil","polluted":true},"meta:${key}":"m",
      "images":[{"url":"https://example.com/a","${key}":{"position":5}}],
      "variants":[{"externalId":"V","${key}":{"inventory":9},"inventoryByLocation":{"${key}":3},"prices":[{"price":1,"currency":"USD","${key}":{"compareAtPrice":2}}]}]}`) as Line
    const { patch, messages } = read(line)
    t.strictSame(messages, [])
    t.equal(patch.name, undefined)
    t.strictSame(patch.metafields, [[key, 'm']])
    t.strictSame(patch.images, [{ url: 'https://example.com/a' }])
    t.equal(patch.variants?.[0]?.inventory, undefined)
    t.strictSame([...patch.variants?.[0]?.inventoryByLocation ?? []], [[key, 3]])
    t.strictSame(patch.variants?.[0]?.prices, [{ price: 1, currency: 'USD' }])
    t.equal(({} as Line)['polluted'], undefined)
  })
}

t.test('fields of a prototype are not taken for sent ones', async (t) => {
  const line = JSON.parse('{"externalId":"P","__proto__":{"externalId":"Q"},"variants":[{"__proto__":{"externalId":"V","sku":"S"}}]}') as Line
  t.strictSame(read(line).messages, ['Missing required field: variants[0].externalId (or variants[0].sku)'])
})

t.test('the same variant twice in one line: the later fields win, the others stay, and a warning is recorded', async (t) => {
  const variants = [
    { externalId: 'V', name: 'Blue', inventory: 1, 'meta:a': 1, 'meta:b': 1 }, { externalId: 'W', name: 'Red' }, { externalId: 'V', inventory: 2, upc: '1', 'meta:b': 2 }
  ]
  const { patch, warnings } = read({ externalId: 'P', variants })
  t.match(patch.variants, [{ externalId: 'V', name: 'Blue', inventory: 2, upc: '1', index: 0 }, { externalId: 'W', index: 1 }])
  t.equal(patch.variants?.length, 2)
  t.strictSame(new Map(patch.variants?.[0]?.metafields), new Map([['a', 1], ['b', 2]]))
  t.strictSame(warnings, [{ code: 'duplicate-variant', path: 'variants[2]', detail: 'V' }])
})

t.test('a variant named by its external id and again by its sku is the same variant', async (t) => {
  const { patch, warnings } = read({ externalId: 'P', variants: [{ externalId: 'V', name: 'Blue' }, { sku: 'V', inventory: 3 }] })
  t.match(patch.variants, [{ externalId: 'V', name: 'Blue', sku: 'V', inventory: 3 }])
  t.equal(warnings.length, 1)
})

t.test('a repeated variant sent null last is cleared', async (t) => {
  t.match(read({ externalId: 'P', variants: [{ externalId: 'V', upc: '1' }, { externalId: 'V', upc: null }] }).patch.variants, [{ upc: null }])
})

t.test('faults end at a hundred, so that no message grows without bound', async (t) => {
  t.ok(messagesOf({ variants: new Array(10_000).fill({ inventory: 'x' }) }).length < 110)
})

for (const [line, id] of [
  [{ externalId: 'P' }, 'P'], [{ externalId: ' P ' }, ' P '], [{ externalId: 'x'.repeat(255) }, 'x'.repeat(255)],
  [{}, null], [{ externalId: '' }, null], [{ externalId: 5 }, null], [{ externalId: null }, null], [{ externalId: 'x'.repeat(256) }, null]
] as Array<[Line, string | null]>) {
  t.test(`of ${JSON.stringify(line).slice(0, 40)} the readable external id is ${id?.slice(0, 10) ?? 'none'}`, async (t) => { t.equal(readExternalId(line), id) })
}
