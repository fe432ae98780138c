import t from 'tap'
import { Envelope } from '../../../src/engine/envelope.js'
import { Stock, type SentStock } from '../../../src/domain/stock.js'
import { resolveLinks, type LinkLookup } from '../../../src/stages/resolve-links.js'
import type { CoercedPatch } from '../../../src/stages/coerce-metafields.js'
import { checkedLine, warningsOf } from './checked-line.js'

const known = (prefix: string, ...externalIds: string[]) => async (_vendorId: string, asked: string[]): Promise<Map<string, string>> =>
  new Map(asked.filter((externalId) => externalIds.includes(externalId)).map((externalId) => [externalId, `${prefix}-${externalId}`]))

const links: LinkLookup = {
  fitmentTargetIds: known('target', 'T1', 'T2'),
  sizeChartIds: known('chart', 'C1'),
  stockLocations: async () => [
    { _id: 'location-1', storeCode: 'NYC', isActive: true },
    { _id: 'location-2', storeCode: 'LA', isActive: true },
    { _id: 'location-3', storeCode: 'OLD', isActive: false }
  ]
}

t.test('fitment targets are stored by internal id, in order, each once', async (t) => {
  const { value } = await checkedLine({ externalId: 'P', fitmentTargetExternalIds: ['T2', 'T1', 'T2'] }, { links })
  t.strictSame(value?.fitmentTargetIds, ['target-T2', 'target-T1'])
})

t.test('unknown fitment targets are skipped, one warning each', async (t) => {
  const line = { externalId: 'P', fitmentTargetExternalIds: ['X', 'T1', 'Y'], variants: [{ sku: 'S', fitmentTargetExternalIds: ['Z'] }] }
  const { value, rejected } = await checkedLine(line, { links })
  t.strictSame([value?.fitmentTargetIds, value?.variants?.[0]?.fitmentTargetIds, rejected], [['target-T1'], [], false])
  t.strictSame(await warningsOf(line, { links }), [
    'fitmentTargetExternalIds[0] names an unknown fitment target, skipped: "X"',
    'fitmentTargetExternalIds[2] names an unknown fitment target, skipped: "Y"',
    'variants[0].fitmentTargetExternalIds[0] names an unknown fitment target, skipped: "Z"'
  ])
})

for (const [sent, stored, warning] of [
  [undefined, undefined, []],
  [null, null, []],
  ['C1', 'chart-C1', []],
  ['c1', null, ['sizeChartExternalId names an unknown size chart, cleared: "c1"']],
  ['', null, ['sizeChartExternalId names an unknown size chart, cleared: ""']]
] as Array<[string | null | undefined, string | null | undefined, string[]]>) {
  for (const mode of ['UPDATE', 'REPLACE'] as const) {
    t.test(`${mode}: a size chart ${sent === undefined ? 'omitted is unchanged' : `${JSON.stringify(sent)} is ${stored ?? 'cleared'}`}`, async (t) => {
      const fields = sent === undefined ? {} : { sizeChartExternalId: sent }
      const line = { externalId: 'P', name: 'n', brandName: 'b', externalUrl: 'https://example.com', ...fields, variants: [{ sku: 'S', ...fields }] }
      const { value } = await checkedLine(line, { links, mode })
      t.strictSame([value?.sizeChartId, value?.variants?.[0]?.sizeChartId], [stored, stored])
      t.strictSame(await warningsOf(line, { links, mode }), [...warning, ...warning.map((text) => `variants[0].${text}`)])
    })
  }
}

t.test('fitment targets null and [] are none; omitted is not sent', async (t) => {
  for (const sent of [null, []]) t.strictSame((await checkedLine({ externalId: 'P', fitmentTargetExternalIds: sent }, { links })).value?.fitmentTargetIds, [])
  t.equal((await checkedLine({ externalId: 'P' }, { links })).value?.fitmentTargetIds, undefined)
})

const stored = (stock: SentStock | undefined): Array<[string, number]> | undefined =>
  stock === undefined ? undefined : Stock.of([], stock.active).with(stock.units).toQuantities().map(({ locationId, quantity }) => [locationId, quantity])

