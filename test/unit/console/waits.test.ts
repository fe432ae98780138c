import t from 'tap'
import { createWaits, type Waits } from '../../../src/console/ui/waits.js'

/** Of a clock that is set by hand. */
function waitsAt (clock: { ms: number }): Waits {
  return createWaits(() => clock.ms)
}

t.test('what is waited for first has been waited for no time', async (t) => {
  t.equal(waitsAt({ ms: 7_000 }).begin(), 0)
})

t.test('what follows at once goes on with the same wait, as often as it does', async (t) => {
  const clock = { ms: 1_000 }
  const waits = waitsAt(clock)
  waits.begin()
  for (const ms of [1_150, 1_190, 1_500]) {
    clock.ms = ms
    waits.end()
    t.equal(waits.begin(), ms - 1_000)
  }
})

t.test('what is waited for after something was shown is a wait of its own', async (t) => {
  const clock = { ms: 0 }
  const waits = waitsAt(clock)
  waits.begin()
  clock.ms = 150
  waits.end()
  clock.ms = 1_000
  t.equal(waits.begin(), 0)
})
