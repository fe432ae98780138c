/**
 * Functions that are made for a batch, or for a line, and called for every line are compiled anew after each collection of the old heap (docs/performance.md, "What is compiled once"). None is
 * there: bench/compiled-anew's rounds, in which such a one is compiled twenty times, and others six at the most on a machine that is busy.
 */
import t from 'tap'
import { compiledAnew } from '../../bench/compiled-anew.js'

t.setTimeout(600_000)

t.test('no function is compiled again and again while vendors load their catalogs and send deltas', async (t) => {
  const { functions, often } = await compiledAnew(3)
  t.ok(functions.some(({ name }) => name.includes('/store/catalog/')), `${functions.length} functions are compiled`)
  t.strictSame(often, [])
})
