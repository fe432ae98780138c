import t from 'tap'
import { createRequestCounts } from '../../../src/api/request-counts.js'

function countsAt (maxSources = 10) {
  const clock = { nowMs: 0 }
  return { clock, counts: createRequestCounts({ windowMs: 60_000, maxSources, monotonicMs: () => clock.nowMs }) }
}

t.test('each source is counted by itself', async (t) => {
  const { counts } = countsAt()
  counts.add('a')
  t.equal(counts.add('a').count, 2)
  t.equal(counts.add('b').count, 1)
  t.equal(counts.of('a'), 2)
  t.equal(counts.of('c'), 0)
})

t.test('a window begins with the first request and ends when its time is over, however many follow', async (t) => {
  const { clock, counts } = countsAt()
  counts.add('a')
  clock.nowMs = 59_999
  t.strictSame(counts.add('a'), { count: 2, endsInMs: 1 })
  clock.nowMs = 60_000
  t.equal(counts.of('a'), 0)
  t.strictSame(counts.add('a'), { count: 1, endsInMs: 60_000 })
})

t.test('beyond so many sources the one that was silent for the longest is forgotten', async (t) => {
  const { counts } = countsAt(2)
  counts.add('a')
  counts.add('b')
  counts.add('a')
  counts.add('c')
  t.strictSame(['a', 'b', 'c'].map((source) => counts.of(source)), [2, 0, 1])
})
