import t from 'tap'
import { addPoint, type SpeedPoint } from '../../../src/console/import/speed-points.js'

t.test('an hour of updates takes no more room than minutes of them, and keeps its first and its last', async (t) => {
  let points: SpeedPoint[] = []
  for (let at = 0; at < 60_000; at++) points = addPoint(points, { ms: at, linesPerSecond: at })
  t.ok(points.length <= 240, String(points.length))
  t.equal(points[0]?.ms, 0)
  t.equal(points.at(-1)?.ms, 59_999)
})
