import t from 'tap'
import { createWriteTurns, type WriteTurns } from '../../../src/jobs/write-turns.js'

/** Owners and their jobs have the same names here, but where a test says otherwise. */
function recorded (jobsAtOnce: number): { turns: WriteTurns<string>, given: string[], ends: boolean[], want: (...wanted: Array<[owner: string, turn: number]>) => void } {
  const given: string[] = []
  const ends: boolean[] = []
  const turns = createWriteTurns<string>({ jobsAtOnce, turnEnded: (isWanted) => { ends.push(isWanted) } }, (owner, turn) => { given.push(`${owner}${turn}`) })
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
  t.strictSame(given, ['a0', 'a1', 'b0', 'a2'])
  turns.end('a', 2)
  turns.end('b', 1)
  t.strictSame(given, ['a0', 'a1', 'b0', 'a2', 'b1', 'c0'])
})

t.test('as many jobs at once as there may be', async (t) => {
  const { turns, given, want } = recorded(2)
  want(['a', 0], ['b', 0], ['b', 1], ['c', 0], ['a', 1])
  t.strictSame(given, ['a0', 'b0', 'b1'])
  turns.end('b', 0)
  t.strictSame(given, ['a0', 'b0', 'b1'])
  turns.end('a', 0)
  t.strictSame(given, ['a0', 'b0', 'b1', 'c0'])
  turns.end('b', 1)
  t.strictSame(given, ['a0', 'b0', 'b1', 'c0', 'a1'])
})

t.test('two jobs of one owner are two jobs', async (t) => {
  const { turns, given } = recorded(1)
  turns.want('thread', 'job', 0)
  turns.want('thread', 'another', 1)
  t.strictSame(given, ['thread0'])
  turns.end('thread', 0)
  t.strictSame(given, ['thread0', 'thread1'])
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
