/** Images, links and quantities as they are stored, over the real database. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { newSizeChart } from '../../../../src/domain/size-chart.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { storeLocation } from '../../../support/store-location.js'
import { testCatalog, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { fitmentTargets, sizeCharts, storeLocations } = parts.database.collections

const target = async ({ vendorId }: TestCatalog, externalId: string): Promise<string> => {
  const { _id } = await parts.repositories.fitmentTargets.create(vendorId, { externalId, facetValues: [] })
  return _id
}
const chart = async ({ vendorId }: TestCatalog, externalId: string): Promise<string> => {
  const record = newSizeChart(vendorId, { externalId, name: externalId, origin: { body: '|Size|' } }, new Date())
  await sizeCharts.insertOne(record)
  return record._id
}
const location = async ({ vendorId }: TestCatalog, storeCode: string, isActive = true): Promise<string> => {
  const _id = `${vendorId}-${storeCode}`
  await storeLocations.insertOne({ _id, vendorId, ...storeLocation(storeCode, { isActive }) })
  return _id
}
const variant = async (catalog: TestCatalog) => {
  const [first] = (await catalog.product('P')).variants
  if (first === undefined) throw new Error('no variant')
  return first
}
const quantities = async (catalog: TestCatalog): Promise<Record<string, number>> =>
  Object.fromEntries((await variant(catalog)).locationQuantities.map(({ locationId, quantity }) => [locationId.replace(`${catalog.vendorId}-`, ''), quantity]))
const sending = (inventoryByLocation: unknown, more = {}): object => ({ externalId: 'P', variants: [{ externalId: 'V', inventoryByLocation, ...more }] })

const url = 'https://cdn.example.com/1.jpg'

t.test('a dropped duplicate\'s id, explicit or MD5, links in the same line and in a later delta', async (t) => {
  const catalog = testCatalog(parts)
  const md5 = createHash('md5').update(url).digest('hex')
  await catalog.import([line('P', {
    images: [{ url, externalId: 'front' }, { url, externalId: 'again' }, { url }], variants: [{ externalId: 'V', name: 'V', imageExternalId: 'again' }]
  })])
  t.equal((await variant(catalog)).imageExternalId, 'front')
  for (const imageExternalId of [md5, 'again', 'front']) {
    await catalog.import([{ externalId: 'P', variants: [{ externalId: 'V', imageExternalId: null }] }])
    const { warnings } = await catalog.import([{ externalId: 'P', variants: [{ externalId: 'V', imageExternalId }] }])
    t.strictSame([(await variant(catalog)).imageExternalId, warnings], ['front', []], imageExternalId)
  }
})

t.test('an image that matches none is stored as null with a warning, each time it is sent', async (t) => {
  const catalog = testCatalog(parts)
  const sent = line('P', { variants: [{ externalId: 'V', name: 'V', imageExternalId: 'nowhere' }] })
  for (let round = 0; round < 2; round++) {
    t.strictSame((await catalog.import([sent])).warnings, ['1: variants[0].imageExternalId matches no image: "nowhere"'])
    t.equal((await variant(catalog)).imageExternalId, null)
  }
  t.equal((await catalog.product('P')).revision, 1, 'warned again without a write')
})

t.test('links are stored by internal id: a renamed target or chart keeps them', async (t) => {
  const catalog = testCatalog(parts)
  const [targetId, chartId] = [await target(catalog, 'T'), await chart(catalog, 'C')]
  await catalog.import([line('P', { fitmentTargetExternalIds: ['T'], sizeChartExternalId: 'C' })])
  await parts.repositories.fitmentTargets.update(catalog.vendorId, targetId, { externalId: 'renamed' })
  await sizeCharts.updateOne({ _id: chartId }, { $set: { externalId: 'renamed' } })
  await catalog.import([{ externalId: 'P', name: 'Other' }])
  t.match(await catalog.product('P'), { fitmentTargetIds: [targetId], sizeChartId: chartId })
})

t.test('another vendor\'s target and chart are unknown', async (t) => {
  const [catalog, other] = [testCatalog(parts), testCatalog(parts)]
  await target(other, 'T')
  await chart(other, 'C')
  const { warnings } = await catalog.import([line('P', { fitmentTargetExternalIds: ['T'], sizeChartExternalId: 'C' })])
  t.match(await catalog.product('P'), { fitmentTargetIds: [], sizeChartId: null })
  t.equal(warnings.length, 2)
})

t.test('creating a target later does not link retroactively, sending the very same line again does', async (t) => {
  const catalog = testCatalog(parts)
  const sent = line('P', { fitmentTargetExternalIds: ['T'] })
  t.strictSame((await catalog.import([sent])).warnings, ['1: fitmentTargetExternalIds[0] names an unknown fitment target, skipped: "T"'])
  const id = await target(catalog, 'T')
  t.strictSame((await catalog.product('P')).fitmentTargetIds, [])
  t.strictSame((await catalog.import([sent])).warnings, [])
  t.strictSame((await catalog.product('P')).fitmentTargetIds, [id])
})

t.test('a target that is gone is skipped when the very same line is sent again', async (t) => {
  const catalog = testCatalog(parts)
  const id = await target(catalog, 'T')
  const sent = line('P', { fitmentTargetExternalIds: ['T'] })
  await catalog.import([sent])
  await fitmentTargets.deleteOne({ _id: id })
  t.equal((await catalog.import([sent])).warnings.length, 1)
  t.strictSame((await catalog.product('P')).fitmentTargetIds, [])
})

for (const mode of ['UPDATE', 'REPLACE'] as const) {
  t.test(`${mode}: a size chart is unchanged when omitted, cleared by null or an unknown id, set by a known one`, async (t) => {
    const catalog = testCatalog(parts)
    const id = await chart(catalog, 'C')
    const step = async (fields: object): Promise<string | null> => {
      await catalog.import([line('P', fields as never)], { mode })
      return (await catalog.product('P')).sizeChartId
    }
    t.strictSame([await step({}), await step({ sizeChartExternalId: 'C' }), await step({}), await step({ sizeChartExternalId: null }), await step({ sizeChartExternalId: 'C' }), await step({ sizeChartExternalId: 'unknown' })],
      [null, id, id, null, id, null])
  })
}

t.test('inventoryByLocation: active locations get their value or 0, inactive ones keep theirs', async (t) => {
  const catalog = testCatalog(parts)
  const inactive = await location(catalog, 'OLD')
  await location(catalog, 'NYC')
  await location(catalog, 'LA')
  await catalog.import([line('P', { variants: [{ externalId: 'V', name: 'V', inventory: 99, inventoryByLocation: { NYC: 1, LA: 2, OLD: 3 } }] })])
  await storeLocations.updateOne({ _id: inactive }, { $set: { isActive: false } })
  await catalog.import([sending({ NYC: 5, OLD: 7 })])
  t.strictSame(await quantities(catalog), { NYC: 5, LA: 0, OLD: 3 })
  t.equal((await variant(catalog)).inventory, 99, 'the total is independent of it')
})

for (const cleared of [null, {}]) {
  t.test(`inventoryByLocation ${JSON.stringify(cleared)} is 0 at every active location; omitted is unchanged`, async (t) => {
    const catalog = testCatalog(parts)
    await location(catalog, 'NYC')
    await catalog.import([line('P', { variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { NYC: 4 } }] })])
    await catalog.import([{ externalId: 'P', variants: [{ externalId: 'V', inventory: 1 }] }])
    t.strictSame(await quantities(catalog), { NYC: 4 })
    await catalog.import([sending(cleared)])
    t.strictSame(await quantities(catalog), { NYC: 0 })
  })
}

t.test('renaming a storeCode keeps its quantities', async (t) => {
  const catalog = testCatalog(parts)
  const id = await location(catalog, 'NYC')
  await catalog.import([line('P', { variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { NYC: 4 } }] })])
  await storeLocations.updateOne({ _id: id }, { $set: { storeCode: 'NY' } })
  const { warnings } = await catalog.import([sending({ NY: 6 })])
  t.strictSame([await quantities(catalog), warnings], [{ NYC: 6 }, []])
})

t.test('the very same line again reaches a location that was opened or activated since', async (t) => {
  const catalog = testCatalog(parts)
  const sent = line('P', { variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { NYC: 4 } }] })
  await catalog.import([sent])
  t.strictSame(await quantities(catalog), {})
  await location(catalog, 'NYC')
  await catalog.import([sent])
  t.strictSame(await quantities(catalog), { NYC: 4 })
})

t.test('an unknown store code is told once per job, with a count, and never fails a line', async (t) => {
  const catalog = testCatalog(parts)
  await location(catalog, 'NYC')
  const withCodes = (id: string, inventoryByLocation: object): string => line(id, { variants: [{ externalId: 'V', name: 'V', inventoryByLocation }] })
  const { warnings, errors } = await catalog.import([
    withCodes('P', { nyc: 1 }), withCodes('Q', { nyc: 2, NYC: 1 }), withCodes('R', { nyc: 1, MOON: 1 })
  ], { batchSize: 1 })
  t.strictSame(errors, [])
  t.strictSame(warnings, [
    '1: variants[0].inventoryByLocation names an unknown store code, ignored: "nyc" (3 times)',
    '3: variants[0].inventoryByLocation names an unknown store code, ignored: "MOON"'
  ])
})
