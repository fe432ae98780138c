import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import t from 'tap'
import { countBadLines, inventoryDelta, sampleCatalog, writeSampleFile } from '../../../src/cli/sample-catalog.js'
import type { SampleProduct } from '../../../src/cli/sample-product.js'
import { testFolder } from '../../support/test-folder.js'

const parse = (lines: Iterable<string>): SampleProduct[] => Array.from(lines, (line) => JSON.parse(line) as SampleProduct)

t.test('the same seed gives the same bytes, another seed others', async (t) => {
  const made = [...sampleCatalog({ products: 200, seed: 7, badLineEvery: 10 })]
  t.same([...sampleCatalog({ products: 200, seed: 7, badLineEvery: 10 })], made)
  t.notSame([...sampleCatalog({ products: 200, seed: 8, badLineEvery: 10 })], made)
})

t.test('a longer catalog begins with the shorter one', async (t) => {
  t.same([...sampleCatalog({ products: 50, seed: 1 })].slice(0, 20), [...sampleCatalog({ products: 20, seed: 1 })])
})

t.test('a line is about 1 KB and never holds a line end', async (t) => {
  const lines = [...sampleCatalog({ products: 5_000, seed: 1 })]
  const average = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0) / lines.length
  t.ok(average > 850 && average < 1_150, `${average} bytes`)
  t.notOk(lines.some((line) => line.includes('\n')))
})

t.test('external ids are unique', async (t) => {
  const products = parse(sampleCatalog({ products: 2_000, seed: 3 }))
  t.equal(new Set(products.map(({ externalId }) => externalId)).size, 2_000)
  for (const { variants } of products) {
    t.equal(new Set(variants.map(({ externalId, sku }) => externalId ?? sku)).size, variants.length)
  }
})

t.test('every kind of content occurs', async (t) => {
  const products = parse(sampleCatalog({ products: 1_000, seed: 1 }))
  const variants = products.flatMap((product) => product.variants)
  const metafields = products.flatMap((product) => Object.entries(product as unknown as Record<string, unknown>).filter(([key]) => key.startsWith('meta:')).map(([, value]) => value))
  const typeOf = (value: unknown): string => value === null ? 'null' : value === '' ? 'empty' : Array.isArray(value) ? 'array' : typeof value
  t.same([...new Set(metafields.map(typeOf))].sort(), ['array', 'boolean', 'empty', 'null', 'number', 'object', 'string'])
  t.same([...new Set(products.map((product) => product.variants.length))].sort(), [1, 2, 3, 4, 5, 6])
  t.same(new Set(variants.flatMap(({ prices }) => prices.map(({ currency }) => currency))), new Set(['USD', 'EUR']))
  t.same(new Set(variants.map(({ inventoryPolicy }) => inventoryPolicy)), new Set(['CONTINUE', 'DENY']))
  const kinds: Array<[string, boolean]> = [
    ['draft', products.some(({ publishedAt }) => publishedAt === null)],
    ['scheduled', products.some(({ publishedAt }) => publishedAt !== null && publishedAt > '2090')],
    ['published', products.some(({ publishedAt }) => publishedAt !== null && publishedAt < '2025')],
    ['repeated image URL', products.some(({ images }) => new Set(images.map(({ url }) => url)).size < images.length)],
    ['image without external id', products.some(({ images }) => images.some(({ externalId }) => externalId === undefined))],
    ['variant of a repeated image', variants.some(({ imageExternalId }) => imageExternalId?.endsWith('-again') === true)],
    ['variant known by its sku', variants.some(({ externalId }) => externalId === undefined)],
    ['numeric upc', variants.some(({ upc }) => typeof upc === 'number')],
    ['inventory not tracked', variants.some(({ inventory }) => inventory === null)],
    ['compareAtPrice', variants.some(({ prices }) => prices.some(({ compareAtPrice }) => compareAtPrice !== undefined))],
    ['text beyond Latin', products.some(({ name }) => /\p{Script=Han}|\p{Script=Arabic}|\p{Script=Cyrillic}/u.test(name))]
  ]
  for (const [kind, occurs] of kinds) t.ok(occurs, kind)
})

t.test('every n-th line is bad, in each of six ways', async (t) => {
  const options = { products: 65, seed: 1, badLineEvery: 10 }
  const lines = [...sampleCatalog(options)]
  const [malformed, ...others] = [9, 19, 29, 39, 49, 59].map((index) => lines[index] ?? '')
  t.throws(() => JSON.parse(malformed ?? '') as unknown)
  const [nameless, urlless, currency, number, negative] = parse(others)
  t.notOk('name' in (nameless ?? {}))
  t.notOk(URL.canParse(urlless?.externalUrl ?? ''))
  t.equal(currency?.variants[0]?.prices[0]?.currency, 'EURO')
  t.type(number?.brandName, 'number')
  t.equal(negative?.variants[0]?.prices[0]?.price, -1)
  t.equal(countBadLines(options), 6)
  const good = [...sampleCatalog({ products: 65, seed: 1 })]
  t.equal(lines.filter((line, index) => line !== good[index]).length, 6, 'and no other line is touched')
})

t.test('an inventory delta names products and variants of the catalog, and none whose line was bad', async (t) => {
  const options = { products: 3_000, seed: 5, badLineEvery: 7 }
  const catalog = new Map(parse(sampleCatalog({ products: 3_000, seed: 5 })).map((product) => [product.externalId, product]))
  const delta = parse(inventoryDelta({ ...options, share: 0.25 }))
  t.ok(delta.length > 450 && delta.length < 850, `${delta.length} of 3,000`)
  for (const { externalId, variants, ...rest } of delta) {
    const product = catalog.get(externalId)
    if (product === undefined) throw new Error(`${externalId} is not in the catalog`)
    if (Number(externalId.slice(2)) % 7 === 0) t.fail(`${externalId} was bad`)
    t.same(rest, {})
    t.same(variants.map((variant) => variant.externalId), product.variants.map((variant) => variant.externalId ?? variant.sku))
  }
  t.same([...inventoryDelta({ ...options, share: 0 })], [])
})

t.test('a sample file holds the lines, gzipped, one each', async (t) => {
  const path = join(testFolder(t), 'catalog.jsonl.gz')
  const lines = [...sampleCatalog({ products: 300, seed: 1 })]
  const written = await writeSampleFile(path, lines)
  const read: string[] = []
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) read.push(line)
  t.same(read, lines)
  t.equal(written.lines, 300)
  t.equal(written.bytes, Buffer.byteLength(lines.join('\n')) + 1)
  t.ok(written.fileBytes > 0 && written.fileBytes < written.bytes)
})

t.test('lines are made at the pace at which they are written', async (t) => {
  let made = 0
  function * lines (): Generator<string> {
    for (; made < 20_000; made += 1) yield 'x'.repeat(1_000)
  }
  const path = join(testFolder(t), 'paced.jsonl.gz')
  const writing = writeSampleFile(path, lines())
  await new Promise((resolve) => { setImmediate(resolve) })
  t.ok(made < 2_000, `${made} lines are waiting in memory`)
  t.equal((await writing).lines, 20_000)
})

t.test('a file that cannot be written is an error', async (t) => {
  await t.rejects(writeSampleFile(join(testFolder(t), 'missing', 'catalog.jsonl.gz'), ['{}']), { code: 'ENOENT' })
})
