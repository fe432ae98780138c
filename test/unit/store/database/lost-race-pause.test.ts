import t from 'tap'
import { pauseBefore } from '../../../../src/store/database/lost-race-pause.js'

const most = (round: number): number => pauseBefore(round, () => 1)

t.test('who has lost one race goes on at once', async (t) => {
  t.strictSame([most(0), most(1)], [0, 0])
})

t.test('from then on the bound doubles with each race, up to a fifth of a second', async (t) => {
  t.strictSame([2, 3, 4, 8, 9, 49].map(most), [2, 4, 8, 128, 200, 200])
})

t.test('a pause is any part of its bound', async (t) => {
  t.strictSame([0, 0.25, 0.5].map((part) => pauseBefore(4, () => part)), [0, 2, 4])
})
