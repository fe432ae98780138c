import t from 'tap'
import { pointsOf } from '../../../src/console/import/speed-points.js'

t.test('speed is what was read from one sample to the next, the first one from the beginning', async (t) => {
  t.strictSame(pointsOf([{ ms: 1_000, linesRead: 500 }, { ms: 3_000, linesRead: 2_500 }, { ms: 4_000, linesRead: 2_500 }]), [
    { ms: 1_000, linesPerSecond: 500 }, { ms: 3_000, linesPerSecond: 1_000 }, { ms: 4_000, linesPerSecond: 0 }
  ])
})

t.test('samples of one moment, or that go back, are no infinite or negative speed', async (t) => {
  t.strictSame(pointsOf([{ ms: 0, linesRead: 0 }, { ms: 0, linesRead: 2 }, { ms: 1_000, linesRead: 1 }]).map(({ linesPerSecond }) => linesPerSecond), [0, 2_000, 0])
})

t.test('without samples there are no points', async (t) => {
  t.strictSame(pointsOf([]), [])
})
