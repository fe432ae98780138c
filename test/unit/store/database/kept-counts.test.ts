import t from 'tap'
import { createChangeMarks } from '../../../../src/store/database/change-marks.js'
import { createKeptCounts } from '../../../../src/store/database/kept-counts.js'
import { testDatabase } from '../../../support/database.js'

const { database: { collections } } = await testDatabase(t)
const { mark, read } = createChangeMarks(collections, 'conversations')

/** Counts that take 100 ms each, on a clock of their own. */
function counts (keptFrom = 5) {
  let [time, asked] = [0, 0]
  const keep = createKeptCounts(read, { now: () => time, keptFrom })
  return {
    get asked () { return asked },
    wait (ms: number) { time += ms },
    count: async (vendorId: string, result: number, name = 'live') => await keep(vendorId, name, async () => {
      asked++
      time += 100
      return result
    })
  }
}

t.test('a count of many is kept, for each vendor and each list', async (t) => {
  const { count } = counts()
  t.strictSame([await count('a', 10), await count('a', 11), await count('b', 12), await count('a', 13, 'archived'), await count('a', 14)], [10, 10, 12, 13, 10])
})

t.test('who has written sees it counted, the first time too', async (t) => {
  const { count } = counts()
  for (const result of [10, 11, 12]) {
    t.equal(await count('writer', result), result)
    await mark('writer')
  }
  await Promise.all([mark('others'), mark('others')])
  t.equal(await read('others'), 2, 'marks that come together are two')
})

t.test('a count that is written during is not kept', async (t) => {
  const keep = createKeptCounts(read, { keptFrom: 1 })
  t.equal(await keep('busy', 'live', async () => {
    await mark('busy')
    return 10
  }), 10)
  t.equal(await keep('busy', 'live', async () => 11), 11)
})

t.test('without a mark it is counted anew after a hundred times what counting took', async (t) => {
  const clock = counts()
  await clock.count('a', 10)
  clock.wait(9_999)
  t.equal(await clock.count('a', 11), 10)
  clock.wait(1)
  t.equal(await clock.count('a', 11), 11)
})

t.test('a mark is of one kind', async (t) => {
  await mark('one-kind')
  t.equal(await createChangeMarks(collections, 'size_charts').read('one-kind'), 0)
})

t.test('counts of long names are told apart', async (t) => {
  const { count } = counts()
  const name = 'x'.repeat(10_000)
  t.strictSame([await count('a', 10, `${name}1`), await count('a', 11, `${name}2`), await count('a', 12, `${name}1`)], [10, 11, 10])
})

t.test('few are counted each time', async (t) => {
  const clock = counts()
  t.strictSame([await clock.count('a', 4), await clock.count('a', 3)], [4, 3])
})
