/** The requests of bench/hold-ups: small to send, and large to answer because of what is stored. */
import { createUpsertProducts } from '../pipelines/product-upsert.js'
import { productId, variantId, type ProductContent, type Variant } from '../src/domain/product.js'
import { createImportIssues } from '../src/store/jobs/import-issues.js'
import { createRepositories } from '../src/store/repositories.js'
import { toDocument } from '../src/store/catalog/product-document.js'
import type { BenchService } from './bench-service.js'

export interface HoldUpShape {
  name: string
  request: { method: 'POST' | 'GET', path: string, body?: object }
}

const vendorId = 'bench'
const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const variantFields = 'id externalId name sku upc inventory inventoryPolicy prices { price compareAtPrice currency } image { url } fitmentTargets { externalId } sizeChart { id } inventoryByLocation { quantity } metafields { key value }'
const graphql = (name: string, query: string, variables: object = {}): HoldUpShape => ({ name, request: { method: 'POST', path: '/graphql', body: { query, variables } } })
const ask = (name: string, question: object): HoldUpShape => graphql(
  `a question of ${name}`, 'mutation ($input: ResolveFitmentInput!) { resolveFitment(input: $input) { status candidates } }', { input: { vendorId: 'bench', conversationId: name, ...question } }
)
const upsert = (name: string, products: object[]): HoldUpShape =>
  graphql(name, 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "bench", products: $products) { externalId } }', { products })

const product = (externalId: string, more: object = {}): Record<string, unknown> =>
  ({ externalId, name: `Steel wheel ${externalId}`, brandName: 'Bench', externalUrl: 'https://shop.example.com/p', publishedAt: '2020-01-01', ...more })

/** Of a size that the bounds of today refuse, as it may be stored from before there were any. */
async function storeOversized ({ database }: BenchService, externalId: string, content: Partial<ProductContent>): Promise<void> {
  const now = new Date()
  const _id = productId(vendorId, externalId)
  await database.collections.products.insertOne(toDocument({
    _id, vendorId, externalId, revision: 1, writeId: 'bench', createdAt: now, updatedAt: now, createdBy: null, writtenBy: null, upsertedDuring: null, archivedByJobId: null, patchHash: null,
    size: JSON.stringify(content).length
  }, {
    name: externalId, brandName: 'Bench', externalUrl: 'https://shop.example.com/p', description: null, publishedAt: null, archived: false,
    images: [], imageAliases: [], variants: [], categories: [], tags: [], fitmentTargetIds: [], sizeChartId: null, metafields: [], ...content
  }))
}

/** Whose products are on either side of what the API's loop itself changes and tells. */
const variantCounts = [250, 500, 1_000, 2_000]

const letters = (n: number): string => n.toString(36).replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
/** A word of a customer's text, and none of the others' typo. */
const head = (n: number): string => `${letters(10 + n).repeat(3)}qz${letters(10 + n)}lw`

/** Facets of whose values each of 24 words is the first of 500; and one value of each that was seen with hundreds of the others. */
async function storeVocabulary ({ database }: BenchService): Promise<void> {
  const { fitmentFacets, fitmentTargets } = createRepositories(database)
  const facets: string[] = []
  for (let n = 0; n < 10; n++) facets.push((await fitmentFacets.create(vendorId, { name: `Facet ${n}`, slug: `facet${n}`, position: n }))._id)
  for (let word = 0; word < 24; word++) {
    const facetId = facets[word % 10] ?? ''
    await fitmentTargets.upsert(vendorId, list(500, (n) => ({ externalId: `T${word}-${n}`, facetValues: [{ facetId, value: `${head(word)} ${letters(n)}model` }] })))
  }
  const wide = list(500, (n) => ({ externalId: `wide${n}`, facetValues: facets.map((facetId, at) => ({ facetId, value: at === n % 10 ? 'common' : `value ${n}` })) }))
  await fitmentTargets.upsert(vendorId, wide)
}

