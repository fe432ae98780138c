import t from 'tap'
import { createStandstill } from '../../../src/domain/standstill.js'

t.test('what has not moved for the whole lease stands still, each by itself; a move begins it anew', async (t) => {
  let now = 0
  const lease = createStandstill(10, () => now)
  const at = (ms: number, mark: string, key = 'a'): boolean => {
    now = ms
    return lease.standsStill(key, mark)
  }
  t.strictSame([at(0, '1'), at(9, '1'), at(10, '1')], [false, false, true])
  t.strictSame([at(11, '2'), at(20, '2'), at(21, '2')], [false, false, true])
  t.equal(at(22, '2', 'b'), false, 'each key by itself')
  lease.keepOnly(new Set(['a']))
  t.strictSame([at(50, '2', 'b'), at(50, '2')], [false, true])
})

t.test('while the database is away nobody can move: every lease begins anew', async (t) => {
  let now = 0
  const lease = createStandstill(10, () => now)
  const look = async (tookMs: number): Promise<boolean[]> => await lease.look(async () => {
    now += tookMs
    return ['a', 'b']
  }).then((keys) => keys.map((key) => lease.standsStill(key, '1')))
  t.strictSame([await look(0), await look(5), await look(5)], [[false, false], [false, false], [true, true]])
  t.strictSame([await look(6), await look(5), await look(5)], [[false, false], [false, false], [true, true]])
})
