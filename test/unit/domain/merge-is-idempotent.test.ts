/** Random patches on random products, fixed seeds: what `patchHash` relies on (domain/product-fold). */
import t from 'tap'
import { importModes, type ImportMode } from '../../../src/domain/import-job.js'
import type { MergeablePatch, MergeableVariant } from '../../../src/domain/mergeable-patch.js'
import type { Image, ProductContent } from '../../../src/domain/product.js'
import { sameContent } from '../../../src/domain/same-content.js'
import { activeLocations, id, mergeProduct, newPatch, patchOf, stockOf, variantPatch } from './mergeable-patch.js'
import { seededRandom, type SeededRandom } from './seeded-random.js'

const letters = ['a', 'b', 'c', 'd'] as const
const active = activeLocations('a', 'b')

function randomMetafields (random: SeededRandom): Map<string, string | null> {
  return new Map(letters.filter(() => random.chance(0.3)).map((key) => [key, random.pick([null, '1', '2'])]))
}

/** Each field with the given chance. */
function sometimes<T extends object> (random: SeededRandom, fields: { [K in keyof T]: () => T[K] }): Partial<T> {
  const chosen: Partial<T> = {}
  for (const key of Object.keys(fields) as Array<keyof T>) if (random.chance(0.4)) chosen[key] = fields[key]()
  return chosen
}

function randomVariant (random: SeededRandom, externalId: string, index: number): MergeableVariant {
  return variantPatch(externalId, {
    index,
    name: random.pick(['V', 'W']),
    ...sometimes<MergeableVariant>(random, {
      sku: () => random.pick([null, 's']),
      imageExternalId: () => random.pick([null, ...letters]),
      inventory: () => random.pick([null, 0, 5]),
      inventoryPolicy: () => random.pick([null, 'DENY']),
      prices: () => random.pick([[], [{ price: 1, currency: 'USD' }]]),
      stock: () => stockOf(active, Object.fromEntries(active.ids.filter(() => random.chance(0.5)).map((locationId) => [locationId, 1 + random.below(3)]))),
      sizeChartId: () => random.pick([null, 'chart'])
    } as { [K in keyof MergeableVariant]: () => MergeableVariant[K] }),
    metafieldChanges: randomMetafields(random)
  })
}

function randomImages (random: SeededRandom): { list: Image[], aliases: Array<{ externalId: string, imageExternalId: string }> } {
  const list = letters.filter(() => random.chance(0.5)).map((externalId): Image => ({ externalId, url: `https://cdn.example.com/${externalId}`, position: null }))
  const aliases = list.length === 0 ? [] : letters.filter((letter) => random.chance(0.3) && !list.some(({ externalId }) => externalId === letter)).map((externalId) => ({ externalId, imageExternalId: random.pick(list).externalId }))
  return { list, aliases }
}

function randomPatch (random: SeededRandom): MergeablePatch {
  return patchOf({
    ...sometimes<MergeablePatch>(random, {
      name: () => random.pick(['x', 'y']),
      description: () => random.pick([null, 'x']),
      publishedAt: () => random.pick([null, new Date(1), new Date(2)]),
      archived: () => random.chance(0.5),
      imageSet: () => randomImages(random),
      variants: () => letters.filter(() => random.chance(0.5)).map((externalId, index) => randomVariant(random, externalId, index)),
      categories: () => random.pick([[], ['x'], ['y', 'x']]),
      tags: () => random.pick([[], ['x']]),
      sizeChartId: () => random.pick([null, 'chart'])
    } as { [K in keyof MergeablePatch]: () => MergeablePatch[K] }),
    metafieldChanges: randomMetafields(random)
  })
}

const rounds = 3_000

for (const mode of importModes) {
  t.test(`${mode}: merging the same patch twice is merging it once`, async (t) => {
    const random = seededRandom(mode === 'UPDATE' ? 1 : 2)
    let content: ProductContent = mergeProduct(null, newPatch(), mode, id, [])
    for (let round = 0; round < rounds; round++) {
      const patch = randomPatch(random)
      const once = mergeProduct(content, patch, mode, id, [])
      const twice = mergeProduct(once, patch, mode, id, [])
      if (!sameContent(once, twice)) t.strictSame(twice, once, `round ${round}`)
      content = random.chance(0.05) ? mergeProduct(null, newPatch(), mode, id, []) : once
    }
  })

  t.test(`${mode}: what was not sent is what it was`, async (t) => {
    const random = seededRandom(3)
    let content: ProductContent = mergeProduct(null, newPatch(), mode, id, [])
    for (let round = 0; round < rounds; round++) {
      const patch = randomPatch(random)
      const merged = mergeProduct(content, patch, random.pick<ImportMode>([mode]), id, [])
      for (const field of ['name', 'brandName', 'externalUrl', 'description', 'publishedAt', 'categories', 'tags', 'fitmentTargetIds', 'sizeChartId'] as const) {
        if (patch[field] === undefined && !sameContent(merged[field], content[field])) t.fail(`round ${round}: ${field}`)
      }
      content = merged
    }
  })
}
