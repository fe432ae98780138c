/** However charts come, and however many writers there are, a vendor has no more of them than its quota. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { SizeChartDraft } from '../../../src/domain/size-chart.js'
import { createRepositories } from '../../../src/store/repositories.js'
import { testDatabase } from '../../support/database.js'

const { database } = await testDatabase(t)
const maxCharts = 5
const { sizeCharts } = createRepositories(database, { charts: maxCharts })
const vendor = (): string => `v${randomBytes(4).toString('hex')}`
const chart = (externalId: string, body = '|S|'): SizeChartDraft => ({ externalId, name: externalId, origin: { body } })
const charts = (count: number, prefix = 'C'): SizeChartDraft[] => Array.from({ length: count }, (_, index) => chart(`${prefix}${index}`))
const refused = { code: 'LIMIT_EXCEEDED', message: 'A vendor may have at most 5 size charts; delete some first' }

t.test('one chart more than the quota is refused; of another vendor it is taken', async (t) => {
  const vendorId = vendor()
  for (const draft of charts(maxCharts)) await sizeCharts.create(vendorId, draft)
  await t.rejects(sizeCharts.create(vendorId, chart('more')), refused)
  t.equal(await sizeCharts.count(vendorId), maxCharts)
  await sizeCharts.create(vendor(), chart('more'))
})

t.test('a bulk over the quota is refused whole, updates included', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(3))
  await t.rejects(sizeCharts.upsertAll(vendorId, [chart('C0', 'new'), ...charts(3, 'D')]), refused)
  t.match(await sizeCharts.findByExternalId(vendorId, 'C0'), { body: '|S|' })
  t.equal(await sizeCharts.count(vendorId), 3)
})

t.test('at the quota what is there can still be changed', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(maxCharts))
  t.match(await sizeCharts.upsertAll(vendorId, [...charts(maxCharts), chart('C0', 'new')]), { created: 0, updated: maxCharts })
})

t.test('a deleted chart makes room', async (t) => {
  const vendorId = vendor()
  await sizeCharts.upsertAll(vendorId, charts(maxCharts))
  await sizeCharts.deleteAll(vendorId, ['C0'])
  await sizeCharts.create(vendorId, chart('more'))
  t.equal(await sizeCharts.count(vendorId), maxCharts)
})

t.test('writers at the same time do not pass the quota together', async (t) => {
  const vendorId = vendor()
  const writes = Array.from({ length: 12 }, async (_, index) => index % 2 === 0
    ? await sizeCharts.create(vendorId, chart(`one-${index}`))
    : await sizeCharts.upsertAll(vendorId, charts(3, `bulk-${index}-`)))
  const settled = await Promise.allSettled(writes)
  for (const result of settled) if (result.status === 'rejected') t.match(result.reason, refused)
  t.ok(await sizeCharts.count(vendorId) <= maxCharts)
})
