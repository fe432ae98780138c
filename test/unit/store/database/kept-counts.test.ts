import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createChangeMarks } from '../../../../src/store/database/change-marks.js'
import { createKept, createKeptCounts } from '../../../../src/store/database/kept-counts.js'
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

/** Counts that are over when they are told to be, of one vendor; each mark is one more change. */
function underWay () {
  const over: Array<PromiseWithResolvers<number>> = []
  let changes = 0
  const keep = createKeptCounts(async () => changes, { keptFrom: 5 })
  return {
    over,
    mark () { changes++ },
    count: async (name = 'live') => await keep('v', name, async () => {
      const counting = withResolvers()
      over.push(counting)
      return await counting.promise
    })
  }
}

interface PromiseWithResolvers<T> { promise: Promise<T>, resolve: (value: T) => void, reject: (error: Error) => void }

function withResolvers (): PromiseWithResolvers<number> {
  let [resolve, reject]: [PromiseWithResolvers<number>['resolve'], PromiseWithResolvers<number>['reject']] = [() => {}, () => {}]
  const promise = new Promise<number>((...both) => { [resolve, reject] = both })
  return { promise, resolve, reject }
}

t.test('who asks while it is counted shares the count, of few too', async (t) => {
  for (const result of [10, 2]) {
    const { over, count } = underWay()
    const counts = [count(), count(), count('archived'), count()]
    await turn()
    t.equal(over.length, 2)
    over[0]?.resolve(result)
    over[1]?.resolve(20)
    t.strictSame(await Promise.all(counts), [result, result, 20, result])
  }
})

t.test('a count that began before a mark is not shared behind it', async (t) => {
  const { over, mark, count } = underWay()
  const before = count()
  await turn()
  mark()
  const behind = [count(), count()]
  await turn()
  t.equal(over.length, 2)
  over[1]?.resolve(11)
  t.strictSame(await Promise.all(behind), [11, 11])
  over[0]?.resolve(10)
  t.equal(await before, 10)
})

t.test('one that fails does so for those who share it, and the next one counts anew', async (t) => {
  const { over, count } = underWay()
  const failing = Promise.allSettled([count(), count()])
  await turn()
  over[0]?.reject(new Error('away'))
  t.strictSame((await failing).map(({ status }) => status), ['rejected', 'rejected'])
  const next = count()
  await turn()
  over[1]?.resolve(10)
  t.equal(await next, 10)
  t.equal(over.length, 2)
})

t.test('what is counted in another way is kept by how many were looked at', async (t) => {
  let asked = 0
  const keep = createKept<number[]>(async () => 0, (counts) => counts.length, { keptFrom: 3, now: () => asked * 10 })
  const count = async (): Promise<number[]> => { asked++; return Array.from({ length: 1 + asked }, () => asked) }
  t.strictSame([await keep('v', 'a', count), await keep('v', 'a', count), await keep('v', 'a', count)], [[1, 1], [2, 2, 2], [2, 2, 2]])
})
