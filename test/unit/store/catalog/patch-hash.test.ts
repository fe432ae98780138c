import t from 'tap'
import { ActiveLocations } from '../../../../src/domain/stock.js'
import { lineDigestOf, patchHashOf } from '../../../../src/store/catalog/patch-hash.js'
import { activeLocations, patchOf, stockOf, variantPatch } from '../../domain/mergeable-patch.js'

const hash = (fields: Parameters<typeof patchOf>[0] = {}, mode: 'UPDATE' | 'REPLACE' = 'UPDATE', text = 'text'): string => patchHashOf(lineDigestOf(text), patchOf(fields), mode)

t.test('the same text, mode and links give the same digest', async (t) => {
  const fields = { fitmentTargetIds: ['a'], variants: [variantPatch('V', { sizeChartId: 'c' })] }
  t.equal(hash(fields), hash(structuredClone(fields)))
})

for (const [what, other] of Object.entries({
  'another text': hash({}, 'UPDATE', 'other'),
  'another mode': hash({}, 'REPLACE'),
  'a resolved target': hash({ fitmentTargetIds: ['a'] }),
  'no target': hash({ fitmentTargetIds: [] }),
  'a chart': hash({ sizeChartId: 'c' }),
  'a cleared chart': hash({ sizeChartId: null }),
  'a variant\'s target': hash({ variants: [variantPatch('V', { fitmentTargetIds: ['a'] })] }),
  'another variant\'s target': hash({ variants: [variantPatch('W', { fitmentTargetIds: ['a'] })] }),
  'a variant\'s quantities': hash({ variants: [variantPatch('V', { stock: stockOf(activeLocations('l')) })] }),
  'no stock at other locations': hash({ variants: [variantPatch('V', { stock: stockOf(activeLocations('l', 'm')) })] })
})) {
  t.test(`${what} gives another digest`, async (t) => { t.not(other, hash()) })
}

t.test('quantities at locations that are others, or that lines call otherwise, give another digest', async (t) => {
  const active = [new ActiveLocations(['l'], ['A']), new ActiveLocations(['l'], ['B']), new ActiveLocations(['m'], ['A']), new ActiveLocations(['l', 'm'], ['A', 'B']), new ActiveLocations(['l', 'm'], ['B', 'A'])]
  t.equal(new Set(active.map((locations) => hash({ variants: [variantPatch('V', { stock: stockOf(locations) })] }))).size, active.length)
})

t.test('links of different kinds are not taken for each other', async (t) => {
  const all = [{ fitmentTargetIds: ['a'] }, { sizeChartId: 'a' }, { variants: [variantPatch('V', { fitmentTargetIds: ['a'] })] }, { variants: [variantPatch('V', { sizeChartId: 'a' })] }]
  t.equal(new Set(all.map((fields) => hash(fields))).size, all.length)
})

t.test('its length does not grow with the line', async (t) => {
  t.ok(hash({}, 'UPDATE', 'x'.repeat(100_000)).length < 64)
})
