import t from 'tap'
import { collectGarbageAbove, heldMegabytes as heldMb } from '../../../src/threads/collect-garbage.js'

/** Some 40 MB, of which nothing is kept. */
const litter = (): number => JSON.parse(`[${'{},'.repeat(700_000)}{}]`).length as number

t.test('what nobody holds any more is given back', (t) => {
  collectGarbageAbove(0)
  const before = heldMb()
  litter()
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  collectGarbageAbove(before + 10)
  t.ok(heldMb() < before + 10, `${before}, then ${heldMb()} MB`)
  t.end()
})

t.test('a heap that holds less is left alone', (t) => {
  collectGarbageAbove(0)
  const before = heldMb()
  litter()
  collectGarbageAbove(before + 1_000)
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB`)
  t.end()
})

t.test('what lies outside of the heap counts as well', (t) => {
  collectGarbageAbove(0)
  const before = heldMb()
  // V8 keeps a string of more than a megabyte outside.
  const bytes = Buffer.alloc(2_000_000, 'x')
  let texts = Array.from({ length: 20 }, () => bytes.toString('latin1'))
  t.ok(heldMb() > before + 20, `${before}, then ${heldMb()} MB with ${texts.length} texts`)
  texts = []
  collectGarbageAbove(before + 10)
  t.ok(heldMb() < before + 10, `${before}, then ${heldMb()} MB`)
  t.end()
})
