import t from 'tap'
import type { ImportMode } from '../../../src/domain/import-job.js'
import type { Fault } from '../../../src/domain/issue.js'
import type { MergeablePatch } from '../../../src/domain/mergeable-patch.js'
import { foldable } from '../../../src/domain/product-content.js'
import { ProductFold } from '../../../src/domain/product-fold.js'
import type { Verdict } from '../../../src/domain/verdict.js'
import { productBounds } from '../../../src/domain/product-bounds.js'
import type { LocationQuantity, ProductContent } from '../../../src/domain/product.js'
import { contentBytes } from '../../../src/domain/stored-size.js'
import { activeLocations, contentOf, foldOf, id, newPatch, patchOf, stockOf, variantOf, variantPatch } from './mergeable-patch.js'

const judge = (patch: MergeablePatch, content: ProductContent | null, known: Fault[] = [], mode: ImportMode = 'UPDATE'): Verdict =>
  foldOf(content, { mode }).apply(patch, known, 0)

t.test('a complete line of a new product creates it', async (t) => {
  t.match(judge(newPatch(), null), { outcome: 'created', faults: [], isChange: true })
})

t.test('a line of a product that exists updates it', async (t) => {
  t.match(judge(patchOf({ name: 'Boot' }), contentOf()), { outcome: 'updated', isChange: true })
})

t.test('a line whose product already holds exactly that content counts as updated and changes nothing', async (t) => {
  t.strictSame(judge(newPatch(), contentOf()), { outcome: 'updated', faults: [], warnings: [], isChange: false })
})

t.test('a line with a known fault is skipped whole', async (t) => {
  t.strictSame(judge(newPatch(), null, [{ code: 'too-long', path: 'name', detail: 255 }]), { outcome: 'skipped', faults: [], warnings: [], isChange: false })
})

t.test('what a new product lacks is told besides what is known', async (t) => {
  const { outcome, faults } = judge(patchOf({ brandName: 'B' }), null, [{ code: 'invalid-url', path: 'externalUrl' }])
  t.equal(outcome, 'skipped')
  t.strictSame(faults, [{ code: 'required', path: 'name' }])
})

t.test('a field with a fault of its own is not also called missing', async (t) => {
  t.strictSame(judge(patchOf(), null, [{ code: 'blank', path: 'name' }, { code: 'not-null', path: 'brandName' }, { code: 'invalid-url', path: 'externalUrl' }]).faults, [])
})

t.test('in REPLACE the stages have asked for the required fields already', async (t) => {
  t.strictSame(judge(patchOf({ variants: [variantPatch('V', { index: 1 })] }), null, [{ code: 'required', path: 'name' }], 'REPLACE').faults, [{ code: 'required', path: 'variants[1].name' }])
})

t.test('a new variant of a product that exists needs its name', async (t) => {
  const stored = contentOf({ variants: [variantOf('a')] })
  t.match(judge(patchOf({ variants: [variantPatch('a'), variantPatch('b', { index: 1 })] }), stored), { outcome: 'skipped', faults: [{ code: 'required', path: 'variants[1].name' }], isChange: false })
})

t.test('a product that only a dry run has made exists', async (t) => {
  t.match(foldOf(null, { exists: true, imaginesVariant: () => true }).apply(patchOf(), [], 0), { outcome: 'updated', faults: [] })
})

/** One that counts how often its value is asked for: sizes are found by looking at values. */
function counted (quantities: LocationQuantity[]): { list: LocationQuantity[], looks: () => number } {
  let looks = 0
  const list = quantities.map(({ locationId, quantity }) => ({ quantity, get locationId () { looks += 1; return locationId } }))
  return { list, looks: () => looks }
}

for (const [mode, patch] of [
  ['REPLACE', newPatch({ description: 'x'.repeat(900), variants: [variantPatch('new', { name: 'n' })] })],
  ['UPDATE', patchOf({ description: 'x'.repeat(900), variants: [variantPatch('old', { stock: stockOf(activeLocations('a')) })] })]
] as Array<[ImportMode, MergeablePatch]>) {
  t.test(`${mode}: of lines that are refused over the product's size only the first looks at what it would take away`, async (t) => {
    const { list, looks } = counted([{ locationId: 'a', quantity: 1 }, { locationId: 'b', quantity: 1 }])
    const stored = contentOf({ variants: [variantOf('old', { locationQuantities: list })] })
    const fold = new ProductFold(foldable(stored), { productId: id, mode, mostBytes: 16_000, exists: true, bounds: { ...productBounds, storedBytes: 600 }, imaginesVariant: () => false })
    const refuse = (): void => { t.match(fold.apply(patch, [], 1_000), { faults: [{ code: 'product-too-large' }] }) }
    refuse()
    const once = looks()
    t.ok(once > 0)
    refuse()
    refuse()
    t.equal(looks(), once)
  })
}

t.test('a line that gives all aliases of an image a long id cannot make the product larger than it may be', async (t) => {
  const fold = foldOf(null)
  const image = (externalId: string): { externalId: string, url: string, position: null } => ({ externalId, url: 'https://example.com/1', position: null })
  const long = '\u{1F600}'.repeat(255)
  for (let line = 0; line < 6; line++) {
    const aliases = Array.from({ length: 999 }, (_, index) => ({ externalId: `${line}.${index}`, imageExternalId: 'a' }))
    t.match(fold.apply(newPatch({ imageSet: { list: [image('a')], aliases } }), [], 40_000), { faults: [] })
  }
  fold.apply(patchOf({ imageSet: { list: [image(long)], aliases: [{ externalId: 'a', imageExternalId: long }] } }), [], 610)
  t.ok(contentBytes(fold.content) <= productBounds.storedBytes)
})

t.test('locations that were made inactive count for the bound of those in stock', async (t) => {
  const bounds = { ...productBounds, locations: 3 }
  const stored = contentOf({ variants: [variantOf('a', { locationQuantities: ['old', 'older'].map((locationId) => ({ locationId, quantity: 1 })) })] })
  const active = activeLocations('l1', 'l2', 'l3')
  const send = (units: Record<string, number>): Verdict => foldOf(stored, { bounds }).apply(patchOf({ variants: [variantPatch('a', { stock: stockOf(active, units) })] }), [], 0)
  t.match(send({ l1: 1 }), { faults: [], isChange: true })
  t.match(send({ l1: 1, l2: 1 }), { outcome: 'skipped', faults: [{ code: 'too-many-merged', path: 'variants[0].inventoryByLocation', detail: 3 }] })
})
