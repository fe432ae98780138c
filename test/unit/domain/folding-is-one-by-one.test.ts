/**
 * Any lines folded into a product at once give what they give one by one, each into the product as the one before has left it: the same
 * content, verdicts and sizes. And whatever lines there are, no bound is passed: what is over one already grows no more. Mostly under small
 * bounds, which random lines run into at every turn; some under the real ones.
 */
import fc from 'fast-check'
import { BSON } from 'mongodb'
import t from 'tap'
import { importModes, type ImportMode } from '../../../src/domain/import-job.js'
import type { MergeablePatch, MergeableVariant } from '../../../src/domain/mergeable-patch.js'
import { productBounds, type ProductBounds } from '../../../src/domain/product-bounds.js'
import type { Verdict } from '../../../src/domain/verdict.js'
import type { ProductContent, Variant } from '../../../src/domain/product.js'
import { ActiveLocations } from '../../../src/domain/stock.js'
import { contentBytes } from '../../../src/domain/stored-size.js'
import { toDocument } from '../../../src/store/catalog/product-document.js'
import { contentOf, foldOf, variantOf } from './mergeable-patch.js'

const smallBounds: ProductBounds = { variants: 6, images: 4, tags: 3, metafields: 4, fitmentTargets: 12, locations: 2, storedBytes: 3_000 }
/** Then it is the size alone that refuses. */
const looseBounds: ProductBounds = { variants: 100, images: 100, tags: 100, metafields: 100, fitmentTargets: 100, locations: 100, storedBytes: 6_000 }

/** As few as a line that says the same can have, and what store/catalog/writable-line adds for stock. */
function charactersOf (patch: MergeablePatch): number {
  const counted = counts.get(patch)
  if (counted !== undefined) return counted
  const metafields = (changes: MergeablePatch['metafieldChanges']): object => Object.fromEntries(Array.from(changes, ([key, value]) => [`meta:${key}`, value]))
  const { imageSet, variants, fitmentTargetIds, metafieldChanges, ...fields } = patch
  let ofStock = 0
  const line = {
    ...fields,
    fitmentTargetExternalIds: fitmentTargetIds,
    images: imageSet === undefined ? undefined : [...imageSet.list.map(({ externalId, url }) => ({ externalId, url })), ...imageSet.aliases.map(({ externalId }) => ({ externalId, url: '' }))],
    variants: variants?.map(({ externalId, index: _, imageExternalId, stock, fitmentTargetIds, metafieldChanges, ...others }) => {
      if (stock !== undefined) ofStock += stock.active.ids.length * 64
      // An alias of one character may name the image.
      return { sku: externalId, ...others, imageExternalId: imageExternalId?.slice(0, 1), inventoryByLocation: stock === undefined ? undefined : Object.fromEntries(stock.units), fitmentTargetExternalIds: fitmentTargetIds, ...metafields(metafieldChanges) }
    }),
    ...metafields(metafieldChanges)
  }
  const characters = JSON.stringify(line).length + ofStock
  counts.set(patch, characters)
  return characters
}
const counts = new WeakMap<MergeablePatch, number>()

function checkBounds (before: ProductContent | null, after: ProductContent, bounds: ProductBounds): void {
  const check = (what: string, bound: number, count: number, countBefore: number): void => {
    if (count > bound && count > countBefore) throw new Error(`${what}: ${count}, before ${countBefore}, where ${bound} is the most`)
  }
  const { images, tags, variants, metafields } = after
  check('images', bounds.images, images.length, before?.images.length ?? 0)
  check('tags', bounds.tags, tags.length, before?.tags.length ?? 0)
  check('variants', bounds.variants, variants.length, before?.variants.length ?? 0)
  check('metafields', bounds.metafields, metafields.length, before?.metafields.length ?? 0)
  check('fitment targets', bounds.fitmentTargets, targetsOf(after), targetsOf(before))
  const variantsBefore = new Map(before?.variants.map((variant) => [variant.externalId, variant]))
  for (const variant of variants) {
    const old = variantsBefore.get(variant.externalId)
    check('metafields of a variant', bounds.metafields, variant.metafields.length, old?.metafields.length ?? 0)
    check('locations', bounds.locations, inStock(variant), inStock(old))
  }
  const bytes = contentBytes(after)
  if (bytes > bounds.storedBytes) check('bytes', bounds.storedBytes, bytes, before === null ? 0 : contentBytes(before))
}

const targetsOf = (content: ProductContent | null): number =>
  content === null ? 0 : content.variants.reduce((sum, { fitmentTargetIds }) => sum + fitmentTargetIds.length, content.fitmentTargetIds.length)
