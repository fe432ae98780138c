import t from 'tap'
import { importModes, type ImportMode } from '../../../src/domain/import-job.js'
import type { Warning } from '../../../src/domain/issue.js'
import type { MergeablePatch, MergeableVariant } from '../../../src/domain/mergeable-patch.js'
import { missingFields } from '../../../src/domain/missing-fields.js'
import { variantId, type ProductContent, type Variant } from '../../../src/domain/product.js'
import { sameContent } from '../../../src/domain/same-content.js'
import { activeLocations, contentOf, id, mergeProduct, newPatch, patchOf, stockOf, variantOf, variantPatch } from './mergeable-patch.js'

const merge = (old: ProductContent | null, patch: Partial<MergeablePatch>, mode: ImportMode = 'UPDATE', warnings: Warning[] = []): ProductContent =>
  mergeProduct(old, patchOf(patch), mode, id, warnings)

/** One variant of before, merged with what a line says of it. */
const mergeVariant = (old: Partial<Variant>, patch: Partial<MergeableVariant>, mode: ImportMode): Variant | undefined =>
  merge(contentOf({ variants: [variantOf('V', old)] }), { variants: [variantPatch('V', patch)] }, mode).variants[0]

const image = (externalId: string, url = `https://cdn.example.com/${externalId}`): { externalId: string, url: string, position: null } => ({ externalId, url, position: null })

/** Every field: what was stored, what is sent, and what null makes of it (absent: it cannot be null). */
const fields: Array<{ field: keyof ProductContent & keyof MergeablePatch, old: unknown, sent: unknown, cleared?: unknown }> = [
  { field: 'name', old: 'Old', sent: 'New' },
  { field: 'brandName', old: 'Old', sent: 'New' },
  { field: 'externalUrl', old: 'https://example.com/old', sent: 'https://example.com/new' },
  { field: 'description', old: 'Old', sent: '', cleared: null },
  { field: 'publishedAt', old: new Date(1), sent: new Date(2), cleared: null },
  { field: 'archived', old: false, sent: true },
  { field: 'categories', old: ['a'], sent: ['b', 'c'] },
  { field: 'tags', old: ['a'], sent: [] },
  { field: 'fitmentTargetIds', old: ['a'], sent: ['b'] },
  { field: 'sizeChartId', old: 'a', sent: 'b', cleared: null }
]
const variantFields: Array<{ field: keyof Variant & keyof MergeableVariant, old: unknown, sent: unknown, cleared?: unknown }> = [
  { field: 'name', old: 'Old', sent: 'New', cleared: null },
  { field: 'sku', old: 'Old', sent: 'New', cleared: null },
  { field: 'upc', old: 'Old', sent: 'New', cleared: null },
  { field: 'inventory', old: 5, sent: 0, cleared: null },
  { field: 'inventoryPolicy', old: 'DENY', sent: 'CONTINUE', cleared: null },
  { field: 'prices', old: [{ price: 1, compareAtPrice: 2, currency: 'USD' }], sent: [{ price: 3, compareAtPrice: null, currency: 'EUR' }] },
  { field: 'fitmentTargetIds', old: ['a'], sent: ['b'] },
  { field: 'sizeChartId', old: 'a', sent: 'b', cleared: null }
]

