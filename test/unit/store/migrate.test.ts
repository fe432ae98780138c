import t, { type Test } from 'tap'
import type { Collection, Document } from 'mongodb'
import { openDatabase, type Database } from '../../../src/store/database/connection.js'
import type { RecordKind } from '../../../src/domain/analytics/records.js'
import { migrate } from '../../../src/store/migrate.js'
import { migrations, type Migration, type MigrationProgress } from '../../../src/store/migrations.js'
import { createRepositories } from '../../../src/store/repositories.js'
import { testDatabase } from '../../support/database.js'
import { writeRecords } from '../../support/analytics-check.js'
import { withMethod } from '../../support/with-method.js'
import { siblingDatabase } from '../../support/sibling-database.js'
import { recordingLog, silent } from '../../support/log.js'

const server = await testDatabase(t)

/** A step that is begun by this start, and does not die. */
const atOnce: MigrationProgress = { from: null, reached: async () => {} }

/** A database that nothing has prepared, as seen by so many processes. */
async function unprepared (t: Test, processes = 1): Promise<Database[]> {
  const { url, database } = await siblingDatabase(t, server)
  await database.db.dropDatabase()
  const opened = Array.from({ length: processes }, () => openDatabase(url, { appName: 'catalog-test' }))
  t.teardown(async () => { await Promise.all(opened.map(async ({ close }) => { await close() })) })
  return opened
}

const published = { publishedAt: new Date('2020-01-01'), updatedAt: new Date('2026-01-01') }

const one = async (t: Test): Promise<Database> => (await unprepared(t))[0] as Database
const versionOf = async ({ collections }: Database): Promise<number | undefined> =>
  (await collections.schemaVersions.findOne({ _id: 'catalog' }))?.version

/** Steps that write down that they have run. */
const noting = (ran: number[], versions: number[]): Migration[] =>
  versions.map((version) => ({ version, name: `step ${version}`, run: async () => { ran.push(version) } }))

t.test('an empty database gets the indexes and the latest version', async (t) => {
  const database = await one(t)
  await migrate(database, silent)
  t.equal(await versionOf(database), migrations.length)
  const { integrationApiKeys } = database.collections
  const indexes = await integrationApiKeys.indexes()
  for (const wanted of [{ name: 'by-hash', unique: true }, { name: 'by-vendor' }, { name: 'by-creator' }]) {
    t.match(indexes.find(({ name }) => name === wanted.name), wanted)
  }
})

t.test('steps run in order, and each once', async (t) => {
  const database = await one(t)
  const ran: number[] = []
  await migrate(database, silent, noting(ran, [1, 2]))
  await migrate(database, silent, noting(ran, [1, 2]))
  await migrate(database, silent, noting(ran, [1, 2, 3]))
  t.strictSame(ran, [1, 2, 3])
  t.equal(await versionOf(database), 3)
})

t.test('a step is told of before it runs, since it may take long, and when it is done', async (t) => {
  const { log, entries } = recordingLog()
  const told: unknown[] = []
  const step: Migration = { version: 1, name: 'long', run: async () => { told.push(...entries.map(({ msg }) => msg)) } }
  await migrate(await one(t), log, [step])
  t.strictSame(told, ['database is being migrated'])
  t.match(entries, [{ version: 1, change: 'long' }, { version: 1, change: 'long', msg: 'database migrated' }])
})

t.test('a start that dies in a step is made good by the next, from that step on', async (t) => {
  const database = await one(t)
  const ran: number[] = []
  const [first, ...others] = noting(ran, [1, 2, 3])
  const dying: Migration = { version: 2, name: 'dies', run: async () => { throw new Error('killed') } }
  await t.rejects(migrate(database, silent, [first as Migration, dying]), { message: 'killed' })
  t.equal(await versionOf(database), 1)
  await migrate(database, silent, [first as Migration, ...others])
  t.strictSame(ran, [1, 2, 3])
})

t.test('processes that start at once all succeed, on an empty database and on one that is to be changed', async (t) => {
  const processes = await unprepared(t, 6)
  const [database] = processes as [Database]
  await Promise.all(processes.map(async (each) => { await migrate(each, silent) }))
  t.equal(await versionOf(database), migrations.length)

  const changing: Migration[] = [...migrations, {
    version: migrations.length + 1,
    name: 'changes every vendor',
    run: async ({ vendors }) => { await vendors.updateMany({ name: 'before' }, { $set: { name: 'after' } }) }
  }]
  const vendors = Array.from({ length: 50 }, (_, partition) => ({ _id: `v${partition}`, name: 'before', partition, createdAt: new Date() }))
  await database.collections.vendors.insertMany(vendors)
  await Promise.all(processes.map(async (each) => { await migrate(each, silent, changing) }))
  t.equal(await versionOf(database), migrations.length + 1)
  t.equal(await database.collections.vendors.countDocuments({ name: 'after' }), 50)
})

