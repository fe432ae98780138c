import t from 'tap'
import { startBeat, startRounds } from '../../../src/jobs/rounds.js'
import { createGate, eventually } from '../../support/eventually.js'

t.test('a round that outlasts the interval is not followed by those that fell due meanwhile', async (t) => {
  const slow = createGate()
  let begun = 0
  let ticks = 0
  const ticking = startBeat(async () => { ticks += 1 }, 1)
  const rounds = startRounds(async () => {
    begun += 1
    await slow.passed
  }, 1)
  await eventually('many intervals have passed', () => ticks > 20)
  t.equal(begun, 1)
  const ended = rounds.stop()
  slow.open()
  await ended
  t.equal(begun, 1, 'none was waiting in line')
  await ticking.stop()
})

t.test('rounds begin at once, beats after an interval', async (t) => {
  let rounds = 0
  let beats = 0
  const stopping = [startRounds(async () => { rounds += 1 }, 60_000), startBeat(async () => { beats += 1 }, 60_000)]
  t.equal(rounds, 1)
  t.equal(beats, 0)
  await Promise.all(stopping.map(async ({ stop }) => { await stop() }))
})

t.test('stop waits for the round in hand', async (t) => {
  const work = createGate()
  let isOver = false
  const rounds = startRounds(async () => {
    await work.passed
    isOver = true
  }, 60_000)
  const stopped = rounds.stop()
  work.open()
  await stopped
  t.ok(isOver)
})
