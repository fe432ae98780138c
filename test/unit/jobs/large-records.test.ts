import t from 'tap'
import { createLargeRecords } from '../../../src/jobs/large-records.js'
import { createLargeWork, ownerOfVendor } from '../../../src/threads/large-work.js'

const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }

t.test('a job works on a large record when its vendor has nothing large under way', async (t) => {
  const work = createLargeWork()
  const over = await work.begin(ownerOfVendor('shop'))
  const given: number[] = []
  createLargeRecords(work, 'shop').want(3, () => { given.push(3) })
  await turn()
  t.strictSame(given, [])
  over()
  await turn()
  t.strictSame(given, [3])
})

t.test('a record that is over lets the vendor go on', async (t) => {
  const work = createLargeWork()
  const records = createLargeRecords(work, 'shop')
  await new Promise<void>((resolve) => { records.want(0, resolve) })
  records.end(0)
  t.type(await work.begin(ownerOfVendor('shop')), 'function')
})

for (const [what, leave] of Object.entries({
  'a job that no longer waits': (records: ReturnType<typeof createLargeRecords>) => { records.end(0) },
  'a job that is gone': (records: ReturnType<typeof createLargeRecords>) => { records.drop() }
})) {
  t.test(`${what} is given nothing, and is in nobody's way`, async (t) => {
    const work = createLargeWork()
    const over = await work.begin(ownerOfVendor('shop'))
    const records = createLargeRecords(work, 'shop')
    let isGiven = false
    records.want(0, () => { isGiven = true })
    leave(records)
    over()
    t.type(await work.begin(ownerOfVendor('shop')), 'function')
    t.notOk(isGiven)
  })
}

t.test('a job that is gone with a record in hand lets the vendor go on', async (t) => {
  const work = createLargeWork()
  const records = createLargeRecords(work, 'shop')
  await new Promise<void>((resolve) => { records.want(0, resolve) })
  records.drop()
  t.type(await work.begin(ownerOfVendor('shop')), 'function')
})
