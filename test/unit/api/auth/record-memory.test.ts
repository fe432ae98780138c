/** How long a record is remembered, with a database that takes its time. */
import t from 'tap'
import { createRecordMemory, memoryMs } from '../../../../src/api/auth/record-memory.js'

function setUp () {
  const state = { nowMs: 0, answers: [] as Array<(record: string | null) => void> }
  const memory = createRecordMemory<string>({
    read: async () => await new Promise((resolve) => { state.answers.push(resolve) }),
    monotonicMs: () => state.nowMs
  })
  return { memory, state }
}

t.test('who asks while a look-up is under way joins it', async (t) => {
  const { memory, state } = setUp()
  const asked = [memory.find('a'), memory.find('a')]
  state.answers[0]?.('record')
  t.strictSame(await Promise.all(asked), ['record', 'record'])
  t.equal(state.answers.length, 1)
})

t.test('nobody joins a look-up that is older than a record may be: what it has read may have been revoked', async (t) => {
  const { memory, state } = setUp()
  const first = memory.find('a')
  state.nowMs += memoryMs
  const second = memory.find('a')
  const third = memory.find('a')
  t.equal(state.answers.length, 2, 'they ask for themselves, once')
  state.answers[1]?.(null)
  t.strictSame([await second, await third], [null, null])
  state.answers[0]?.('record')
  t.equal(await first, 'record', 'who has asked before is answered')
  t.equal(memory.recall('a'), null, 'what came late is not remembered')
})

t.test('a look-up that comes to nothing leaves the next one alone', async (t) => {
  let reads = 0
  const memory = createRecordMemory<string>({ read: async () => { if (reads++ === 0) throw new Error('away'); return 'record' }, monotonicMs: () => 0 })
  await t.rejects(memory.find('a'), /away/)
  t.equal(await memory.find('a'), 'record')
})
