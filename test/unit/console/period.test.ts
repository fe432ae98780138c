import t from 'tap'
import { isBackwards, periodOf } from '../../../src/console/analytics/period.js'

const now = new Date(2026, 2, 10, 15, 30)
const local = (year: number, month: number, day: number): string => new Date(year, month - 1, day).toISOString()

t.test('the last days end with today, whole', async (t) => {
  t.strictSame(periodOf({ from: '', to: '', days: 7 }, now), { start: local(2026, 3, 4), end: local(2026, 3, 11) })
})

t.test('a given period holds both of its days', async (t) => {
  t.strictSame(periodOf({ from: '2026-01-01', to: '2026-01-01', days: 7 }, now), { start: local(2026, 1, 1), end: local(2026, 1, 2) })
})

t.test('one that ends before it begins is told from others', async (t) => {
  t.equal(isBackwards(periodOf({ from: '2026-02-01', to: '2026-01-01', days: 7 }, now)), true)
  t.equal(isBackwards(periodOf({ from: '2026-02-01', to: 'nonsense', days: 7 }, now)), false)
})