/** Stores what the shapes ask for, and gives them. */
export async function prepareShapes (service: BenchService): Promise<HoldUpShape[]> {
  const { database: { collections } } = service
  const upsertProducts = createUpsertProducts(collections)
  const variant = (externalId: string, n: number): Variant => ({
    id: variantId(productId(vendorId, externalId), `V${n}`), externalId: `V${n}`, name: `Size ${n}`, sku: null, upc: null, imageExternalId: null, inventory: null, locationQuantities: [],
    inventoryPolicy: null, prices: [], fitmentTargetIds: [], sizeChartId: null, metafields: []
  })
  await storeOversized(service, 'wide', { variants: list(45_000, (n) => variant('wide', n)) })
  await storeOversized(service, 'text', { description: 'x'.repeat(4_000_000) })
  await storeOversized(service, 'tags', { tags: list(200_000, (n) => `tag ${n}`) })
  for (let n = 0; n < 100; n += 10) {
    await upsertProducts(vendorId, list(10, (m) => product(`P${n + m}`, { variants: list(500, (v) => ({ externalId: `V${v}`, name: `Size ${v}`, prices: [{ price: v, currency: 'EUR' }] })) })))
  }
  const priced = list(2_000, (n) => ({ externalId: `V${n}`, name: `Size ${n}`, inventory: n, prices: [{ price: n, currency: 'EUR' }] }))
  for (const count of variantCounts) await upsertProducts(vendorId, [product(`priced${count}`, { variants: priced.slice(0, count) })])
  await storeVocabulary(service)
  await collections.sizeCharts.insertMany(list(200, (n) => ({
    _id: `${String(n).padStart(4, '0')}${'0'.repeat(18)}`, vendorId, externalId: `C${n}`, name: `Chart ${n}`, sourceType: 'MARKDOWN', status: 'READY', body: '| a | b |\n'.repeat(5_000), revision: 1, createdAt: new Date(), updatedAt: new Date()
  })) as never)
  const jobs = list(5, (n) => `00000000-0000-4000-8000-00000000000${n}`)
  const issues = createImportIssues(collections)
  for (const jobId of jobs) {
    await collections.importJobs.insertOne({ _id: jobId, vendorId, status: 'completed', mode: 'UPDATE', files: ['a'], dryRun: false, stats: null, progress: null, createdAt: new Date(), completedAt: new Date() } as never)
    for (let from = 0; from < 10_000; from += 1_000) {
      await issues.add(vendorId, jobId, list(1_000, (n) => ({
        severity: 'error' as const, file: 'a', line: from + n, externalId: `P${n}`, position: { file: 0, line: from + n },
        faults: list(jobId === jobs[0] ? 100 : 2, (f) => ({ code: 'wrong-type' as const, path: `variants[${f}].prices[0].currency`, detail: 'a string' }))
      })))
    }
  }
  const job = (n: number): string => `a${n}: productImportJob(jobId: "${jobs[n]}") { errorDetails(first: 10000) { line externalId message file } }`
  const entry = (n: number, externalId = 'wide'): object => ({ externalId, variants: [{ externalId: `V${n}`, inventory: Date.now() % 1e6 + n }] })
  return [
    upsert('20 entries of a stored product of 45,000 variants', list(20, (n) => entry(n))),
    ...variantCounts.flatMap((count) => [
      upsert(`20 entries of a stored product of ${count} variants with prices`, list(20, (n) => entry(n, `priced${count}`))),
      graphql(`a product of ${count} variants with prices, all fields`, `{ product(externalId: "priced${count}") { variants { ${variantFields} } } }`),
      graphql(`a product of ${count} variants with prices, one field`, `{ product(externalId: "priced${count}") { name } }`)
    ]),
    upsert('60,000 tags in one entry', [{ externalId: 'P1', tags: list(36_000, (n) => `t${n.toString(36)}`) }]),
    upsert('60,000 tags of a wrong type', [{ externalId: 'P1', tags: list(60_000, (n) => n % 10) }]),
    graphql('a product of 45,000 variants, all fields', `{ product(externalId: "wide") { variants { ${variantFields} } } }`),
    graphql('a product of 45,000 variants, one field', '{ product(externalId: "wide") { variants { externalId } } }'),
    graphql('a product of 200,000 tags', '{ product(externalId: "tags") { tags } }'),
    graphql('100 times a text of 4 MB', `{ product(externalId: "text") { ${list(100, (n) => `a${n}: description`).join(' ')} } }`),
    graphql('100 products of 500 variants', `{ products(first: 100) { nodes { externalId variants { ${variantFields} } } } }`),
    graphql('100 products found, of 500 variants', '{ searchProducts(input: { vendorId: "bench", text: "steel wheel", first: 100 }) { nodes { externalId variants { externalId prices { price } } } } }'),
    graphql('200 size charts of 50,000 characters', '{ sizeCharts(first: 200) { nodes { externalId body } } }'),
    graphql('50,000 errors of five jobs', `{ ${list(5, job).join(' ')} }`),
    graphql('10,000 errors of 100 faults', `{ ${job(0)} }`),
    graphql('10,000 errors of 2 faults', `{ ${job(1)} }`),
    { name: 'REST: 1,000 errors of 100 faults', request: { method: 'GET', path: `/api/v1/products/import/${jobs[0]}` } },
    { name: 'REST: a stream of 10,000 errors of 100 faults', request: { method: 'GET', path: `/api/v1/products/import/${jobs[0]}/errors` } },
    graphql('650 times the same field with an argument', `{ productImportJob(jobId: "x") { ${'errorDetails(first: 1) { line } '.repeat(480)} } }`),
    graphql('990 times the same field', `{ product(externalId: "P1") { ${'name '.repeat(990)} } }`),
    graphql('990 times the same field with one name and fragments', `{ product(externalId: "P1") { ${list(30, (n) => `...F${n}`).join(' ')} } } ${list(30, (n) => `fragment F${n} on Product { ${'name '.repeat(33)} }`).join(' ')}`),
    graphql('1,900 inline fragments', `{ product(externalId: "P1") { ${'... { name } '.repeat(780)} } }`),
    graphql('64 Ki of unknown fields', `{ ${list(990, (n) => `unknown${n}`).join(' ')} }`),
    ask('24 words, each the first of 500 values', { text: list(24, head).join(' ') }),
    ask('24 words of 24 letters, nothing that is known', { text: list(24, (n) => head(n).repeat(3)).join(' ') }),
    ask('12 words, each the first of 500 values, and each denied', { text: list(12, (n) => `not ${head(n)}`).join(' ') }),
    ask('490 dashes between two years', { text: `2018${' -'.repeat(490)} 2020` }),
    ask('490 accents behind a year', { text: `2018 ${'a\u0301'.repeat(490)}` }),
    ask('a range of all years', { text: `${head(0)} until 2050, since 1900` }),
    ask('8 given values, each the first word of 500', { facetValues: Object.fromEntries(list(8, (n) => [`facet${n}`, head(n)])) }),
    ask('values that were seen with 500 others of each facet', { text: 'common' }),
    graphql('introspection', '{ __schema { types { name description fields(includeDeprecated: true) { name description args { name type { name kind ofType { name kind ofType { name kind } } } } type { name kind ofType { name kind ofType { name kind ofType { name } } } } } inputFields { name type { name } } enumValues { name } } } }')
  ]
}
