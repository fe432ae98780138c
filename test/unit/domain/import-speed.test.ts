import t from 'tap'
import { createSpeedSamples } from '../../../src/domain/import-speed.js'

t.test('a day of beats takes no more room than a minute of them, at even distances, with the newest among them', async (t) => {
  const speed = createSpeedSamples()
  for (let beat = 1; beat <= 86_400; beat++) {
    speed.take({ ms: 1_000 * beat, linesRead: 7 * beat })
    const all = speed.all()
    if (all.length > 60 || all.at(-1)?.ms !== 1_000 * beat) t.fail(`after ${beat} beats`)
  }
  const all = speed.all().map(({ ms }) => ms / 1_000)
  const distances = all.slice(1).map((at, index) => at - (all[index] ?? 0))
  t.ok(all.length > 20, `${all.length} samples`)
  t.equal(all[0], 1)
  t.equal(new Set(distances.slice(0, -1)).size, 1, distances.join(', '))
})

t.test('the end stands in the place of the last sample', async (t) => {
  const speed = createSpeedSamples()
  for (const ms of [1_000, 2_000]) speed.take({ ms, linesRead: ms })
  speed.end({ ms: 2_001, linesRead: 2_500 })
  t.strictSame(speed.all(), [{ ms: 1_000, linesRead: 1_000 }, { ms: 2_001, linesRead: 2_500 }])

  const longer = createSpeedSamples()
  for (let beat = 1; beat <= 62; beat++) longer.take({ ms: beat, linesRead: beat })
  const before = longer.all()
  longer.end({ ms: 100, linesRead: 100 })
  t.strictSame(longer.all(), [...before.slice(0, -1), { ms: 100, linesRead: 100 }])
})

t.test('what ended before any sample has none', async (t) => {
  const speed = createSpeedSamples()
  speed.end({ ms: 5, linesRead: 3 })
  t.strictSame(speed.all(), [])
})
