import t from 'tap'
import { ownRound } from '../../../../src/store/reads/own-round.js'

/** Which round of the event loop it is. */
function rounds () {
  let round = 0
  let counting = setImmediate(function count () {
    round++
    counting = setImmediate(count)
  })
  return { get now () { return round }, end: () => { clearImmediate(counting) } }
}

/** Waits until nobody has the round. */
const quiet = async (): Promise<void> => { for (let times = 0; times < 3; times++) await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('who comes alone goes at once', async (t) => {
  await quiet()
  const clock = rounds()
  t.teardown(clock.end)
  await ownRound('a')
  t.equal(clock.now, 0)
})

t.test('of many each has a round, vendors in turn, those of one in their order', async (t) => {
  await quiet()
  const clock = rounds()
  t.teardown(clock.end)
  const gone: Array<[string, number]> = []
  await Promise.all(['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2'].map(async (name) => {
    await ownRound(name.slice(0, 1))
    gone.push([name, clock.now])
  }))
  t.strictSame(gone.map(([name]) => name), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  t.equal(new Set(gone.map(([, round]) => round)).size, gone.length)
})

t.test('who comes when all have gone goes at once again', async (t) => {
  await Promise.all(['a', 'a', 'b'].map(ownRound))
  await quiet()
  let hasGone = false
  void ownRound('a').then(() => { hasGone = true })
  await Promise.resolve().then(() => {})
  t.ok(hasGone)
})
