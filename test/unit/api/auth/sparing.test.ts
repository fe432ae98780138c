import t from 'tap'
import { createSparing } from '../../../../src/api/auth/sparing.js'

t.test('of one source the first few of a minute are told, and with the next one how many were left out', (t) => {
  let nowMs = 0
  const tell = createSparing({ ofOne: 2, ofAll: 100, monotonicMs: () => nowMs })
  t.strictSame([tell('a'), tell('a'), tell('a'), tell('a')], [0, 0, null, null])
  t.equal(tell('b'), 0, 'another one is told')
  nowMs = 60_000
  t.strictSame([tell('a'), tell('a')], [2, 0])
  t.end()
})

t.test('sources without number are told of no more than all may be', (t) => {
  const tell = createSparing({ ofOne: 2, ofAll: 10, monotonicMs: () => 0 })
  t.equal(Array.from({ length: 50_000 }, (_, n) => tell(`${n}`)).filter((leftOut) => leftOut !== null).length, 10)
  t.end()
})