for (const mode of importModes) {
  for (const { field, old, sent, cleared } of fields) {
    const stored = contentOf({ [field]: old })
    t.test(`${mode}: ${field} omitted stays, sent replaces${cleared === undefined ? '' : ', null clears'}`, async (t) => {
      t.strictSame(merge(stored, {}, mode)[field], old)
      t.strictSame(merge(stored, { [field]: sent }, mode)[field], sent)
      if (cleared !== undefined) t.strictSame(merge(stored, { [field]: null }, mode)[field], cleared)
    })
  }

  for (const { field, old, sent, cleared } of variantFields) {
    t.test(`${mode}: a variant's ${field} omitted stays, sent replaces${cleared === undefined ? '' : ', null clears'}`, async (t) => {
      t.strictSame(mergeVariant({ [field]: old }, {}, mode)?.[field], old)
      t.strictSame(mergeVariant({ [field]: old }, { [field]: sent }, mode)?.[field], sent)
      if (cleared !== undefined) t.strictSame(mergeVariant({ [field]: old }, { [field]: null }, mode)?.[field], cleared)
    })
  }

  t.test(`${mode}: images omitted stay, sent replace, an empty list clears`, async (t) => {
    const stored = contentOf({ images: [image('a')] })
    t.strictSame(merge(stored, {}, mode).images, [image('a')])
    t.strictSame(merge(stored, { imageSet: { list: [image('b')], aliases: [] } }, mode).images, [image('b')])
    t.strictSame(merge(stored, { imageSet: { list: [], aliases: [] } }, mode).images, [])
  })

  t.test(`${mode}: metafields merge key by key; null removes that key`, async (t) => {
    const stored = contentOf({ metafields: [{ key: 'a', value: '1' }, { key: 'b', value: '2' }] })
    t.strictSame(merge(stored, {}, mode).metafields, stored.metafields)
    const changed = merge(stored, { metafieldChanges: new Map([['a', null], ['b', '3'], ['c', '4'], ['d', null]]) }, mode).metafields
    t.strictSame(changed, [{ key: 'b', value: '3' }, { key: 'c', value: '4' }])
  })

  t.test(`${mode}: a variant's metafields merge key by key`, async (t) => {
    const merged = mergeVariant({ metafields: [{ key: 'a', value: '1' }, { key: 'b', value: '2' }] }, { metafieldChanges: new Map([['a', null], ['b', '3']]) }, mode)
    t.strictSame(merged?.metafields, [{ key: 'b', value: '3' }])
  })

  t.test(`${mode}: variants omitted stay`, async (t) => {
    t.strictSame(merge(contentOf({ variants: [variantOf('a'), variantOf('b')] }), {}, mode).variants, [variantOf('a'), variantOf('b')])
  })

  t.test(`${mode}: a variant that is sent keeps its id and what was not sent of it`, async (t) => {
    const merged = mergeVariant({ sku: 'S', inventory: 3 }, { inventory: 4 }, mode)
    t.strictSame(merged, variantOf('V', { sku: 'S', inventory: 4 }))
  })

  t.test(`${mode}: a new variant starts empty, with a deterministic id`, async (t) => {
    const [, added] = merge(contentOf({ variants: [variantOf('a')] }), { variants: [variantPatch('a'), variantPatch('b', { name: 'B' })] }, mode).variants
    t.strictSame(added, variantOf('b', { name: 'B', id: variantId(id, 'b') }))
  })

  t.test(`${mode}: a price without compareAtPrice holds none`, async (t) => {
    t.strictSame(mergeVariant({}, { prices: [{ price: 1, currency: 'USD' }] }, mode)?.prices, [{ price: 1, compareAtPrice: null, currency: 'USD' }])
  })

  t.test(`${mode}: a new product without publishedAt is a live draft`, async (t) => {
    t.strictSame(mergeProduct(null, newPatch(), mode, id, []), contentOf())
  })

  t.test(`${mode}: a new product may arrive archived`, async (t) => {
    t.equal(mergeProduct(null, newPatch({ archived: true }), mode, id, []).archived, true)
  })

  t.test(`${mode}: a patch is left untouched, so that it can be applied again when its product was changed by others`, async (t) => {
    const patch = newPatch({
      name: 'x', tags: ['t'], imageSet: { list: [image('a')], aliases: [{ externalId: 'b', imageExternalId: 'a' }] },
      variants: [variantPatch('a', { inventory: 9, imageExternalId: 'b' }), variantPatch('b', { name: 'B' })], metafieldChanges: new Map([['a', '2']])
    })
    const before = structuredClone(patch)
    merge(contentOf({ variants: [variantOf('a')] }), patch, mode)
    t.strictSame(patch, before)
  })
}

t.test('UPDATE: the variants not sent stay, in their order', async (t) => {
  const merged = merge(contentOf({ variants: [variantOf('a'), variantOf('b')] }), { variants: [variantPatch('b', { inventory: 1 }), variantPatch('c', { name: 'C' })] })
  t.strictSame(merged.variants.map(({ externalId, inventory }) => [externalId, inventory]), [['a', null], ['b', 1], ['c', null]])
})

