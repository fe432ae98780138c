import t from 'tap'
import { OffsetTracker } from '../../../src/jobs/offset-tracker.js'
import { seededRandom } from '../domain/seeded-random.js'

t.test('what has begun and not finished is not committed', async (t) => {
  const tracker = new OffsetTracker()
  tracker.begin(0, 5)
  t.strictSame(tracker.takeCommittable(), [])
})

t.test('the next offset to read is committed, once', async (t) => {
  const tracker = new OffsetTracker()
  const assignment = tracker.begin(0, 5)
  t.equal(tracker.finish(assignment, 0, 5), true)
  t.strictSame(tracker.takeCommittable(), [[0, 6]])
  t.strictSame(tracker.takeCommittable(), [])
})

t.test('a message that finishes behind one that is still in hand waits for it', async (t) => {
  const tracker = new OffsetTracker()
  const assignment = tracker.begin(0, 5)
  for (const offset of [6, 7, 8]) tracker.begin(0, offset)
  t.equal(tracker.finish(assignment, 0, 7), false)
  t.equal(tracker.finish(assignment, 0, 6), false)
  t.strictSame(tracker.takeCommittable(), [])
  t.equal(tracker.finish(assignment, 0, 5), true)
  t.strictSame(tracker.takeCommittable(), [[0, 8]])
})

t.test('offsets may have gaps', async (t) => {
  const tracker = new OffsetTracker()
  const assignment = tracker.begin(0, 5)
  tracker.begin(0, 90)
  tracker.finish(assignment, 0, 5)
  tracker.finish(assignment, 0, 90)
  t.strictSame(tracker.takeCommittable(), [[0, 91]])
})

t.test('partitions do not wait for each other', async (t) => {
  const tracker = new OffsetTracker()
  const assignment = tracker.begin(0, 1)
  tracker.begin(1, 1)
  tracker.finish(assignment, 1, 1)
  t.strictSame(tracker.takeCommittable(), [[1, 2]])
})

t.test('what finishes after the partitions were taken away is not committed', async (t) => {
  const tracker = new OffsetTracker()
  const before = tracker.begin(0, 5)
  tracker.clear()
  t.equal(tracker.finish(before, 0, 5), false)
  const after = tracker.begin(0, 5)
  t.equal(tracker.finish(before, 0, 5), false, 'nor does it finish the same message read again')
  t.strictSame(tracker.takeCommittable(), [])
  t.equal(tracker.finish(after, 0, 5), true)
})

t.test('what could be committed and was not is forgotten with the partitions', async (t) => {
  const tracker = new OffsetTracker()
  tracker.finish(tracker.begin(0, 5), 0, 5)
  tracker.clear()
  t.strictSame(tracker.takeCommittable(), [])
})

for (const seed of [1, 2, 3]) {
  t.test(`seed ${seed}: never past a message in hand, always as far as there is none`, async (t) => {
    const random = seededRandom(seed)
    const tracker = new OffsetTracker()
    const inHand: number[] = []
    let next = 0
    let committed = 0
    for (let step = 0; step < 3_000; step++) {
      if (inHand.length === 0 || random.chance(0.5)) {
        tracker.begin(0, next)
        inHand.push(next++)
      } else {
        const [offset] = inHand.splice(random.below(inHand.length), 1)
        tracker.finish(0, 0, offset as number)
      }
      for (const [, offset] of tracker.takeCommittable()) committed = offset
      const safe = Math.min(next, ...inHand)
      if (committed > safe) t.fail(`step ${step}: committed ${committed}, ${safe} is in hand`)
      if (committed < safe) t.fail(`step ${step}: committed ${committed}, ${safe} could be`)
    }
    t.ok(committed > 100)
  })
}
