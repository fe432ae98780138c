/** The whole service with nothing embedded: MongoDB, Kafka and SFTP are all servers that it has been given. */
import { readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { countBadLines, inventoryDelta, sampleCatalog } from '../../src/cli/sample-catalog.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { givenParts } from './given-parts.js'
import { descendantsOf } from './parts/process-tree.js'

const given = givenParts()
const service = await startServiceProcess(t)
const sample = { products: 3_000, seed: 7, badLineEvery: 500 }
const bad = countBadLines(sample)

t.test('a REPLACE and an UPDATE from sshd over Kafka into MongoDB, with exact stats', async (t) => {
  const vendor = await createVendor(service, 'real-parts')
  const put = async (name: string, lines: Iterable<string>): Promise<number> => {
    const all = [...lines]
    await vendor.put(name, gzipSync(`${all.join('\n')}\n`))
    return all.length
  }

  await put('products-full.jsonl.gz', sampleCatalog(sample))
  const replaced = await vendor.runImport({ files: ['products-full.jsonl.gz'], mode: 'REPLACE' })
  t.equal(replaced.status, 'completed')
  t.strictSame(replaced.stats, {
    productsProcessed: sample.products,
    productsCreated: sample.products - bad,
    productsUpdated: 0,
    productsArchived: 0,
    productsSkipped: bad,
    errors: bad
  })
  t.strictSame(replaced.errorDetails.map(({ line }) => line), [500, 1_000, 1_500, 2_000, 2_500, 3_000])

  const changed = await put('inventory-delta.jsonl.gz', inventoryDelta({ ...sample, share: 0.25 }))
  const updated = await vendor.runImport({ files: ['inventory-delta.jsonl.gz'], mode: 'UPDATE' })
  t.equal(updated.status, 'completed')
  t.strictSame(updated.stats, {
    productsProcessed: changed, productsCreated: 0, productsUpdated: changed, productsArchived: 0, productsSkipped: 0, errors: 0
  })
  const { data, errors } = await vendor.graphql('{ products(archived: false) { totalCount } }')
  t.equal(errors, undefined)
  t.strictSame(data, { products: { totalCount: sample.products - bad } })
})

t.test('it is ready on the given parts', async (t) => {
  const ready = service.logs.find((record) => record['ready'] === true)
  t.match(ready, { kafka: given.kafka['KAFKA_BROKERS'], sftp: new URL(given.sftpUrl).host, mongodb: /^mongodb:\/\/127\.0\.0\.1:/ })
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
})

t.test('nothing embedded was started', async (t) => {
  t.strictSame(await descendantsOf(service.pid), [])
  const written = await readdir(service.dataDir)
  t.notOk(written.includes('mongodb'), written.join(', '))
  t.notOk(written.includes('sftp'), written.join(', '))
})

t.test('it drains and ends within 30 s', async (t) => {
  const started = performance.now()
  t.strictSame(await service.terminate(), { code: 0, signal: null })
  t.ok(performance.now() - started < 30_000)
})