t.test('UPDATE: an empty list of variants removes none', async (t) => {
  t.equal(merge(contentOf({ variants: [variantOf('a')] }), { variants: [] }).variants.length, 1)
})

t.test('REPLACE: a list of variants that is sent is the complete list, in its order', async (t) => {
  const merged = merge(contentOf({ variants: [variantOf('a'), variantOf('b')] }), { variants: [variantPatch('c', { name: 'C' }), variantPatch('b')] }, 'REPLACE')
  t.strictSame(merged.variants.map(({ externalId }) => externalId), ['c', 'b'])
})

t.test('REPLACE: an empty list of variants removes all', async (t) => {
  t.strictSame(merge(contentOf({ variants: [variantOf('a')] }), { variants: [] }, 'REPLACE').variants, [])
})

for (const [mode, was, sent, is] of [
  ['UPDATE', true, undefined, true], ['UPDATE', false, undefined, false], ['UPDATE', true, false, false], ['UPDATE', false, true, true],
  ['REPLACE', true, undefined, false], ['REPLACE', false, undefined, false], ['REPLACE', true, false, false], ['REPLACE', true, true, true], ['REPLACE', false, true, true]
] as Array<[ImportMode, boolean, boolean | undefined, boolean]>) {
  t.test(`${mode}: a product that was ${was ? 'archived' : 'live'} and is sent ${sent === undefined ? 'without archived' : `archived: ${sent}`} is ${is ? 'archived' : 'live'}`, async (t) => {
    t.equal(merge(contentOf({ archived: was }), sent === undefined ? {} : { archived: sent }, mode).archived, is)
  })
}

const withAlias = contentOf({ images: [image('front'), image('back')], imageAliases: [{ externalId: 'dropped', imageExternalId: 'front' }] })
const variantsWith = (imageExternalId: string | null): { variants: MergeableVariant[] } => ({ variants: [variantPatch('V', { name: 'V', index: 3, imageExternalId })] })

t.test('an image is linked by its own id', async (t) => {
  t.equal(merge(withAlias, variantsWith('back')).variants[0]?.imageExternalId, 'back')
})

t.test('an alias of before resolves in a later delta, to the image that was kept', async (t) => {
  t.equal(merge(withAlias, variantsWith('dropped')).variants[0]?.imageExternalId, 'front')
})

t.test('an alias of the same line resolves', async (t) => {
  const imageSet = { list: [image('x')], aliases: [{ externalId: 'y', imageExternalId: 'x' }] }
  t.equal(merge(contentOf(), { imageSet, ...variantsWith('y') }).variants[0]?.imageExternalId, 'x')
})

t.test('an image\'s own id wins over an alias of the same name', async (t) => {
  const imageSet = { list: [image('x'), image('y')], aliases: [{ externalId: 'y', imageExternalId: 'x' }] }
  t.equal(merge(contentOf(), { imageSet, ...variantsWith('y') }).variants[0]?.imageExternalId, 'y')
})

t.test('an image that matches none is stored as null, with a warning', async (t) => {
  const warnings: Warning[] = []
  t.equal(merge(withAlias, variantsWith('nowhere'), 'UPDATE', warnings).variants[0]?.imageExternalId, null)
  t.strictSame(warnings, [{ code: 'unknown-image', path: 'variants[3].imageExternalId', detail: 'nowhere' }])
})

t.test('an image id of null clears without a warning', async (t) => {
  const warnings: Warning[] = []
  const stored = contentOf({ images: [image('a')], variants: [variantOf('V', { imageExternalId: 'a' })] })
  t.equal(merge(stored, variantsWith(null), 'UPDATE', warnings).variants[0]?.imageExternalId, null)
  t.strictSame(warnings, [])
})

t.test('aliases stay when the images that they mean are sent again without the duplicates', async (t) => {
  t.strictSame(merge(withAlias, { imageSet: { list: [image('front')], aliases: [] } }).imageAliases, withAlias.imageAliases)
})

