/** What lines are drawn around. */
import t from 'tap'
import { framesOf } from '../../../src/pdf/page-frames.js'
import type { Rule } from '../../../src/pdf/page-geometry.js'

const along = (places: number[], from: number, to: number): Rule[] => places.map((at) => ({ at, from, to }))
const boxesOf = (horizontal: Rule[], vertical: Rule[]): number[][] => framesOf({ horizontal, vertical }).map(({ left, top, right, bottom }) => [left, top, right, bottom])

t.test('lines that cross make a frame, those that do not make two', async (t) => {
  t.strictSame(boxesOf(along([0, 20, 40], 0, 100), along([0, 50, 100], 0, 40)), [[0, 0, 100, 40]])
  t.strictSame(boxesOf([...along([0, 20, 40], 0, 100), ...along([0, 20, 40], 200, 300)], [...along([0, 50, 100], 0, 40), ...along([200, 250, 300], 0, 40)]), [[0, 0, 100, 40], [200, 0, 300, 40]])
})

t.test('four lines around a text have none between rows, and the border of a page around a table is none of it', async (t) => {
  t.strictSame(framesOf({ horizontal: along([0, 40], 0, 100), vertical: along([0, 100], 0, 40) }).map(({ horizontal }) => horizontal), [[]], 'whether there are columns beside is seen later')
  t.strictSame(boxesOf([...along([0, 500, 900], -50, 400), ...along([100, 120, 140], 0, 100)], [...along([-50, 400], 0, 900), ...along([0, 50, 100], 100, 140)]), [[0, 100, 100, 140]])
})

t.test('lines between columns alone make a frame where they are beside each other, and nearly as tall', async (t) => {
  t.strictSame(boxesOf([], along([50, 100], 0, 80)), [[50, 0, 100, 80]])
  t.strictSame(boxesOf([], [...along([50], 0, 80), ...along([100], 100, 180)]), [])
  t.strictSame(boxesOf([], [...along([50], 0, 80), ...along([100], 30, 110)]), [], 'beside each other in part')
})

t.test('where lines are drawn between cells only, the table is as wide as those between rows', async (t) => {
  t.strictSame(boxesOf(along([20, 40, 60], 0, 150), along([50, 100], 0, 80)), [[0, 0, 150, 80]])
  t.strictSame(boxesOf([...along([20, 60], 50, 100), ...along([40], 0, 150)], along([50, 100], 20, 60)), [[50, 20, 100, 60]], 'one line that is longer says nothing')
})
