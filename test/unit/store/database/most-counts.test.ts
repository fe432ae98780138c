import t from 'tap'
import { createMostCounts } from '../../../../src/store/database/most-counts.js'

/** Of a vendor that has `stored`, on a clock of its own. */
function counts (stored: number) {
  let [time, counted] = [0, 0]
  const countMost = createMostCounts(async () => {
    counted++
    return stored
  }, { now: () => time })
  return { countMost, get counted () { return counted }, wait (ms: number) { time += ms }, become (number: number) { stored = number } }
}

t.test('what can not have come to be more than there is room for is counted once', async (t) => {
  const vendor = counts(10)
  t.strictSame([await vendor.countMost('v', 20, 100), await vendor.countMost('v', 20, 103), await vendor.countMost('v', 20, 110)], [10, 13, 20])
  t.equal(vendor.counted, 1)
})

t.test('what may be too many is counted, and known from then on', async (t) => {
  const vendor = counts(10)
  await vendor.countMost('v', 20, 100)
  vendor.become(15)
  t.strictSame([await vendor.countMost('v', 20, 111), await vendor.countMost('v', 20, 116)], [15, 20])
  vendor.become(21)
  t.equal(await vendor.countMost('v', 20, 117), 21)
  t.equal(vendor.counted, 3)
})

t.test('another vendor is another one', async (t) => {
  const vendor = counts(10)
  t.strictSame([await vendor.countMost('a', 20, 1), await vendor.countMost('b', 20, 5)], [10, 10])
  t.equal(vendor.counted, 2)
})

t.test('what nobody has marked is counted after half a minute', async (t) => {
  const vendor = counts(10)
  await vendor.countMost('v', 20, 1)
  vendor.become(20)
  vendor.wait(29_999)
  t.equal(await vendor.countMost('v', 20, 1), 10)
  vendor.wait(1)
  t.equal(await vendor.countMost('v', 20, 1), 20)
})