const bytesOf = (content: ProductContent | null): number => content === null ? 0 : contentBytes(content)
const inStock = (variant: Variant | undefined): number => variant?.locationQuantities.filter(({ quantity }) => quantity > 0).length ?? 0

interface Folded { verdicts: Verdict[], content: ProductContent, bytes: number | null }

function foldAll (start: ProductContent | null, patches: MergeablePatch[], mode: ImportMode, bounds: ProductBounds): Folded {
  const fold = foldOf(start, { mode, bounds, mostBytes: bytesOf(start) })
  const verdicts = patches.map((patch) => fold.apply(patch, [], charactersOf(patch)))
  return { verdicts, content: fold.content, bytes: fold.bytes }
}

function foldOneByOne (start: ProductContent | null, patches: MergeablePatch[], mode: ImportMode, bounds: ProductBounds): Omit<Folded, 'bytes'> {
  let content = start
  const verdicts = patches.map((patch) => {
    const fold = foldOf(content, { mode, bounds, mostBytes: bytesOf(content) })
    const verdict = fold.apply(patch, [], charactersOf(patch))
    if (verdict.isChange) {
      const before = content
      content = fold.content
      checkBounds(before, content, bounds)
    }
    return verdict
  })
  return { verdicts, content: content ?? foldOf(null).content }
}

/** As MongoDB's own encoder counts it, without the record around the content and the keys that it is found by. */
function storedBytes (content: ProductContent): number {
  const at = new Date(0)
  const record = { _id: '', vendorId: '', externalId: '', revision: 0, writeId: '', createdAt: at, updatedAt: at, createdBy: null, writtenBy: null, upsertedDuring: null, archivedByJobId: null, patchHash: null, size: 0 }
  const { _id, vendorId, externalId, revision, writeId, createdAt, updatedAt, size, targeted, soldOut, searchKeys, ...stored } = toDocument(record, content)
  return BSON.calculateObjectSize(stored, { ignoreUndefined: true })
}

const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
/** Of one to four bytes a character, and sometimes long. */
const text = fc.tuple(fc.constantFrom('x', 'é', '€', '😀'), fc.constantFrom(1, 2, 9, 9, 60, 300)).map(([character, count]) => character.repeat(count))
const ids = fc.uniqueArray(letter, { maxLength: 7 })
/** An id is in use for images, aliases and links at once: that is where they get in each other's way. */
const imageSet = fc.tuple(fc.array(fc.record({ externalId: letter, url: letter, position: fc.option(fc.integer({ min: -1, max: 2 ** 31 - 1 })) }), { maxLength: 6 }), ids).map(([images, names]) => {
  const list = [...new Map(images.map((image) => [image.url, image])).values()]
  const [first] = list
  return { list, aliases: first === undefined ? [] : names.filter((name) => name !== first.externalId).sort().map((externalId, index) => ({ externalId, imageExternalId: (list[index % list.length] ?? first).externalId })).filter(({ externalId, imageExternalId }) => externalId !== imageExternalId) }
})
const metafieldChanges = fc.uniqueArray(fc.tuple(letter, fc.option(text)), { selector: ([key]) => key, maxLength: 5 }).map((changes) => new Map(changes))
const active = [['l1', 'l2'], ['l2', 'l1', 'l3']].map((locations) => new ActiveLocations(locations, locations))
const stock = fc.tuple(fc.constantFrom(...active), fc.uniqueArray(fc.constantFrom(0, 1, 2))).map(([where, chosen]) =>
  ({ active: where, units: new Map(chosen.flatMap((index) => where.ids[index] ?? []).map((locationId): [string, number] => [locationId, 1 + locationId.length])) }))

const variantFields = {
  name: fc.option(text), sku: fc.option(text), upc: fc.option(text), imageExternalId: fc.option(letter), inventory: fc.option(fc.constantFrom(0, -1, 5)), inventoryPolicy: fc.option(fc.constantFrom('DENY' as const, 'CONTINUE' as const)),
  prices: fc.array(fc.record({ price: fc.constantFrom(1, 0.5, 2 ** 40), compareAtPrice: fc.option(fc.constantFrom(2, 2.5)), currency: fc.constant('USD') }), { maxLength: 3 }),
  stock, fitmentTargetIds: ids, sizeChartId: fc.option(letter)
}
const variant = fc.record({ ...variantFields, metafieldChanges, externalId: letter, index: fc.constant(0) }, { requiredKeys: ['metafieldChanges', 'externalId', 'index'] }) as fc.Arbitrary<MergeableVariant>
/** Some have all that a new product, and new variants, need. */
const complete = ({ name = 'n', brandName = 'b', externalUrl = 'u', variants, ...patch }: MergeablePatch): MergeablePatch =>
  ({ ...patch, name, brandName, externalUrl, ...variants === undefined ? {} : { variants: variants.map((each) => ({ ...each, name: each.name ?? 'n' })) } })
