/**
 * Whatever the service asks of its database is served by an index: each operation of the schema, the REST routes, imports of both modes and what upkeep does at a start are run on a service of its
 * own, and the shapes of its commands are held against the indexes that there are, and against the keys of collections that are sharded. One that begins to look at a whole collection, or to ask all
 * shards, fails here by its name. (What the other system tests have the service do is held in the same way when all of them have ended: test/run.ts.) Done once as on the server that there is, and once as on MongoDB, where no transaction may span shards.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sampleKinds, sampleYear } from '../../src/cli/sample-conversations.js'
import { permissions } from '../../src/domain/access.js'
import { readRecord } from '../../src/domain/analytics/records.js'
import { profileOf } from '../../src/store/database/server-profile.js'
import type { ShardKey } from '../../src/store/database/shard-keys.js'
import { besideRange, faultOf, lookOf, scatterOf, spanningTransactions, stepOf, type Index, type Look, type TransactionStep } from '../support/command-looks.js'
import { expectedIndexes, faultsOf, nameOf } from '../support/held-commands.js'
import { operationsOf, schema } from '../support/operations.js'
import { linesIn } from '../support/recorded-looks.js'
import { startServiceProcess } from '../support/service-process.js'
import { storeLocation } from '../support/store-location.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'

t.test('an index serves what begins with what is given', async (t) => {
  const indexes: Index[] = [{ name: '_id_', key: { _id: 1 } }, { name: 'by-job', key: { jobId: 1, _id: 1 } }, { name: 'due', key: { dueAt: 1 } }]
  const fault = (filter: object, sort: object = {}): string | null => faultOf(lookOf({ find: 'things', filter, sort })[0] as Look, indexes)
  t.equal(fault({ _id: 'a', other: 1 }), null)
  t.equal(fault({ _id: { $in: ['a'] } }), null)
  t.equal(fault({ jobId: 'a', _id: { $gt: 'b' } }, { _id: 1 }), null)
  t.match(fault({ _id: 'a', $or: [{ line: 1 }] }), /^\$or beside fields/)
  t.match(fault({ $and: [{ _id: 'a' }, { line: 1 }] }), /^\$and beside fields/)
  const [staged] = lookOf({ aggregate: 'things', pipeline: [{ $match: { _id: { $in: ['a'] } } }, { $match: { $or: [{ line: 1 }, { line: 2 }] } }] })
  t.equal(faultOf(staged as Look, indexes), null)
  t.equal(fault({ dueAt: { $lte: 1 } }), null)
  t.match(faultOf(lookOf({ findAndModify: 'things', query: { _id: 'a' } })[0] as Look, indexes), /^finds and changes at once/)
  t.match(fault({ _id: { $gt: 'a' } }, { _id: 1 }), /range of _id/)
  t.equal(fault({ other: 1 }), 'no index')
  t.equal(fault({}), 'no index')
})

t.test('what stands beside a range is in its index', async (t) => {
  const indexes: Index[] = [{ name: '_id_', key: { _id: 1 } }, { name: 'by-job', key: { jobId: 1, _id: 1 } }, { name: 'by-vendor', key: { vendorId: 1, createdAt: -1, _id: -1 } }]
  const beside = (filter: object): string[] => besideRange(lookOf({ find: 'things', filter })[0] as Look, indexes)
  t.strictSame(beside({ jobId: 'a', _id: { $gt: 'b' } }), [])
  t.strictSame(beside({ jobId: 'a', _id: { $gt: 'b', $lt: 'c' }, vendorId: 'v' }), ['vendorId'])
  t.strictSame(beside({ jobId: 'a', vendorId: 'v' }), [], 'no range')
  t.strictSame(beside({ _id: 'a', createdAt: { $lt: 1 } }), [], 'one document')
  t.strictSame(beside({ vendorId: 'v', createdAt: { $lt: 1 }, _id: { $lt: 'a' } }), [])
  t.strictSame(beside({ vendorId: 'v', createdAt: { $lt: 1 }, $or: [{ a: 1 }, { b: 1 }] }), ['$or'])
  const found = lookOf({ aggregate: 'things', pipeline: [{ $match: { jobId: 'a', _id: { $gt: 'b' } } }, { $match: { line: 1 } }] })[0] as Look
  t.strictSame(besideRange(found, indexes), [])
})

t.test('a sharded cluster knows where to send what names the shard key', async (t) => {
  const scatter = (command: object, key: ShardKey): string | null => scatterOf(lookOf(command as Record<string, unknown>)[0] as Look, key)
  const hashed = { _id: 'hashed' } as const
  t.equal(scatter({ find: 'things', filter: { _id: { $in: ['a', 'b'] }, other: 1 } }, hashed), null)
  t.equal(scatter({ find: 'things', filter: { _id: { $gt: 'a' } } }, hashed), 'every shard')
  t.equal(scatter({ find: 'things', filter: { _id: { $gt: 'a', $lt: 'b' } } }, { _id: 1 }), null)
  t.equal(scatter({ find: 'things', filter: { _id: { $gt: 'a' } } }, { _id: 1 }), 'every shard', 'but for those before')
  t.equal(scatter({ find: 'things', filter: { jobId: 'a' } }, { jobId: 1 }), null)
  t.equal(scatter({ aggregate: 'things', pipeline: [{ $match: { other: 1 } }] }, hashed), 'every shard')
  t.equal(scatter({ find: 'things', filter: { $or: [{ _id: 'a' }, { other: 1 }] } }, hashed), 'every shard')
  t.equal(scatter({ update: 'things', updates: [{ q: { other: 1 }, u: {}, multi: true }] }, hashed), 'every shard')
  t.equal(scatter({ update: 'things', updates: [{ q: { other: 1 }, u: {} }] }, hashed), 'nowhere to go')
  t.equal(scatter({ delete: 'things', deletes: [{ q: { other: 1 }, limit: 1 }] }, hashed), 'nowhere to go')
  t.equal(scatter({ delete: 'things', deletes: [{ q: { other: 1 }, limit: 0 }] }, hashed), 'every shard')
  t.equal(scatter({ findAndModify: 'things', query: { other: 1 } }, hashed), 'nowhere to go')
  t.equal(scatter({ findAndModify: 'things', query: { _id: 1 } }, hashed), null)
})

t.test('a transaction is on one shard as long as it asks for one value of one collection\'s shard key', async (t) => {
  const keys = new Map<string, ShardKey>([['things', { _id: 'hashed' }], ['parts', { thing: 1 }]])
  const spans = (...commands: object[]): boolean => {
    const steps = commands.map((command) => stepOf({ ...command, lsid: { id: Buffer.from('a') }, txnNumber: 1, autocommit: false }, keys))
    return spanningTransactions(steps.filter((step) => step !== null)).size > 0
  }
  const change = (q: object) => ({ q, u: { $set: { a: 1 } } })
  t.notOk(spans({ find: 'things', filter: { _id: 'a' } }, { update: 'things', updates: [change({ _id: 'a', revision: 1 }), change({ _id: { $eq: 'a' } })] }, { commitTransaction: 1 }))
  t.notOk(spans({ insert: 'parts', documents: [{ _id: 1, thing: 'a' }, { _id: 2, thing: 'a' }] }, { delete: 'parts', deletes: [{ q: { thing: { $in: ['a'] } }, limit: 0 }] }))
  t.notOk(spans({ update: 'others', updates: [change({ _id: 'a' }), change({})] }), 'all of what is not sharded')
  t.ok(spans({ update: 'things', updates: [change({ _id: 'a' }), change({ _id: 'b' })] }))
  t.ok(spans({ find: 'things', filter: { _id: 'a' } }, { find: 'things', filter: { _id: { $in: ['b'] } } }))
  t.ok(spans({ insert: 'things', documents: [{ _id: 'a' }] }, { insert: 'parts', documents: [{ thing: 'a' }] }), 'two collections')
  t.ok(spans({ insert: 'others', documents: [{}] }, { insert: 'more', documents: [{}] }), 'two that are not sharded: they may be moved apart')
  t.ok(spans({ find: 'things', filter: { _id: { $gt: 'a' } } }))
  t.ok(spans({ aggregate: 'parts', pipeline: [{ $group: { _id: null } }] }))
  t.ok(spans({ bulkWrite: 1, ops: [] }), 'what it is not known of')
  t.equal(stepOf({ find: 'things', filter: {}, lsid: { id: Buffer.from('a') }, txnNumber: 1 }, keys), null, 'a write that the driver may repeat is no transaction')
})

async function holdCommands (t: Test, server: 'the server' | 'MongoDB'): Promise<void> {
  // Within what is recorded of this file, where the whole run is.
  const folder = join(process.env['TEST_COMMANDS_FOLDER'] ?? testFolder(t), server)
  await mkdir(folder)
  const transactionsFile = join(folder, 'transactions')
  const service = await startServiceProcess(t, { env: { ...server === 'MongoDB' ? { TEST_SERVER_IS: 'mongodb' } : {}, TEST_COMMANDS_FOLDER: folder, TEST_TRANSACTIONS_FILE: transactionsFile } })
  const vendor = await createVendor(service, 'shop')
  const { users, userApiKeys, fitmentTargets, fitmentFacets, sizeCharts, storeLocations, analytics } = service.repositories()
  for (const kind of sampleKinds) await analytics.writer.write('shop', kind, Array.from(sampleYear(kind, { conversations: 5, seed: 1 }), (row) => readRecord(kind, row, [])))
  await users.create('owner', 'owner@example.com', [{ vendorId: 'shop', role: 'owner', permissions: [...permissions] }])
  const { key } = await userApiKeys.create('owner', 'test', null)
  const chart = await sizeCharts.create('shop', { externalId: 'C', name: 'Chart', origin: { body: '| a |' } })
  const createStore = async () => await storeLocations.create('shop', storeLocation('S'))
  const createTarget = async () => {
    const facet = await fitmentFacets.create('shop', { name: 'make', slug: 'make', position: 0 })
    return { facet, target: await fitmentTargets.create('shop', { externalId: 'T', facetValues: [{ facetId: facet._id, value: 'Honda' }] }) }
  }
  const [store, { facet, target }] = [await createStore(), await createTarget()]

  const line = (externalId: string, more: object = {}): string => JSON.stringify({ externalId, name: `Blue ${externalId}`, brandName: 'B', externalUrl: 'https://shop.example.com/a', ...more })
  const linked = { fitmentTargetExternalIds: ['T'], sizeChartExternalId: 'C', variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S: 3 } }] }
  await vendor.put('all.jsonl', ['a', 'b', 'c'].map((id) => line(id, linked)).join('\n'))
  await vendor.put('some.jsonl', [line('a'), '{ broken', line('d', { description: 'Of merino.' })].join('\n'))
  const { jobId } = await vendor.runImport({ files: ['all.jsonl'], mode: 'REPLACE', maxArchivePercent: 100 })
  for (const mode of ['UPDATE', 'REPLACE'] as const) await vendor.runImport({ files: ['some.jsonl'], mode, archiveDespiteUnreadable: true, idempotencyKey: mode })
  await vendor.runImport({ files: ['all.jsonl'], mode: 'UPDATE', dryRun: true })
  for (const path of [`/${jobId}`, `/${jobId}/errors`]) await fetch(`${service.url}/api/v1/products/import${path}`, { headers: { 'x-vendor-api-key': vendor.apiKey } })

  const ask = async (query: string): Promise<string> => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST', headers: { authorization: `Bearer ${key}`, 'x-vendor-id': 'shop', 'content-type': 'application/json' }, body: JSON.stringify({ query })
    })
    const answer = await response.text()
    t.notMatch(answer, /INTERNAL_SERVER_ERROR/, query)
    return answer
  }
  for (const id of [jobId, target._id, chart._id, store._id, facet._id]) {
    const { Query, Mutation } = operationsOf(await schema(), { vendorId: 'shop', id })
    for (const { text } of [...Query, ...Mutation]) if (!text.includes('$file')) await ask(text)
  }
  // All of these have been deleted, too.
  await Promise.all([createStore(), createTarget(), sizeCharts.create('shop', { externalId: 'C', name: 'Chart', origin: { body: '| a |' } })])
  for (const query of [
    '{ products(vendorId: "shop", first: 1) { totalCount nodes { externalId sizeChart { name } fitmentTargets { externalId } variants { inventoryByLocation { quantity } } } } }',
    '{ products(vendorId: "shop", visibility: DRAFT, inStock: true, storeCode: "S", first: 1) { totalCount nodes { externalId } } }',
    `{ productImportJob(jobId: "${jobId}") { errorDetails { message } warningDetails { message } queuePosition workerHeartbeatAt } }`,
    '{ productImportJobs(vendorId: "shop", status: completed, first: 1) { totalCount nodes { jobId } } }',
    '{ productImportJobs(vendorId: "shop", file: "all.jsonl", from: "2025-01-01", to: "2999-01-01", first: 1) { totalCount nodes { jobId } } }',
    '{ searchProducts(input: { vendorId: "shop", text: "blue", visibility: DRAFT }) { totalCount nodes { name } } }',
    '{ searchProducts(input: { vendorId: "shop", text: "blue b", inStock: true }) { totalCount nodes { name } facets { brands { value } } } }',
    '{ searchProducts(input: { vendorId: "shop", storeCode: "S", fitmentTargetExternalId: "T", minPrice: 1 }) { totalCount nodes { name } } }',
    '{ sizeCharts { totalCount nodes { name } } }',
    '{ fitmentTargets(input: { facetValues: { make: "Honda" } }) { targets { externalId } } }',
    '{ auditEvents(vendorId: "shop", first: 1) { totalCount nodes { action } } }',
    '{ auditEvents(vendorId: "shop", first: 1, by: "owner", action: "upsertProducts", from: "2025-01-01") { totalCount nodes { action } } }',
    '{ searchProducts(input: { vendorId: "shop", text: "merino", visibility: DRAFT }) { totalCount nodes { name } } }',
    '{ conversations(vendorId: "shop", start: "2025-01-01", filter: [{ soldProductExternalId: "a" }]) { totalCount edges { node { id } } } }',
    '{ conversations(vendorId: "shop") { totalCount edges { node { id } } } }',
    '{ conversations(vendorId: "shop", filter: [{ channels: [ServiceChat] }, { conversionStatus: None }]) { totalCount edges { node { id npsSurveys { id } events(last: 2) { totalCount } } } } }',
    '{ conversations(vendorId: "shop", start: "2025-01-01", end: "2025-12-31", filter: [{ channels: [ServiceChat] }], hour: { dayIndex: 0, hour: 9, timezone: "UTC" }) { totalCount edges { node { id } } } }',
    '{ conversation(id: "conversation-1") { subject events(last: 3) { totalCount edges { node { body } } } } }',
    '{ customerEvent(id: "conversation-1", vendorId: "shop") { type } }',
    `{ vendorById(vendorId: "shop") { conversationAggregateStatistics(start: "2025-01-01", end: "2025-12-31") {
      numberOfChats numberOfAIChats automationRate conversionRateForChatters conversionRateForNonChatters aovForChatters averageExpertResponseTime medianJoinTime
      topProductsByAttributedSales { __typename } topExperts { numberOfChats } topCitedKnowledge { count } chatsByHourHistogram(timezone: "UTC") { __typename }
      chatsTimeSeries(timezone: "UTC") { time } chatsByHourOfWeekHistogram(timezone: "UTC") { hour }
    } } }`,
    '{ smartTagCounts(vendorId: "shop", start: "2025-01-01", end: "2025-12-31") { count tag { title } } }',
    'mutation { resolveFitment(input: { vendorId: "shop", conversationId: "c", text: "honda" }) { status } }',
    'mutation { upsertProducts(vendorId: "shop", products: [{ externalId: "a", name: "A" }, { externalId: "new", name: "N", brandName: "B", externalUrl: "https://shop.example.com/n" }]) { id } }'
  ]) t.notMatch(await ask(query), /"errors"/, query)

  const looks = Array.from(await linesIn(folder), (line) => JSON.parse(line) as Look)
  t.ok(looks.length > 50, `${looks.length} shapes`)
  const indexes = new Map(await expectedIndexes())
  for (const { name } of await service.database().db.listCollections().toArray()) {
    const there = await service.database().db.collection(name).listIndexes().toArray() as Index[]
    const missing = (indexes.get(name) ?? []).filter(({ key }) => !there.some((each) => JSON.stringify(each.key) === JSON.stringify(key)))
    t.strictSame(missing, [], `${name} has the indexes that a whole run is held against`)
    indexes.set(name, there)
  }
  for (const look of looks) for (const fault of faultsOf(look, indexes)) t.fail(`${nameOf(look)}: ${fault}: ${JSON.stringify(look)}`)

  const steps = (await readFile(transactionsFile, 'utf8').catch(() => '')).split('\n').filter((each) => each !== '').map((each) => JSON.parse(each) as TransactionStep)
  const spanning = [...spanningTransactions(steps).values()].flat()
  const { commitsEachDocument } = profileOf(await service.database().db.admin().buildInfo())
  if (server === 'MongoDB' || !commitsEachDocument) t.strictSame(spanning, [], 'no transaction spans shards')
  // A bulk of products is a transaction, whatever shards there would be: that it is on record shows that others would be.
  else t.match(spanning, [/^products "/])
}

for (const server of ['the server', 'MongoDB'] as const) {
  t.test(`each command, as to ${server}, has an index, and a sharded cluster knows where to send it`, async (t) => { await holdCommands(t, server) })
}
