import t from 'tap'
import type { ImportMode } from '../../../src/domain/import-job.js'
import type { Fault } from '../../../src/domain/issue.js'
import type { MergeablePatch } from '../../../src/domain/mergeable-patch.js'
import type { Verdict } from '../../../src/domain/product-fold.js'
import type { ProductContent } from '../../../src/domain/product.js'
import { contentOf, foldOf, newPatch, patchOf, variantOf, variantPatch } from './mergeable-patch.js'

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