async function quantities (inventoryByLocation: unknown): Promise<Array<[string, number]> | undefined> {
  const variant = inventoryByLocation === undefined ? { sku: 'S' } : { sku: 'S', inventoryByLocation }
  const { value } = await checkedLine({ externalId: 'P', variants: [variant] }, { links })
  return stored(value?.variants?.[0]?.stock)
}

t.test('each active location gets its value or 0, an inactive one nothing', async (t) => {
  t.strictSame(await quantities({ NYC: 3 }), [['location-1', 3], ['location-2', 0]])
  t.strictSame(await quantities({ NYC: 3, LA: 4, OLD: 5 }), [['location-1', 3], ['location-2', 4]])
})

t.test('null and {} are 0 at every active location', async (t) => {
  for (const sent of [null, {}]) t.strictSame(await quantities(sent), [['location-1', 0], ['location-2', 0]])
})

t.test('omitted is unchanged', async (t) => { t.equal(await quantities(undefined), undefined) })

t.test('codes are matched case-sensitively, and unknown ones are told with their path', async (t) => {
  const told: string[] = []
  const line = { externalId: 'P', variants: [{ sku: 'R' }, { sku: 'S', inventoryByLocation: { nyc: 1, NYC: 2, MOON: 3 } }] }
  const { value, warnings } = await checkedLine(line, { links, onUnknownStoreCode: (code, path) => told.push(`${code} at ${path}`) })
  t.strictSame(stored(value?.variants?.[1]?.stock), [['location-1', 2], ['location-2', 0]])
  t.strictSame(told, ['nyc at variants[1].inventoryByLocation', 'MOON at variants[1].inventoryByLocation'])
  t.strictSame(warnings, [], 'they are told once per job, not once per line')
})

t.test('an inactive location\'s code is known', async (t) => {
  const told: string[] = []
  await checkedLine({ externalId: 'P', variants: [{ sku: 'S', inventoryByLocation: { OLD: 1 } }] }, { links, onUnknownStoreCode: (code) => told.push(code) })
  t.strictSame(told, [])
})

t.test('a batch asks once for each kind, whatever its length, and not at all for nothing', async (t) => {
  const asked: string[] = []
  const counting: LinkLookup = {
    fitmentTargetIds: async (...query) => { asked.push(`targets ${query[1].join()}`); return await links.fitmentTargetIds(...query) },
    sizeChartIds: async (...query) => { asked.push(`charts ${query[1].join()}`); return await links.sizeChartIds(...query) },
    stockLocations: async (vendorId) => { asked.push(`locations of ${vendorId}`); return await links.stockLocations(vendorId) }
  }
  const batchOf = (...patches: Array<Partial<CoercedPatch>>): Array<Envelope<CoercedPatch>> =>
    patches.map((patch, index) => new Envelope({ file: 0, line: index + 1 }, { externalId: `P${index}`, metafields: [], metafieldChanges: new Map(), ...patch }))
  const stage = resolveLinks(counting, 'acme', () => {})
  await stage(batchOf({}, { sizeChartExternalId: null }))
  t.strictSame(asked, [])
  const variant = { externalId: 'V', index: 0, metafields: [], metafieldChanges: new Map<string, string>() }
  await stage(batchOf(
    { fitmentTargetExternalIds: ['T1'], sizeChartExternalId: 'C1' },
    { fitmentTargetExternalIds: ['T1', 'T2'], variants: [{ ...variant, sizeChartExternalId: 'C2', inventoryByLocation: new Map() }, { ...variant, inventoryByLocation: new Map() }] }
  ))
  t.strictSame(asked, ['targets T1,T2', 'charts C1,C2', 'locations of acme'])
})

t.test('between any two lines it looks at its turn, and gives way when that is over', async (t) => {
  let [asked, given] = [0, 0]
  const turn = { isOver () { asked += 1; return true }, async giveWay () { given += 1 }, async pause () {} }
  const batch = Array.from({ length: 20 }, (_, index) =>
    new Envelope<CoercedPatch>({ file: 0, line: index + 1 }, { externalId: `P${index}`, metafields: [], metafieldChanges: new Map(), fitmentTargetExternalIds: ['T1'] }))
  const resolved = await resolveLinks(links, 'acme', () => {})(batch, turn)
  t.ok(given >= 2 * 19, `${given} times given, asked ${asked} times`)
  t.strictSame(resolved.map(({ value }) => value?.fitmentTargetIds), batch.map(() => ['target-T1']))
})
