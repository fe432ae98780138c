/** What the stages together make of a line; the parts of it are tested where they live. */
import t from 'tap'
import { line, product } from '../../support/product-lines.js'
import { checkedLine, faultsOf, warningsOf } from './checked-line.js'

t.test('in REPLACE every line needs externalId, name, brandName and externalUrl', async (t) => {
  t.strictSame(new Set(await faultsOf({}, { mode: 'REPLACE' })), new Set([
    'Missing required field: externalId', 'Missing required field: name', 'Missing required field: brandName', 'Missing required field: externalUrl'
  ]))
  t.strictSame(await faultsOf(product('P'), { mode: 'REPLACE' }), [])
})

t.test('in UPDATE a line needs externalId alone; whether the product is new only the writer knows', async (t) => {
  t.strictSame(await faultsOf({}), ['Missing required field: externalId'])
  t.strictSame(await faultsOf({ externalId: 'P' }), [])
})

t.test('null is not missing: it is named once, as null', async (t) => {
  t.strictSame(await faultsOf(product('P', { name: null }), { mode: 'REPLACE' }), ['name must not be null'])
})

t.test('one line names every fault that any stage finds', async (t) => {
  t.strictSame(new Set(await faultsOf({
    externalId: 'P', externalUrl: 'x', archived: 'no', 'meta:long': 'x'.repeat(65_537), images: [{ url: 'y' }], variants: [{ name: 'Blue', inventory: 'many' }]
  }, { mode: 'REPLACE' })), new Set([
    'Missing required field: name',
    'Missing required field: brandName',
    'Invalid URL format for externalUrl',
    'archived must be true or false',
    'Invalid URL format for images[0].url',
    'variants[0].inventory must be an integer',
    'Missing required field: variants[0].externalId (or variants[0].sku)',
    'meta:long must be at most 65536 characters'
  ]))
})

t.test('a fault in one variant does not hide a metafield fault in another', async (t) => {
  const variants = [{ externalId: 'a', inventory: 'many' }, { externalId: 'b', 'meta:long': 'x'.repeat(65_537) }]
  t.strictSame(new Set(await faultsOf({ externalId: 'P', variants })), new Set([
    'variants[0].inventory must be an integer', 'variants[1].meta:long must be at most 65536 characters'
  ]))
})

t.test('a lone surrogate does not hide other faults', async (t) => {
  t.strictSame(await faultsOf('{"externalId":"P","tags":["\\ud800"],"archived":1}'),
    ['tags contains a lone surrogate, which is not valid Unicode', 'archived must be true or false'])
})

t.test('a line that cannot be read has one fault and no product', async (t) => {
  for (const mode of ['REPLACE', 'UPDATE'] as const) t.strictSame(await faultsOf('{', { mode }), ['Malformed JSON'])
})

t.test('a rejected line looks nothing up and warns of nothing', async (t) => {
  let asked = 0
  const links = { fitmentTargetIds: async () => { asked += 1; return new Map<string, string>() } }
  const envelope = await checkedLine({ externalId: 'P', archived: 1, fitmentTargetExternalIds: ['T'] }, { links })
  t.strictSame([asked, envelope.warnings.length], [0, 0])
})

t.test('a metafield nested 100,000 levels deep is a fault of that metafield', async (t) => {
  const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
  t.strictSame(await faultsOf(`{"externalId":"P","meta:deep":${deep}}`), ['meta:deep is nested deeper than 100 levels'])
})

t.test('an unknown key nested 100,000 levels deep is a fault, too: a line nests 100 levels whatever is in it', async (t) => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  t.strictSame(await faultsOf(`{"externalId":"P","unknown":${deep}}`), ['unknown is nested deeper than 100 levels'])
})

t.test('a good line has neither faults nor warnings', async (t) => {
  t.strictSame(await faultsOf(line('P')), [])
  t.strictSame(await warningsOf(line('P')), [])
})
