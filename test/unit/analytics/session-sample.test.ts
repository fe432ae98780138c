/** Different sessions are counted exactly while there is room for their keys, and by a sample of them after that. */
import t from 'tap'
import { recordKey } from '../../../src/domain/analytics/documents.js'
import { createSessionSample } from '../../../src/store/analytics/session-sample.js'

const key = (index: number): string => recordKey('v', 'sessions', `${index}`)

t.test('while there is room each session is counted once, and has ordered when any of its chats says so', async (t) => {
  const sample = createSessionSample(100)
  for (const [index, ordered] of [[1, false], [2, true], [1, true], [2, false], [3, false]] as const) sample.add(key(index), ordered)
  t.equal(sample.threshold(), null)
  t.strictSame(sample.counts(), { sessions: 3, ordered: 2 })
})

t.test('when there is none, a sample of them stands for all, and shares are theirs', async (t) => {
  const sample = createSessionSample(4_096)
  for (let index = 0; index < 50_000; index++) {
    const threshold = sample.threshold()
    // What the database does not send any more.
    if (threshold === null || key(index) < threshold) sample.add(key(index), index % 4 === 0)
  }
  const { sessions, ordered } = sample.counts()
  t.ok(sample.threshold() !== null)
  // Keys are digests: these are always the same. 3.3 standard deviations of 2,048.
  t.ok(Math.abs(sessions / 50_000 - 1) < 0.08, `${sessions}`)
  t.ok(Math.abs(ordered / sessions - 0.25) < 0.033, `${ordered / sessions}`)
})

t.test('the threshold says of each key whether it counts', async (t) => {
  const [asked, told] = [createSessionSample(64), createSessionSample(64)]
  for (let index = 0; index < 2_000; index++) {
    told.add(key(index), true)
    const threshold = asked.threshold()
    if (threshold === null || key(index) < threshold) asked.add(key(index), true)
  }
  t.strictSame(asked.counts(), told.counts())
})

t.test('the share does not depend on how often a session chats, nor on the order', async (t) => {
  const [once, often] = [createSessionSample(64), createSessionSample(64)]
  for (let index = 0; index < 1_000; index++) once.add(key(index), index % 3 === 0)
  for (let index = 999; index >= 0; index--) for (let n = 0; n < 3; n++) often.add(key(index), n === 1 && index % 3 === 0)
  t.strictSame(often.counts(), once.counts())
})