t.test('a process of the version before starts on a migrated database and leaves its version alone', async (t) => {
  const database = await one(t)
  const ran: number[] = []
  await migrate(database, silent, noting(ran, [1, 2, 3]))
  await migrate(database, silent, noting(ran, [1, 2]))
  t.strictSame(ran, [1, 2, 3])
  t.equal(await versionOf(database), 3)
})

t.test('an index that is no longer wanted goes, also where it never was', async (t) => {
  const database = await one(t)
  const { vendors } = database.collections
  const names = async (): Promise<Array<string | undefined>> => (await vendors.indexes()).map(({ name }) => name)
  await vendors.createIndex({ partition: 1 }, { name: 'by-partition' })
  t.strictSame(await names(), ['_id_', 'by-partition'])
  for (const { run } of [...migrations, ...migrations]) await run(database.collections, atOnce)
  t.strictSame(await names(), ['_id_'])
})

t.test('products with search keys of before are found again, and what another process has rewritten stays', async (t) => {
  const database = await one(t)
  const products = database.collections.products as unknown as Collection<Document & { _id: string }>
  await products.createIndex({ searchKeys: 1 }, { name: 'by-search-key' })
  const before = { vendorId: 'v', revision: 1, ...published }
  await products.insertMany([
    { ...before, _id: 'any', searchKeys: ['w:pad', 'u'] }, { ...before, _id: 'linked', searchKeys: ['w:pad', 't:1', 't:2'] },
    { ...before, _id: 'new', targeted: false, searchKeys: [{ key: 'w:pad' }] }, { ...before, _id: 'without', targeted: true }
  ])
  for (const { run } of [...migrations, ...migrations]) await run(database.collections, atOnce)
  const pad = { key: 'w:pad' }
  t.strictSame(await products.find({}, { sort: { _id: 1 } }).toArray(), [
    { _id: 'any', ...before, searchKeys: [pad], targeted: false }, { _id: 'linked', ...before, searchKeys: [pad, { key: 't:1' }, { key: 't:2' }], targeted: true },
    { _id: 'new', ...before, searchKeys: [pad], targeted: false }, { _id: 'without', ...before, targeted: true }
  ])
  t.strictSame((await products.indexes()).map(({ name }) => name), ['_id_'])
})

t.test('products of before that are sold out say so, and no others', async (t) => {
  const database = await one(t)
  const products = database.collections.products as unknown as Collection<Document & { _id: string }>
  const before = { vendorId: 'v', revision: 1, targeted: false, ...published }
  await products.insertMany([
    { ...before, _id: 'bare' }, { ...before, _id: 'left', variants: [{ id: 'a', inventory: 0 }, { id: 'b', inventory: 1 }] }, { ...before, _id: 'out', variants: [{ id: 'a', inventory: 0 }, { id: 'b', inventory: -2, inventoryPolicy: 'DENY' }] },
    { ...before, _id: 'sold-beyond', variants: [{ id: 'a', inventory: 0, inventoryPolicy: 'CONTINUE' }] }, { ...before, _id: 'untracked', variants: [{ id: 'a' }] }
  ])
  for (const { run } of [...migrations, ...migrations]) await run(database.collections, atOnce)
  t.strictSame((await products.find({ soldOut: true }).toArray()).map(({ _id }) => _id), ['out'])
  t.match(await products.findOne({ _id: 'out' }), { revision: 1, variants: [{ inventory: 0 }, { inventory: -2 }] })
})

