/** What a merchant's upload becomes, from SFTP to GraphQL. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { file, line, product } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const service = await startServiceProcess(t, { env: { SFTP_URL: '' } })

t.test('a gzipped REPLACE over SFTP: exact stats, errors with their lines, the product over GraphQL', async (t) => {
  const vendor = await createVendor(service, 'acme')
  await vendor.put('before.jsonl', file(line('kept', { name: 'Old name' }), line('gone-1'), line('gone-2'), line('bad-but-named')))
  await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })

  await vendor.upload('products-full.jsonl.gz', gzipSync(file(
    line('kept', { name: 'New name' }),
    '',
    '{"externalId": "broken", "name": ',
    line('bad-but-named', { externalUrl: 'shop.example.com/no-scheme' }),
    JSON.stringify({ externalId: 'nameless', brandName: 'Northwind', externalUrl: 'https://shop.example.com/x' }),
    line('new', {
      description: '<p>Für jeden Tag</p>',
      publishedAt: '2024-05-01T10:00:00Z',
      images: [
        { url: 'https://cdn.example.com/1.jpg', externalId: 'front', position: 1 },
        { url: 'https://cdn.example.com/1.jpg', externalId: 'again' }
      ],
      variants: [{ sku: 'S-1', name: 'Blue', upc: 123456789012, imageExternalId: 'again', quantity: 7, prices: [{ price: 9.5, currency: 'USD' }] }],
      categories: ['Shoes'],
      tags: ['new'],
      'meta:weight': 120,
      'meta:empty': ''
    }),
    '[]'
  )))
  const job = await vendor.runImport({ files: ['products-full.jsonl.gz'], mode: 'REPLACE', archiveDespiteUnreadable: true })

  t.match(job, { success: true, status: 'completed', mode: 'REPLACE', completedAt: /^\d{4}-.*Z$/ })
  t.strictSame(job.stats, {
    productsProcessed: 6, productsCreated: 1, productsUpdated: 1, productsArchived: 2, productsSkipped: 4, errors: 4
  })
  t.strictSame(job.errorDetails, [
    { line: 3, externalId: null, message: 'Malformed JSON' },
    { line: 4, externalId: 'bad-but-named', message: 'Invalid URL format for externalUrl' },
    { line: 5, externalId: 'nameless', message: '"name" is required' },
    { line: 7, externalId: null, message: 'A product must be a JSON object' }
  ])

  const { data, errors } = await vendor.graphql(`query ($jobId: ID!) {
    new: product(externalId: "new") {
      name brandName externalUrl description publishedAt archived visibility categories tags
      images { externalId url position }
      variants { externalId sku name upc inventory imageExternalId image { url } prices { price compareAtPrice currency } }
      metafields { key value }
    }
    kept: product(externalId: "kept") { name archived importedFrom { jobId fileNumber line } }
    gone: product(externalId: "gone-1") { archived visibility importedFrom { line } }
    bad: product(externalId: "bad-but-named") { archived }
    productImportJob(jobId: $jobId) {
      status attempt queuePosition progress { bytesRead bytesTotal linesRead percent } errorDetails { line message file }
    }
  }`, { jobId: job.jobId })
  t.equal(errors, undefined)
  t.strictSame(data.new, {
    name: 'Product new',
    brandName: 'Northwind',
    externalUrl: 'https://shop.example.com/new',
    description: '<p>Für jeden Tag</p>',
    publishedAt: '2024-05-01T10:00:00.000Z',
    archived: false,
    visibility: 'PUBLISHED',
    categories: ['Shoes'],
    tags: ['new'],
    images: [{ externalId: 'front', url: 'https://cdn.example.com/1.jpg', position: 1 }],
    variants: [{
      externalId: 'S-1',
      sku: 'S-1',
      name: 'Blue',
      upc: '123456789012',
      inventory: 7,
      imageExternalId: 'front',
      image: { url: 'https://cdn.example.com/1.jpg' },
      prices: [{ price: 9.5, compareAtPrice: null, currency: 'USD' }]
    }],
    metafields: [{ key: 'weight', value: '120' }]
  })
  t.strictSame(data.kept, { name: 'New name', archived: false, importedFrom: { jobId: job.jobId, fileNumber: 1, line: 1 } })
  t.strictSame(data.gone, { archived: true, visibility: 'ARCHIVED', importedFrom: null })
  t.strictSame(data.bad, { archived: false }, 'a bad line still names its product')
  const { progress, errorDetails, ...state } = data.productImportJob
  t.strictSame(state, { status: 'completed', attempt: 1, queuePosition: null })
  t.equal(progress.bytesRead, progress.bytesTotal)
  t.match(progress, { linesRead: 7, percent: 100 })
  t.strictSame(errorDetails[2], { line: 5, message: 'Missing required field: name', file: 'products-full.jsonl.gz' })
})

t.test('a .json array, numbered by element', async (t) => {
  const vendor = await createVendor(service, 'array')
  await vendor.upload('products.json', JSON.stringify([product('A'), 7, product('B', { name: 'x'.repeat(256) }), product('C')], null, 2))
  const job = await vendor.runImport({ files: ['products.json'], mode: 'REPLACE' })
  t.equal(job.status, 'completed')
  t.strictSame(job.stats, {
    productsProcessed: 4, productsCreated: 2, productsUpdated: 0, productsArchived: 0, productsSkipped: 2, errors: 2
  })
  t.strictSame(job.errorDetails, [
    { line: 2, externalId: null, message: 'A product must be a JSON object' },
    { line: 3, externalId: 'B', message: 'name must be at most 255 characters' }
  ])
})

t.test('plain JSON Lines with a BOM, CRLF, blank lines and no line end at the end', async (t) => {
  const vendor = await createVendor(service, 'windows')
  await vendor.upload('products.jsonl', `\uFEFF${[line('A'), '', '   ', 'nonsense', line('B')].join('\r\n')}`)
  const job = await vendor.runImport({ files: ['products.jsonl'], mode: 'UPDATE' })
  t.equal(job.status, 'completed')
  t.strictSame(job.stats, {
    productsProcessed: 3, productsCreated: 2, productsUpdated: 0, productsArchived: 0, productsSkipped: 1, errors: 1
  })
  t.strictSame(job.errorDetails, [{ line: 4, externalId: null, message: 'Malformed JSON' }])
})

t.test('several files in one job are read in their order, as one REPLACE', async (t) => {
  const vendor = await createVendor(service, 'several')
  await vendor.put('old.jsonl', file(line('old')))
  await vendor.runImport({ files: ['old.jsonl'], mode: 'UPDATE' })
  await vendor.upload('2.jsonl', file(line('A', { name: 'first' }), line('B')))
  await vendor.upload('1.jsonl.gz', gzipSync(file('{"externalId":"oops"', line('A', { name: 'last' }))))
  await vendor.upload('3.json', JSON.stringify([product('C')]))
  const job = await vendor.runImport({ files: ['2.jsonl', '1.jsonl.gz', '3.json'], mode: 'REPLACE' })
  t.equal(job.status, 'completed')
  t.strictSame(job.stats, {
    productsProcessed: 5, productsCreated: 3, productsUpdated: 1, productsArchived: 1, productsSkipped: 1, errors: 1
  })
  const { data } = await vendor.graphql(`query ($jobId: ID!) {
    product(externalId: "A") { name }
    products(archived: false) { totalCount }
    productImportJob(jobId: $jobId) { errorDetails { line file } }
  }`, { jobId: job.jobId })
  t.strictSame(data, {
    product: { name: 'last' }, products: { totalCount: 3 }, productImportJob: { errorDetails: [{ line: 1, file: '1.jsonl.gz' }] }
  })
})