t.test('an alias goes with its image', async (t) => {
  t.strictSame(merge(withAlias, { imageSet: { list: [image('back')], aliases: [] } }).imageAliases, [])
})

t.test('a newer alias of the same id wins', async (t) => {
  const imageSet = { list: [image('front'), image('back')], aliases: [{ externalId: 'dropped', imageExternalId: 'back' }] }
  t.strictSame(merge(withAlias, { imageSet }).imageAliases, imageSet.aliases)
})

t.test('a stored variant is remapped too when a delta makes its image a dropped duplicate', async (t) => {
  const url = 'https://cdn.example.com/1.jpg'
  const stored = contentOf({ images: [image('A', url)], variants: [variantOf('V', { imageExternalId: 'A' })] })
  const imageSet = { list: [image('B', url)], aliases: [{ externalId: 'A', imageExternalId: 'B' }] }
  t.equal(merge(stored, { imageSet }).variants[0]?.imageExternalId, 'B')
})

t.test('an alias of an image that itself became a dropped duplicate still resolves', async (t) => {
  const url = 'https://cdn.example.com/1.jpg'
  const stored = contentOf({ images: [image('A', url)], imageAliases: [{ externalId: 'X', imageExternalId: 'A' }] })
  const imageSet = { list: [image('B', url)], aliases: [{ externalId: 'A', imageExternalId: 'B' }] }
  const later = merge(stored, { imageSet })
  t.equal(merge(later, variantsWith('X')).variants[0]?.imageExternalId, 'B')
})

t.test('quantities that are sent cover the active locations; others keep theirs; the total is independent', async (t) => {
  const stored = { inventory: 99, locationQuantities: [{ locationId: 'active', quantity: 1 }, { locationId: 'inactive', quantity: 2 }] }
  const merged = mergeVariant(stored, { stock: stockOf(activeLocations('active'), { active: 7 }) }, 'UPDATE')
  t.strictSame(new Map(merged?.locationQuantities.map(({ locationId, quantity }) => [locationId, quantity])), new Map([['active', 7], ['inactive', 2]]))
  t.equal(merged?.inventory, 99)
})

t.test('quantities that are not sent stay', async (t) => {
  const locationQuantities = [{ locationId: 'active', quantity: 1 }]
  t.strictSame(mergeVariant({ locationQuantities }, { inventory: 5 }, 'REPLACE')?.locationQuantities, locationQuantities)
})

t.test('a new product lacks name, brandName and externalUrl; one that exists lacks nothing', async (t) => {
  t.strictSame(missingFields(patchOf(), false, () => false).map(({ code, path }) => `${code} ${path}`), ['required name', 'required brandName', 'required externalUrl'])
  t.strictSame(missingFields(patchOf(), true, () => false), [])
  t.strictSame(missingFields(newPatch(), false, () => false), [])
})

t.test('a new variant lacks its name, also when null is sent; one that exists does not', async (t) => {
  const variants = [variantPatch('known', { index: 0 }), variantPatch('new', { index: 1 }), variantPatch('null', { index: 2, name: null }), variantPatch('cleared', { index: 3, name: null })]
  t.strictSame(missingFields(patchOf({ variants }), true, (externalId) => ['known', 'cleared'].includes(externalId)).map(({ path }) => path), ['variants[1].name', 'variants[2].name'])
})

for (const [a, b, same] of [
  [1, 1, true], [1, 2, false], [null, null, true], [null, {}, false], ['1', 1, false], [[1, 2], [1, 2], true], [[1, 2], [2, 1], false], [[1], [1, 2], false],
  [{ a: 1 }, { a: 1 }, true], [{ a: 1 }, { a: 2 }, false], [{ a: 1 }, { b: 1 }, false], [{}, { a: undefined }, false], [[], {}, false],
  [new Date(1), new Date(1), true], [new Date(1), new Date(2), false], [new Date(1), 1, false], [{ a: [new Date(1)] }, { a: [new Date(1)] }, true]
] as Array<[unknown, unknown, boolean]>) {
  t.test(`${JSON.stringify(a)} and ${JSON.stringify(b)} are ${same ? '' : 'not '}the same content`, async (t) => { t.equal(sameContent(a, b), same) })
}