t.test('a start that dies among the products is made good by the next from there on', async (t) => {
  const database = await one(t)
  const { products } = database.collections
  const id = (n: number): string => String(n).padStart(4, '0')
  await (products as unknown as Collection<Document & { _id: string }>).insertMany(Array.from({ length: 1_200 }, (_, n) => ({ _id: id(n), vendorId: 'v', revision: 1, targeted: false, ...published, variants: [{ id: 'a', inventory: 0 }] })))
  let pages = 0
  const dying = withMethod(products, 'bulkWrite', async (...parameters: Parameters<typeof products.bulkWrite>) => {
    if (++pages === 2) throw new Error('killed')
    return await products.bulkWrite(...parameters)
  })
  await migrate(database, silent, migrations.slice(0, 4))
  await t.rejects(migrate({ collections: { ...database.collections, products: dying } }, silent), { message: 'killed' })
  await products.updateMany({}, { $unset: { soldOut: true } })
  await migrate(database, silent)
  t.strictSame((await products.find({ soldOut: true }, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id), Array.from({ length: 700 }, (_, n) => id(500 + n)))
  t.strictSame(await database.collections.schemaVersions.findOne({}), { _id: 'catalog', version: migrations.length })
})

const locations = [{ locationId: 's1', quantity: 0 }, { locationId: 's2', quantity: 12 }]
const stored = [{ id: 'a', locationQuantities: locations }, { id: 'b' }, { id: 'c', locationQuantities: locations.slice(1) }]
const storeKeys = [{ key: 'z:s1' }, { key: 'l:s2' }]
const stocked = (_id: string, more: object = {}): Document & { _id: string } =>
  ({ _id, vendorId: 'v', revision: 3, targeted: false, ...published, size: 100, patchHash: 'h', variants: stored, searchKeys: [{ key: 'w:pad' }, { key: 't:l' }, ...storeKeys], ...more })

t.test('levels at stores become one text a variant, and their keys go; nothing else of a product changes', async (t) => {
  const database = await one(t)
  const products = database.collections.products as unknown as Collection<Document & { _id: string }>
  const without = { _id: 'without', vendorId: 'v', revision: 1, targeted: false, ...published, variants: [{ id: 'a' }], searchKeys: [{ key: 'w:pad' }] }
  const written = { ...stocked('written'), variants: [{ id: 'a', locationQuantities: ';s1=4' }], searchKeys: [{ key: 'w:l' }] }
  await products.insertMany([stocked('both'), stocked('keys-alone', { searchKeys: storeKeys }), without, written])
  for (const { run } of [...migrations, ...migrations]) await run(database.collections, atOnce)
  const variants = [{ id: 'a', locationQuantities: ';s1=0;s2=12' }, { id: 'b' }, { id: 'c', locationQuantities: ';s2=12' }]
  const { searchKeys: _, ...bare } = stocked('keys-alone', { variants })
  t.strictSame(await products.find({}, { sort: { _id: 1 } }).toArray(), [stocked('both', { variants, searchKeys: [{ key: 'w:pad' }, { key: 't:l' }] }), bare, without, written])
})

t.test('a start that dies among levels is made good by the next, and who writes a product meanwhile is not overwritten', async (t) => {
  const database = await one(t)
  const { products } = database.collections
  const raw = products as unknown as Collection<Document & { _id: string }>
  // Three pages, and more than one group in each.
  await raw.insertMany(Array.from({ length: 1_100 }, (_, n) => stocked(String(n).padStart(4, '0'), { size: 20_000 })))
  let bulks = 0
  const dying = withMethod(products, 'bulkWrite', async (...parameters: Parameters<typeof products.bulkWrite>) => {
    if (++bulks === 1) await raw.updateOne({ _id: '0000' }, { $set: { revision: 4, variants: [{ id: 'new' }], searchKeys: [] } })
    if (bulks === 4) throw new Error('killed')
    return await products.bulkWrite(...parameters)
  })
  await migrate(database, silent, migrations.slice(0, 5))
  await t.rejects(migrate({ collections: { ...database.collections, products: dying } }, silent), { message: 'killed' })
  t.match(await database.collections.schemaVersions.findOne({}), { version: 5, begun: { version: 6, reached: '0499' } })
  await migrate(database, silent)
  t.match(await raw.findOne({ _id: '0000' }), { revision: 4, variants: [{ id: 'new' }] })
  t.equal(await raw.countDocuments({ 'variants.locationQuantities': ';s1=0;s2=12' }), 1_099)
  t.equal(await raw.countDocuments({ 'searchKeys.key': { $in: storeKeys.map(({ key }) => key) } }), 0)
})

t.test('drafts and scheduled products of before are found by their key, published ones have none, and what another process has rewritten stays', async (t) => {
  const database = await one(t)
  const products = database.collections.products as unknown as Collection<Document & { _id: string }>
  const pad = { key: 'w:pad' }
  const before = { vendorId: 'v', revision: 1, targeted: false, updatedAt: new Date('2026-01-01') }
  const draft = { ...before, _id: 'draft', searchKeys: [pad] }
  const others = [
    { ...before, _id: 'new', searchKeys: [pad, { key: 'v:draft' }] }, { ...before, _id: 'out', publishedAt: new Date('2025-12-31'), searchKeys: [pad] },
    { ...before, _id: 'soon', publishedAt: new Date('2026-01-02') }
  ]
  await products.insertMany([draft, { ...draft, _id: 'meanwhile' }, ...others])
  const meanwhile = withMethod(database.collections.products, 'bulkWrite', async (...parameters: Parameters<typeof database.collections.products.bulkWrite>) => {
    await products.updateOne({ _id: 'meanwhile' }, { $set: { revision: 2, publishedAt: before.updatedAt } })
    return await database.collections.products.bulkWrite(...parameters)
  })
  for (const { run } of migrations.slice(9, 10)) for (const collections of [{ ...database.collections, products: meanwhile }, database.collections]) await run(collections, atOnce)
  t.strictSame((await products.find({}, { sort: { _id: 1 } }).toArray()).map(({ _id, searchKeys }) => [_id, searchKeys as unknown]), [
    ['draft', [pad, { key: 'v:draft' }]], ['meanwhile', [pad]], ['new', [pad, { key: 'v:draft' }]], ['out', [pad]], ['soon', [{ key: 'v:scheduled' }]]
  ])
})

t.test('originals of before count towards the quota of their chart\'s vendor', async (t) => {
  const database = await one(t)
  const { sizeCharts, sizeChartPdfs } = createRepositories(database, { charts: 10, pdfBytes: 10 })
  const pdf = await sizeChartPdfs.write('v', [Buffer.alloc(8)], null)
  await sizeCharts.upsertAll('v', [{ externalId: 'C', name: 'C', origin: { pdf } }, { externalId: 'D', name: 'D', origin: { body: '|S|' } }])
  await database.collections.sizeChartPdfFiles.updateMany({}, { $unset: { metadata: 1 } })
  for (const { run } of [...migrations, ...migrations]) await run(database.collections, atOnce)
  await t.rejects(sizeChartPdfs.write('v', [Buffer.alloc(3)], null), { message: /have at most so many bytes: 10$/ })
})

const created = '2025-01-01T00:00:00Z'
/** What a step finds conversations by, and a record that makes it so. */
const filteredBy: Array<[version: number, kind: string, records: RecordKind, recordOf: (id: string) => object]> = [
  [8, 'sold', 'orders', (id: string) => ({
    id: `o-${id}`, created, totalPrice: 5, currency: 'USD', attribution: { method: 'm', conversationId: id }, lineItems: [{ quantity: 1, finalTotalPrice: 5, product: { externalId: `p-${id}` } }]
  })],
  [9, 'recommended', 'conversation-events', (id: string) => ({
    id: `e-${id}`, created, conversationId: id, type: 'Recommendation', recommendations: [{ product: { externalId: `p-${id}` } }, { product: { externalId: `p-${id}` } }]
  })]
]

for (const [version, kind, records, recordOf] of filteredBy) {
  t.test(`conversations of before are found by what they have ${kind}, also when the step died in it`, async (t) => {
    const database = await one(t)
    const { analytics } = createRepositories(database)
    const { conversations } = database.collections
    const ids = Array.from({ length: 120 }, (_, n) => `c${n}`)
    await writeRecords(analytics.writer, 'shop', 'conversations', ids.map((id) => ({ id, status: 'OPEN', channel: 'ServiceChat', created })))
    await writeRecords(analytics.writer, 'shop', records, ids.slice(1).map(recordOf))
    const linked = await conversations.find({}, { sort: { _id: 1 } }).toArray()
    await conversations.bulkWrite(linked.map(({ _id, filterKeys }) => ({ updateOne: { filter: { _id }, update: { $set: { filterKeys: filterKeys.filter((key) => !key.includes(`|${kind}|`)) } } } })))
    t.equal(await conversations.countDocuments({ filterKeys: `shop|${kind}|p-c7` }), 0)

    let bulks = 0
    const dying = withMethod(conversations, 'bulkWrite', async (...parameters: Parameters<typeof conversations.bulkWrite>) => {
      if (++bulks === 2) throw new Error('killed')
      return await conversations.bulkWrite(...parameters)
    })
    const steps = migrations.slice(version - 1, version)
    const reached: string[] = []
    const told: MigrationProgress = { from: null, reached: async (at) => { reached.push(at) } }
    for (const { run } of steps) await t.rejects(run({ ...database.collections, conversations: dying }, told), { message: 'killed' })
    t.equal(reached.length, 1, 'it has got somewhere')
    for (const { run } of steps) await run(database.collections, { ...told, from: reached.at(-1) ?? null })
    t.strictSame(await conversations.find({}, { sort: { _id: 1 } }).toArray(), linked)
    for (const { run } of steps) await run(database.collections, atOnce)
    t.strictSame(await conversations.find({}, { sort: { _id: 1 } }).toArray(), linked, 'once more')
  })
}

t.test('the steps are numbered without gaps', async (t) => {
  t.strictSame(migrations.map(({ version }) => version), migrations.map((_, index) => index + 1))
})
