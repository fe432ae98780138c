import t from 'tap'
import { dayOf, isBackwards, periodOf, spanOf, spansOf } from '../../../src/console/analytics/period.js'

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

t.test('a list of some days begins with the first and ends with the last, and is open where nothing is given', async (t) => {
  t.strictSame(spanOf({ from: '', to: '' }), { from: null, to: null })
  t.strictSame(spanOf({ from: '2026-03-01', to: '2026-03-02' }), { from: new Date(2026, 2, 1).toISOString(), to: new Date(2026, 2, 3).toISOString() })
  t.strictSame(spanOf({ from: 'x', to: '2026-12-31' }), { from: null, to: new Date(2027, 0, 1).toISOString() })
})

t.test('buckets share the period out, whose ends need not be theirs', async (t) => {
  const [a, b, c] = ['2025-01-01T00:00:00.000Z', '2025-01-06T00:00:00.000Z', '2025-01-13T00:00:00.000Z'] as const
  const period = { start: '2025-01-03T00:00:00.000Z', end: '2025-01-15T00:00:00.000Z' }
  t.strictSame(spansOf([a, b, c], period), [{ start: period.start, end: b }, { start: b, end: c }, { start: c, end: period.end }])
  t.strictSame(spansOf([], period), [])
})

t.test('the day of an instant is that of the reader, and of an end the one before', async (t) => {
  t.equal(dayOf(new Date(2026, 0, 5, 23, 30).toISOString()), '2026-01-05')
  t.equal(dayOf(new Date(2026, 0, 5).toISOString(), 1), '2026-01-04')
  t.equal(dayOf(''), '')
  t.equal(dayOf('nonsense'), '')
})
