/**
 * What the hostile vendor of bench/hostile sends. A shape is a file, one request that is sent again and again, or both; most are the same
 * product once as a line and once as an entry of upsertProducts.
 */

/** One request to POST /graphql. */
export interface HostileRequest { query: string, variables: object }

export interface HostileShape {
  name: string
  /** The file's content, in pieces, before gzip; `.json` in the name makes it an array. */
  file?: { name: string, pieces: () => Iterable<string> }
  /** As text where it is no JSON that could be made otherwise. */
  request?: () => HostileRequest | string
  /** How many callers send the request at once. */
  callers?: number
  /** What the vendor has stored before, as lines of a file. */
  before?: () => Iterable<string>
}

const upsertProducts = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "hostile", products: $products) { externalId } }'
const search = 'query ($text: String!) { searchProducts(input: { vendorId: "hostile", text: $text, first: 50 }) { nodes { externalId name } } }'

const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const product = (externalId: string, more: object = {}): Record<string, unknown> => ({
  externalId, name: `Product ${externalId}`, brandName: 'Hostile', externalUrl: 'https://shop.example.com/p', ...more
})
const variants = (count: number, more: object = {}): object[] => list(count, (n) => ({ externalId: `V${n}`, ...more }))
const named = (count: number): object[] => list(count, (n) => ({ externalId: `V${n}`, name: `Size ${n}`, inventory: n, prices: [{ price: n, currency: 'EUR' }] }))

function * repeat (count: number, make: (n: number) => string): Generator<string> {
  // In pieces of some size: a generator's step for each of millions of lines would be what takes the time.
  const perPiece = 1_000
  for (let from = 0; from < count; from += perPiece) yield list(Math.min(perPiece, count - from), (n) => make(from + n)).join('')
}

const linesOf = (records: Iterable<object>): string => Array.from(records, (record) => `${JSON.stringify(record)}\n`).join('')

/** The same records as a file of some lines and as a request. */
function both (name: string, makeRecords: () => object[], times = 1): HostileShape {
  return {
    name,
    file: { name: 'hostile.jsonl.gz', pieces: function * () { const lines = linesOf(makeRecords()); for (let n = 0; n < times; n++) yield lines } },
    request: () => ({ query: upsertProducts, variables: { products: makeRecords() } })
  }
}

const fileOf = (name: string, pieces: () => Iterable<string>, fileName = 'hostile.jsonl.gz'): HostileShape => ({ name, file: { name: fileName, pieces } })

/** A file, and the same as near as entries of upsertProducts come to it. */
const fileAnd = (name: string, pieces: () => Iterable<string>, request: () => HostileRequest | string, fileName?: string): HostileShape => ({ ...fileOf(name, pieces, fileName), request })
const entries = (products: object[]): HostileRequest => ({ query: upsertProducts, variables: { products } })
/** The body of such a request, with one entry of this text. */
const entryOf = (text: string): string => `{"query":${JSON.stringify(upsertProducts)},"variables":{"products":[${text}]}}`

const commonWords = ['wheel', 'brake', 'winter', 'steel']
const manyProducts = (count: number, more: (n: number) => object = () => ({})) => (): Iterable<string> =>
  repeat(count, (n) => `${JSON.stringify(product(`P${n}`, { name: `${commonWords.join(' ')} ${n}`, publishedAt: '2020-01-01', ...more(n) }))}\n`)

const digits = (): string => `{"externalId":"digits","variants":[${list(10, () => `{"externalId":"V","name":"V","inventory":${'9'.repeat(1_000_000)}}`).join(',')}]}`

