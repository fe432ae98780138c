import t from 'tap'
import type { ImportMode } from '../../../src/domain/import-job.js'
import type { Fault } from '../../../src/domain/issue.js'
import { earlierOutcome, isCreator, judgeLine, type ProductState, type Verdict } from '../../../src/domain/judge-line.js'
import type { MergeablePatch } from '../../../src/domain/merge-product.js'
import { markLine, type ProductContent } from '../../../src/domain/product.js'
import { contentOf, id, newPatch, patchOf, variantOf, variantPatch } from './mergeable-patch.js'

const stateOf = (content: ProductContent | null): ProductState => ({ exists: content !== null, content, imaginesVariant: () => false })
const judge = (patch: MergeablePatch, content: ProductContent | null, known: Fault[] = [], mode: ImportMode = 'UPDATE'): Verdict =>
  judgeLine(patch, known, stateOf(content), mode, id)

t.test('a complete line of a new product creates it', async (t) => {
  t.match(judge(newPatch(), null), { outcome: 'created', faults: [], changed: { name: 'Shoe' } })
})

t.test('a line of a product that exists updates it', async (t) => {
  t.match(judge(patchOf({ name: 'Boot' }), contentOf()), { outcome: 'updated', changed: { name: 'Boot' } })
})

t.test('a line whose product already holds exactly that content counts as updated and changes nothing', async (t) => {
  t.strictSame(judge(newPatch(), contentOf()), { outcome: 'updated', faults: [], warnings: [], changed: null })
})

t.test('a line with a known fault is skipped whole', async (t) => {
  t.strictSame(judge(newPatch(), null, [{ code: 'too-long', path: 'name', detail: 255 }]), { outcome: 'skipped', faults: [], warnings: [], changed: null })
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
  t.match(judge(patchOf({ variants: [variantPatch('a'), variantPatch('b', { index: 1 })] }), stored), { outcome: 'skipped', faults: [{ code: 'required', path: 'variants[1].name' }], changed: null })
})

t.test('variants without names cost what the variants that exist cost, not their product', async (t) => {
  const count = 1_000
  let reads = 0
  const stored = Array.from({ length: count }, (_, index) => Object.defineProperty(variantOf(`v${index}`), 'externalId', {
    enumerable: true,
    get: () => {
      reads += 1
      return `v${index}`
    }
  }))
  const { outcome } = judge(patchOf({ variants: stored.map((_, index) => variantPatch(`v${index}`, { index })) }), contentOf({ variants: stored }))
  t.equal(outcome, 'updated')
  t.ok(reads <= 10 * count, `${reads} reads for ${count} variants`)
})

t.test('a product that only a dry run has made exists', async (t) => {
  t.match(judgeLine(patchOf(), [], { exists: true, content: null, imaginesVariant: () => true }, 'UPDATE', id), { outcome: 'updated', faults: [] })
})

const by = (line: number, file = 0): string => markLine('job', { file, line })

for (const [what, createdBy, writtenBy, line, outcome] of [
  ['never written by this job', null, null, { file: 0, line: 1 }, null],
  ['last written by an earlier line', by(1), by(1), { file: 0, line: 2 }, null],
  ['last written by a line of an earlier file', by(9), by(9), { file: 1, line: 1 }, null],
  ['last written by the line itself', null, by(2), { file: 0, line: 2 }, 'updated'],
  ['last written by a later line', null, by(3), { file: 0, line: 2 }, 'updated'],
  ['last written by a line of a later file', null, by(1, 1), { file: 0, line: 9 }, 'updated'],
  ['created by the line itself', by(2), by(2), { file: 0, line: 2 }, 'created'],
  ['created by the line and written by a later one', by(2), by(7), { file: 0, line: 2 }, 'created'],
  ['created by an earlier line', by(1), by(7), { file: 0, line: 2 }, 'updated'],
  ['written by another job', null, markLine('other', { file: 9, line: 9 }), { file: 0, line: 1 }, null]
] as Array<[string, string | null, string | null, { file: number, line: number }, string | null]>) {
  t.test(`a product ${what} gives ${outcome ?? 'no'} earlier outcome`, async (t) => {
    t.equal(earlierOutcome({ createdBy, writtenBy }, line, 'job'), outcome)
  })
}

t.test('a product created by upsertProducts has no line as creator', async (t) => {
  t.notOk(isCreator({ createdBy: null }, { file: 0, line: 1 }, 'job'))
})
