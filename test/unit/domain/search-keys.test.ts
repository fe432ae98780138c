import t from 'tap'
import { isTargeted, searchKeysOf, visibilityKey } from '../../../src/domain/search-keys.js'

const product = { name: 'Brake Pads', brandName: 'Bremsen', categories: [] as string[], tags: [] as string[], fitmentTargetIds: [], variants: [], publishedAt: new Date('2020-01-01') as Date | null }
const now = new Date('2026-01-01')
const keysOf = (more: object): string[] => searchKeysOf({ ...product, ...more }, now)

t.test('a product is found by the words of its name, brand, categories and tags, each once', async (t) => {
  t.strictSame(keysOf({ categories: ['Car parts', 'Brakes'], tags: ['brake', 'new'] }),
    ['w:brake', 'w:pad', 'w:bremsen', 'w:car', 'w:part', 'w:new'])
})

t.test('the words of a label are the same however many other labels there have been', async (t) => {
  const ofBrand = (brand: number): string[] => keysOf({ brandName: `Brand B${brand}` })
  for (let round = 0; round < 2; round++) {
    for (let brand = 0; brand < 1_500; brand++) {
      const keys = ofBrand(brand)
      if (keys[3] !== `w:b${brand}`) t.fail(`${brand}: ${keys.join(' ')}`)
    }
  }
  t.strictSame(ofBrand(7), ['w:brake', 'w:pad', 'w:brand', 'w:b7'])
})

t.test('a label of any length counts', async (t) => {
  t.strictSame(keysOf({ brandName: `${'x '.repeat(60)}end` }), ['w:brake', 'w:pad', 'w:x'])
  t.strictSame(keysOf({ brandName: `${' '.repeat(200)}end` }), ['w:brake', 'w:pad', 'w:end'])
})

t.test('no more than 32 words', async (t) => {
  const tags = Array.from({ length: 100 }, (_, index) => `tag${index}`)
  t.equal(keysOf({ tags }).filter((key) => key.startsWith('w:')).length, 32)
})

t.test('a product has at most 35 index entries besides those of its targets, in however many stores it is', async (t) => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`)
  const locationQuantities = Array.from({ length: 5_000 }, (_, index) => ({ locationId: `L${index}`, quantity: index % 2 }))
  const variants = Array.from({ length: 5 }, (_, index) => ({ fitmentTargetIds: [`target-${index}`], locationQuantities })) as unknown as typeof product.variants
  // Its id and its place in lists are the other two.
  const entriesOf = (more: object): number => 2 + keysOf({ name: words.join(' '), brandName: words.join('-'), tags: words, categories: words, publishedAt: null, ...more }).length
  t.strictSame([entriesOf({}), entriesOf({ variants: variants.map((each: object) => ({ ...each, fitmentTargetIds: [] })) }), entriesOf({ variants })], [35, 35, 40])
})

t.test('a product that it or a variant of it is linked to a target is targeted, and found by each target once', async (t) => {
  const variant = { fitmentTargetIds: ['b', 'a'], locationQuantities: [] } as unknown as typeof product.variants[number]
  const targetsOf = (more: object): string[] => keysOf(more).filter((key) => key.startsWith('t:'))
  for (const [more, keys] of [
    [{}, []], [{ variants: [{ ...variant as object, fitmentTargetIds: [] }] }, []], [{ fitmentTargetIds: ['a'] }, ['t:a']],
    [{ variants: [variant] }, ['t:b', 't:a']], [{ fitmentTargetIds: ['a'], variants: [variant] }, ['t:a', 't:b']]
  ] as const) {
    t.strictSame([isTargeted({ ...product, ...more } as typeof product), targetsOf(more)], [keys.length > 0, keys])
  }
})

t.test('a product that is not published yet is found by a draft\'s key or a scheduled one\'s, after 32 words; a published one has neither', async (t) => {
  const tags = Array.from({ length: 100 }, (_, index) => `tag${index}`)
  const ofVisibility = (publishedAt: Date | null): string[] => keysOf({ publishedAt, tags }).slice(32)
  t.strictSame([null, new Date('2026-01-02'), now].map(ofVisibility), [[visibilityKey('DRAFT')], [visibilityKey('SCHEDULED')], []])
  t.strictSame([visibilityKey('PUBLISHED'), visibilityKey('ARCHIVED')], [null, null])
})
