import t from 'tap'
import { sortInTurns } from '../../../../src/domain/search/sort-in-turns.js'

t.test('texts are put in order as by sorting them at once, and others have their turn meanwhile', async (t) => {
  for (const count of [0, 1, 2_000, 2_001, 30_011]) {
    const texts = Array.from({ length: count }, (_, n) => `neck${(n * 7_919) % 30_011}`)
    let turns = 0
    t.strictSame(await sortInTurns([...texts], async () => { turns++ }), [...texts].sort())
    t.ok(turns >= count / 2_000, `${turns} turns of ${count}`)
  }
})
