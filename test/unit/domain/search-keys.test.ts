import t from 'tap'
import { isTargeted, searchKeysOf } from '../../../src/domain/search-keys.js'

const product = { name: 'Brake Pads', brandName: 'Bremsen', categories: [] as string[], tags: [] as string[], fitmentTargetIds: [], variants: [] }

t.test('a product is found by the words of its name, brand, categories and tags, each once', async (t) => {
  t.strictSame(searchKeysOf({ ...product, categories: ['Car parts', 'Brakes'], tags: ['brake', 'new'] }),
    ['w:brake', 'w:pad', 'w:bremsen', 'w:car', 'w:part', 'w:new'])
})

t.test('the words of a label are the same however many other labels there have been', async (t) => {
  const keysOf = (brand: number): string[] => searchKeysOf({ ...product, brandName: `Brand B${brand}` })
  for (let round = 0; round < 2; round++) {
    for (let brand = 0; brand < 1_500; brand++) {
      const keys = keysOf(brand)
      if (keys[3] !== `w:b${brand}`) t.fail(`${brand}: ${keys.join(' ')}`)
    }
  }
  t.strictSame(keysOf(7), ['w:brake', 'w:pad', 'w:brand', 'w:b7'])
})

t.test('a label of any length counts', async (t) => {
  t.strictSame(searchKeysOf({ ...product, brandName: `${'x '.repeat(60)}end` }), ['w:brake', 'w:pad', 'w:x'])
  t.strictSame(searchKeysOf({ ...product, brandName: `${' '.repeat(200)}end` }), ['w:brake', 'w:pad', 'w:end'])
})

t.test('no more than 32 words', async (t) => {
  const tags = Array.from({ length: 100 }, (_, index) => `tag${index}`)
  t.equal(searchKeysOf({ ...product, tags }).filter((key) => key.startsWith('w:')).length, 32)
})

t.test('a product has at most 34 index entries besides those of its targets, in however many stores it is', async (t) => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`)
  const locationQuantities = Array.from({ length: 5_000 }, (_, index) => ({ locationId: `L${index}`, quantity: index % 2 }))
  const variants = Array.from({ length: 5 }, (_, index) => ({ fitmentTargetIds: [`target-${index}`], locationQuantities })) as unknown as typeof product.variants
  // Its id and its place in lists are the other two.
  const entriesOf = (more: object): number => 2 + searchKeysOf({ ...product, name: words.join(' '), brandName: words.join('-'), tags: words, categories: words, ...more }).length
  t.strictSame([entriesOf({}), entriesOf({ variants: variants.map((each: object) => ({ ...each, fitmentTargetIds: [] })) }), entriesOf({ variants })], [34, 34, 39])
})

t.test('a product that it or a variant of it is linked to a target is targeted, and found by each target once', async (t) => {
  const variant = { fitmentTargetIds: ['b', 'a'], locationQuantities: [] } as unknown as typeof product.variants[number]
  const keysOf = (more: object): string[] => searchKeysOf({ ...product, ...more }).filter((key) => key.startsWith('t:'))
  for (const [more, keys] of [
    [{}, []], [{ variants: [{ ...variant as object, fitmentTargetIds: [] }] }, []], [{ fitmentTargetIds: ['a'] }, ['t:a']],
    [{ variants: [variant] }, ['t:b', 't:a']], [{ fitmentTargetIds: ['a'], variants: [variant] }, ['t:a', 't:b']]
  ] as const) {
    t.strictSame([isTargeted({ ...product, ...more } as typeof product), keysOf(more)], [keys.length > 0, keys])
  }
})
