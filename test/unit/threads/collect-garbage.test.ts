import { getHeapStatistics } from 'node:v8'
import t from 'tap'
import { collectGarbageAbove } from '../../../src/threads/collect-garbage.js'

const heldMb = (): number => getHeapStatistics().used_heap_size / 1e6
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
