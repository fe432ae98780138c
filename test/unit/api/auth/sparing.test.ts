import t from 'tap'
import { createSparing } from '../../../../src/api/auth/sparing.js'

t.test('of one source the first few of a minute are told, and with the next one how many were left out', (t) => {
  let nowMs = 0
  const tell = createSparing({ ofOne: 2, ofAll: 100, monotonicMs: () => nowMs })
  const leftOut = (source: string): number | undefined => tell(source)?.leftOut
  t.strictSame([leftOut('a'), leftOut('a'), leftOut('a'), leftOut('a')], [0, 0, undefined, undefined])
  t.equal(leftOut('b'), 0, 'another one is told')
  nowMs = 60_000
  t.strictSame([leftOut('a'), leftOut('a')], [2, 0])
  t.end()
})

t.test('sources without number are told of no more than all may be', (t) => {
  const tell = createSparing({ ofOne: 2, ofAll: 10, monotonicMs: () => 0 })
  t.equal(Array.from({ length: 50_000 }, (_, n) => tell(`${n}`)).filter((told) => told !== null).length, 10)
  t.end()
})

t.test('who uses up what all may be told does not hide how many others were left out', (t) => {
  let nowMs = 0
  const tell = createSparing({ ofOne: 5, ofAll: 10, monotonicMs: () => nowMs })
  for (const source of ['loud', 'loud too']) for (let n = 0; n < 5; n++) tell(source)
  for (const source of ['quiet', 'quiet too']) t.equal(tell(source), null)
  nowMs = 60_000
  t.match(tell('loud'), { leftOut: 0, leftOutOfAll: 2 })
  t.match(tell('loud'), { leftOut: 0, leftOutOfAll: 0 }, 'once')
  t.end()
})
