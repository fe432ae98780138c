import t from 'tap'
import { createVendorTurns, type VendorTurns } from '../../../src/jobs/vendor-turns.js'

/** Owners and their vendors have the same names here, but where a test says otherwise. */
function recorded (jobsAtOnce: number): { turns: VendorTurns<string>, given: string[], ends: boolean[], want: (...wanted: Array<[owner: string, turn: number]>) => void } {
  const given: string[] = []
  const ends: boolean[] = []
  const turns = createVendorTurns<string>({ jobsAtOnce, turnEnded: (isWanted) => { ends.push(isWanted) } }, (owner, turn) => { given.push(`${owner}${turn}`) })
  return { given, ends, turns, want: (...wanted) => { for (const [owner, turn] of wanted) turns.want(owner, owner, turn) } }
}

t.test('a job that is alone waits for nothing', async (t) => {
  const { given, want } = recorded(1)
  want(['a', 0], ['a', 1], ['a', 2])
  t.strictSame(given, ['a0', 'a1', 'a2'])
})

t.test('another job comes when what was under way before it is over, and before what came after it', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['a', 1], ['b', 0], ['a', 2], ['b', 1], ['c', 0])
  t.strictSame(given, ['a0', 'a1'])
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'a1'])
  turns.end('a', 1)
  t.strictSame(given, ['a0', 'a1', 'b0'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'a1', 'b0', 'c0'])
  turns.end('c', 0)
  t.strictSame(given, ['a0', 'a1', 'b0', 'c0', 'b1'])
  turns.end('b', 1)
  t.strictSame(given, ['a0', 'a1', 'b0', 'c0', 'b1', 'a2'])
})

t.test('as many jobs at once as there may be', async (t) => {
  const { turns, given, want } = recorded(2)
  want(['a', 0], ['b', 0], ['b', 1], ['c', 0], ['a', 1])
  t.strictSame(given, ['a0', 'b0'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'b0', 'c0'])
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'b0', 'c0', 'b1'])
  turns.end('c', 0)
  t.strictSame(given, ['a0', 'b0', 'c0', 'b1', 'a1'])
})

t.test('beside others a vendor has one turn at a time, and alone again as many as it likes', async (t) => {
  const { turns, given, ends, want } = recorded(3)
  want(['a', 0], ['b', 0], ['a', 1], ['a', 2])
  t.strictSame(given, ['a0', 'b0'])
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'b0', 'a1'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'b0', 'a1', 'a2'])
  t.strictSame(ends, [false, false], 'for which the pace need not be another')
})

t.test('who has had fewer goes first, in whatever order they have asked', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['b', 0], ['a', 1], ['a', 2], ['b', 1])
  for (const [owner, turn] of [['a', 0], ['b', 0], ['a', 1], ['b', 1]] as const) turns.end(owner, turn)
  t.strictSame(given, ['a0', 'b0', 'a1', 'b1', 'a2'])
})

t.test('who has run alone waits until the others have had as many', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['a', 1], ['b', 0], ['a', 2], ['b', 1])
  for (const [owner, turn] of [['a', 0], ['a', 1], ['b', 0], ['b', 1]] as const) turns.end(owner, turn)
  t.strictSame(given, ['a0', 'a1', 'b0', 'b1', 'a2'])
})

t.test('who comes when another has had a hundred is ahead of it by some, and no more', async (t) => {
  const { turns, given, want } = recorded(1)
  for (let turn = 0; turn < 100; turn++) {
    want(['long', turn])
    turns.end('long', turn)
  }
  want(['long', 100])
  for (let turn = 0; turn < 40; turn++) want(['late', turn])
  want(['long', 101])
  turns.end('long', 100)
  const before = given.length
  for (let turn = 0; turn < 40; turn++) turns.end('late', turn)
  t.ok(before - 101 >= 16, 'a small import is over first')
  t.ok(before - 101 < 20, 'a large one goes on')
  t.equal(given[before], 'long101')
})

t.test('those who come one after the other are no more ahead than the first of them', async (t) => {
  const { turns, given, want } = recorded(1)
  for (let turn = 0; turn < 100; turn++) {
    want(['long', turn])
    turns.end('long', turn)
  }
  want(['long', 100], ['first', 0])
  turns.end('long', 100)
  for (let turn = 0; turn < 20; turn++) want(['second', turn])
  want(['first', 1])
  turns.end('first', 0)
  t.strictSame(given.slice(101), ['first0', 'second0', 'second1'])
  turns.end('second', 0)
  turns.end('second', 1)
  t.strictSame(given.slice(101), ['first0', 'second0', 'second1', 'first1'])
})

t.test('one vendor\'s jobs, one after the other, have no head start each', async (t) => {
  const { turns, given } = recorded(1)
  turns.want('large', 'a', 0)
  turns.end('large', 0)
  for (let job = 0; job < 3; job++) {
    turns.want(`small${job}`, 'b', 0)
    turns.want('large', 'a', job + 1)
    turns.end(`small${job}`, 0)
    turns.end('large', job + 1)
  }
  t.strictSame(given, ['large0', 'small00', 'large1', 'small10', 'large2', 'small20', 'large3'])
})

t.test('one that is held up lets go of its turn, and keeps its places in the line until it comes round', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['b', 0], ['a', 1], ['c', 0])
  turns.hold('a', true)
  t.strictSame(given, ['a0', 'b0'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'b0', 'c0'])
  turns.end('c', 0)
  t.strictSame(given, ['a0', 'b0', 'c0'])
  turns.hold('a', false)
  t.strictSame(given, ['a0', 'b0', 'c0', 'a1'])
})

t.test('one that is gone neither keeps its turn nor its places in the line', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['a', 1], ['b', 0], ['a', 2], ['c', 0])
  turns.drop('a')
  t.strictSame(given, ['a0', 'a1', 'b0'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'a1', 'b0', 'c0'])
})

t.test('one that goes while it only waits takes nobody\'s turn', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['b', 0], ['c', 0])
  turns.drop('b')
  t.strictSame(given, ['a0'])
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'c0'])
})

t.test('an end that comes after its owner is gone, or twice, ends nobody else\'s turn', async (t) => {
  const { turns, given, want } = recorded(1)
  want(['a', 0], ['b', 0], ['c', 0])
  turns.drop('a')
  turns.end('a', 0)
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'b0'])
})

t.test('who sets the pace is told of each turn that has ended, and whether others wait for one', async (t) => {
  const { turns, ends, want } = recorded(1)
  want(['a', 0], ['b', 0], ['c', 0])
  turns.end('a', 0)
  turns.end('c', 0)
  t.strictSame(ends, [true], 'who gives up waiting has had no turn')
  turns.end('b', 0)
  t.strictSame(ends, [true, false])
})
