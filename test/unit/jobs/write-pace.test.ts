import t from 'tap'
import { createWritePace } from '../../../src/jobs/write-pace.js'

/** A database whose turns take `turnMs` with so many at once; gives what the pace is after so many turns. */
function paced (most: number, first = 2) {
  let nowMs = 0
  const pace = createWritePace({ first, most, monotonicMs: () => nowMs })
  return {
    pace,
    run (turns: number, turnMs: (jobsAtOnce: number) => number): number[] {
      const seen: number[] = []
      for (let turn = 0; turn < turns; turn++) {
        nowMs += turnMs(pace.jobsAtOnce) / pace.jobsAtOnce
        pace.turnEnded(true)
        seen.push(pace.jobsAtOnce)
      }
      return seen
    }
  }
}

const mostOften = (seen: number[]): number => {
  const counts = new Map<number, number>()
  for (const each of seen) counts.set(each, (counts.get(each) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? NaN
}
const oneByOne = (jobsAtOnce: number): number => 30 * jobsAtOnce
const threeAtATime = (jobsAtOnce: number): number => 30 * Math.max(1, jobsAtOnce / 3)

t.test('a database that does one at a time anyway is asked for one at a time', async (t) => {
  const { run } = paced(6)
  run(200, oneByOne)
  t.equal(mostOften(run(2_000, oneByOne)), 1)
})

t.test('one that does three side by side is asked for three', async (t) => {
  const { run } = paced(6)
  run(200, threeAtATime)
  t.equal(mostOften(run(2_000, threeAtATime)), 3)
})

t.test('there are never more than may be, nor fewer than one', async (t) => {
  for (const turnMs of [() => 30, (jobsAtOnce: number) => 30 * jobsAtOnce ** 2]) {
    for (const most of [1, 2, 4]) {
      const { run } = paced(most, Math.min(2, most))
      const seen = run(3_000, turnMs)
      t.ok(Math.max(...seen) <= most && Math.min(...seen) >= 1)
    }
  }
})

t.test('what pays may change', async (t) => {
  const { run } = paced(6)
  run(1_000, threeAtATime)
  run(4_000, oneByOne)
  t.equal(mostOften(run(2_000, oneByOne)), 1)
  run(4_000, threeAtATime)
  t.equal(mostOften(run(2_000, threeAtATime)), 3)
})

t.test('turns that nobody waits for say nothing', async (t) => {
  const { pace } = paced(6)
  for (let turn = 0; turn < 1_000; turn++) pace.turnEnded(false)
  t.equal(pace.jobsAtOnce, 2)
})