const patch = fc.tuple(fc.constantFrom(true, true, true, false), fc.record({
  name: text, brandName: text, externalUrl: text, description: fc.option(text), publishedAt: fc.option(fc.constantFrom(new Date(1), new Date(2))), archived: fc.boolean(), imageSet,
  variants: fc.uniqueArray(variant, { selector: ({ externalId }) => externalId, maxLength: 6 }),
  categories: fc.array(text, { maxLength: 12 }), tags: fc.array(letter, { maxLength: 5 }), fitmentTargetIds: ids, sizeChartId: fc.option(letter), metafieldChanges, externalId: fc.constant('P')
}, { requiredKeys: ['metafieldChanges', 'externalId'] }) as fc.Arbitrary<MergeablePatch>).map(([isComplete, each]) => isComplete ? complete(each) : each)

const larger = contentOf({
  variants: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => variantOf(name, { fitmentTargetIds: ['a', 'b'], locationQuantities: ['l1', 'l2', 'old', 'older'].map((locationId) => ({ locationId, quantity: 3 })) })),
  tags: ['a', 'b', 'c', 'd'], description: 'x'.repeat(3_000), metafields: ['a', 'b', 'c', 'd'].map((key) => ({ key, value: 'v' }))
})

for (const mode of importModes) {
  for (const [what, start] of [['a new product', null], ['a product', contentOf({ variants: [variantOf('a', { imageExternalId: 'b', locationQuantities: [{ locationId: 'old', quantity: 3 }] }), variantOf('b')] })], ['a product that is over all of its bounds', larger]] as const) {
    t.test(`${mode}: lines folded into ${what} at once are lines folded one by one`, async (t) => {
      let [taken, refused] = [0, 0]
      fc.assert(fc.property(fc.array(patch, { minLength: 1, maxLength: 12 }), fc.constantFrom(smallBounds, looseBounds), (patches, bounds) => {
        const { bytes, ...batch } = foldAll(start, patches, mode, bounds)
        const single = foldOneByOne(start, patches, mode, bounds)
        if (bytes !== null && bytes !== storedBytes(batch.content)) throw new Error(`sum ${bytes}, stored ${storedBytes(batch.content)}`)
        for (const { outcome } of batch.verdicts) outcome === 'skipped' ? refused++ : taken++
        return JSON.stringify(batch) === JSON.stringify(single)
      }), { numRuns: 400, seed: 1 })
      t.ok(taken > 100 && refused > 100, `${taken} taken, ${refused} refused`)
    })
  }
}

/** Lists about as long as their bounds, of many small things. */
const close = (bound: number): fc.Arbitrary<number> => fc.constantFrom(1, bound - 1, bound, bound + 1)
const many = (count: number, from: number): string[] => Array.from({ length: count }, (_, index) => `${from + index}`)
const widePatch = fc.record({
  tags: close(productBounds.tags).map((count) => many(count, 0)),
  variants: fc.tuple(close(productBounds.variants), fc.constantFrom(0, 1, 1_000)).map(([count, from]) => many(count, from).map((externalId): MergeableVariant => ({ externalId, index: 0, name: 'n', metafieldChanges: new Map() }))),
  imageSet: close(productBounds.images).map((count) => ({ list: many(count, 0).map((id) => ({ externalId: id, url: id, position: null })), aliases: [] })),
  fitmentTargetIds: close(productBounds.fitmentTargets).map((count) => many(count, 0)),
  description: close(productBounds.storedBytes).map((length) => 'x'.repeat(length)),
  metafieldChanges: fc.tuple(close(productBounds.metafields), fc.constantFrom(0, 1)).map(([count, from]) => new Map(many(count, from).map((key) => [key, 'v'])))
}, { requiredKeys: ['metafieldChanges'] }).map((fields): MergeablePatch => ({ externalId: 'P', name: 'n', brandName: 'b', externalUrl: 'u', ...fields }))

for (const mode of importModes) {
  t.test(`${mode}: so they are at the real bounds`, async () => {
    fc.assert(fc.property(fc.array(widePatch, { minLength: 2, maxLength: 4 }), (patches) => {
      const { bytes, ...batch } = foldAll(null, patches, mode, productBounds)
      const { content, verdicts } = foldOneByOne(null, patches, mode, productBounds)
      if (bytes !== null && bytes !== storedBytes(batch.content)) throw new Error(`sum ${bytes}, stored ${storedBytes(batch.content)}`)
      return JSON.stringify(batch) === JSON.stringify({ verdicts, content })
    }), { numRuns: 12, seed: 1 })
  })
}
