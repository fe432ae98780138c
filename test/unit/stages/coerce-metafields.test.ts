import t from 'tap'
import { checkedLine, faultsOf } from './checked-line.js'

/** The metafields of a line with this JSON for `meta:k`. */
async function coerced (json: string): Promise<string | null | undefined> {
  return (await checkedLine(`{"externalId":"P","meta:k":${json}}`)).value?.metafieldChanges.get('k')
}

for (const [json, stored] of [
  ['"text"', 'text'], ['" "', ' '], ['"null"', 'null'], ['0', '0'], ['-0', '0'], ['1.50', '1.5'], ['-3', '-3'], ['1e3', '1000'], ['1e21', '1e+21'], ['true', 'true'], ['false', 'false'],
  ['null', null], ['""', null], ['{}', '{}'], ['[]', '[]'], ['{ "a" : [ 1, null, "x" ] }', '{"a":[1,null,"x"]}'], ['[1, 2]', '[1,2]'], ['{"__proto__":1}', '{"__proto__":1}'], ['"\\u0000"', '\0']
] as Array<[string, string | null]>) {
  t.test(`${json} is stored as ${stored === null ? 'nothing: the field is cleared' : JSON.stringify(stored)}`, async (t) => { t.equal(await coerced(json), stored) })
}

t.test('a number beyond what a double holds never becomes the text "null"', async (t) => {
  t.not(await coerced('1e400'), 'null')
})

t.test('a value of 65,536 characters is kept, one more is a fault', async (t) => {
  t.equal((await coerced(JSON.stringify('x'.repeat(65_536))))?.length, 65_536)
  t.strictSame(await faultsOf({ externalId: 'P', 'meta:k': 'x'.repeat(65_537) }), ['meta:k must be at most 65536 characters'])
})

t.test('characters are counted, not code units', async (t) => {
  t.strictSame(await faultsOf({ externalId: 'P', 'meta:k': '\u{1F600}'.repeat(65_536) }), [])
  t.strictSame(await faultsOf({ externalId: 'P', 'meta:k': '\u{1F600}'.repeat(65_537) }), ['meta:k must be at most 65536 characters'])
})

t.test('compact JSON is what is measured', async (t) => {
  const list = (length: number): unknown[] => new Array<number>(length).fill(1)
  t.strictSame(await faultsOf({ externalId: 'P', 'meta:k': list(32_767) }), [])
  t.strictSame(await faultsOf({ externalId: 'P', 'meta:k': list(32_768) }), ['meta:k must be at most 65536 characters'])
})

t.test('a value nested 100 levels deep is kept, one more is a fault', async (t) => {
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
  t.equal(await coerced(deep(100)), deep(100))
  t.strictSame(await faultsOf(`{"externalId":"P","meta:k":${deep(101)}}`), ['meta:k is nested deeper than 100 levels'])
})

t.test('a variant\'s metafields are its own, and their faults say whose', async (t) => {
  const { value } = await checkedLine({ externalId: 'P', 'meta:k': 1, variants: [{ sku: 'S', 'meta:k': 2, 'meta:gone': null }] })
  t.strictSame(value?.metafieldChanges, new Map([['k', '1']]))
  t.strictSame(value?.variants?.[0]?.metafieldChanges, new Map([['k', '2'], ['gone', null]]))
  t.strictSame(await faultsOf({ externalId: 'P', variants: [{ sku: 'R' }, { sku: 'S', 'meta:k': 'x'.repeat(65_537) }] }), ['variants[1].meta:k must be at most 65536 characters'])
})

t.test('of a metafield that is sent twice the later value wins', async (t) => {
  const { value } = await checkedLine({ externalId: 'P', variants: [{ sku: 'S', 'meta:k': 1 }, { sku: 'S', 'meta:k': null }] })
  t.strictSame(value?.variants?.[0]?.metafieldChanges, new Map([['k', null]]))
})