export const shapes: HostileShape[] = [
  {
    name: 'one product of 2,000 variants, 20,000 lines of one variant',
    before: () => [`${JSON.stringify(product('wide', { variants: named(2_000) }))}\n`],
    file: { name: 'hostile.jsonl.gz', pieces: () => repeat(20_000, (n) => `${JSON.stringify({ externalId: 'wide', variants: [{ externalId: `V${n % 2_000}`, inventory: n }] })}\n`) },
    request: () => ({ query: upsertProducts, variables: { products: list(20, (n) => ({ externalId: 'wide', variants: [{ externalId: `V${n}`, inventory: Date.now() % 1e6 + n }] })) } })
  },
  {
    name: 'one product of 2,048 variants and 3.5 MB, 20 entries of one variant',
    before: () => [`${JSON.stringify(product('wider', { variants: list(2_048, (n) => ({ externalId: `V${n}`, name: 'S', 'meta:text': 'x'.repeat(1_500) })) }))}\n`],
    request: () => ({ query: upsertProducts, variables: { products: list(20, (n) => ({ externalId: 'wider', variants: [{ externalId: `V${n}`, inventory: Date.now() % 1e6 + n }] })) } })
  },
  {
    name: '20 products of 2,000 variants each, one entry each',
    before: () => list(20, (p) => `${JSON.stringify(product(`W${p}`, { variants: named(2_000) }))}\n`),
    request: () => ({ query: upsertProducts, variables: { products: list(20, (p) => ({ externalId: `W${p}`, variants: [{ externalId: 'V1', inventory: Date.now() % 1e6 }] })) } })
  },
  both('a product of 45,000 variants without names', () => [product('nameless', { variants: variants(45_000) })]),
  both('a product of 2,048 variants with all they may have', () => [product('full', { variants: named(2_048), tags: list(1_000, (n) => `tag ${n}`), images: list(1_000, (n) => ({ url: `https://img.example.com/${n}` })) })], 100),
  both('4,000,000 empty tags', () => [product('tags', { tags: list(4_000_000, () => '') })]),
  both('1,700,000 unknown fitment ids', () => [product('targets', { fitmentTargetExternalIds: list(1_700_000, (n) => n.toString(36)) })]),
  both('5,000 fitment ids in each of 50 products', () => list(50, (p) => product(`T${p}`, { fitmentTargetExternalIds: list(5_000, (n) => `f-${p}-${n}`) }))),
  both('stock at 300,000 unknown stores', () => [product('stock', { variants: [{ externalId: 'V', name: 'V', inventoryByLocation: Object.fromEntries(list(300_000, (n) => [`store ${n}`, n])) }] })]),
  both('the same variant 500,000 times', () => [product('twins', { variants: list(500_000, () => ({ externalId: 'V', name: 'V' })) })]),
  both('the same image 200,000 times', () => [product('images', { images: list(200_000, (n) => ({ url: 'https://img.example.com/1', externalId: `I${n}` })) })]),
  both('1,000,000 unknown keys', () => [product('keys', Object.fromEntries(list(1_000_000, (n) => [`k${n}`, 1])))]),
  fileAnd('200,000 metafields', () => [`${JSON.stringify(product('meta', Object.fromEntries(list(200_000, (n) => [`meta:${n}`, { n }]))))}\n`],
    () => entries([product('meta', { metafields: list(199_000, (n) => ({ key: String(n), value: 'x' })) })])),
  fileAnd('3,000,000 bad lines', () => repeat(3_000_000, () => '{\n'), () => entries(list(199_000, () => ({})))),
  fileAnd('300,000 lines with a bad id each', () => repeat(300_000, (n) => `{"externalId":"B${n}","name":""}\n`), () => entries(list(199_000, (n) => ({ externalId: `B${n}`, name: '' })))),
  fileOf('a line of 157,000,000 [', () => repeat(157_000, () => '['.repeat(1_000))),
  fileOf('an array of 157,000,000 [', () => repeat(157_000, () => '['.repeat(1_000)), 'hostile.json.gz'),
  fileAnd('lists 7,000,000 deep in a line that is short enough', () => [`{"externalId":"deep","meta:deep":${'['.repeat(7_000_000)}${']'.repeat(7_000_000)}}\n`],
    () => entryOf(`{"externalId":"deep","tags":${'['.repeat(7_000_000)}${']'.repeat(7_000_000)}}`)),
  fileOf('an element of an array of 1,000,000,000 characters', () => (function * () { yield '[{"externalId":"'; yield * repeat(1_000_000, () => 'a'.repeat(1_000)); yield '"}]' })(), 'hostile.json.gz'),
  fileAnd('4,000,000 empty objects in a line', () => [`{"externalId":"objects","meta:objects":[${list(4_000_000, () => '{}').join(',')}]}\n`],
    () => entryOf(`{"externalId":"objects","images":[${list(4_000_000, () => '{}').join(',')}]}`)),
  fileAnd('a billion blank lines', () => repeat(1_000_000, () => '\n'.repeat(1_000)), () => entryOf(`{"externalId":"blank"${'\n'.repeat(15_000_000)}}`)),
  fileAnd('a line of a billion characters', () => repeat(1_000_000, () => 'a'.repeat(1_000)), () => 'a'.repeat(15_000_000)),
  both('a description of 10 MB', () => [product('text', { description: 'x'.repeat(10_000_000) })]),
  fileAnd('numbers of 1,000,000 digits', () => [`${digits()}\n`], () => entryOf(digits())),
  both('surrogate halves', () => list(500, (n) => product(`S${n}`, { name: '\ud800'.repeat(255), tags: list(100, () => '\udfff') }))),
  both('what a regular expression may trip over', () => [
    product('urls', { externalUrl: `https://${'a'.repeat(1_000_000)}`, publishedAt: `2020-01-01T00:00:00.${'0'.repeat(1_000_000)}`, images: [{ url: `https://${'%'.repeat(1_000_000)}` }] }),
    product(' '.repeat(1_000_000), { brandName: `${' '.repeat(1_000_000)}x` })
  ]),
  both('names that mean something to JavaScript and MongoDB', () => list(500, (n) => product(`__proto__${n}`, { variants: [{ externalId: '__proto__', name: '$where', inventoryByLocation: { 'constructor.prototype': 1, $inc: 2 } }] }))),
  {
    name: 'a search for four words that all of 3,000 products have, 8 callers',
    before: manyProducts(3_000),
    request: () => ({ query: search, variables: { text: commonWords.join(' ') } }),
    callers: 8
  },
  {
    name: 'a search for 10,000 words',
    before: manyProducts(100),
    request: () => ({ query: search, variables: { text: list(10_000, (n) => `wheel${n}`).join(' ') } })
  },
  {
    name: 'pages of 100 products with 500 variants each',
    before: manyProducts(200, () => ({ variants: named(500) })),
    request: () => ({ query: '{ products(first: 100) { nodes { externalId variants { externalId name prices { price currency } } } } }', variables: {} }),
    callers: 2
  }
]
