/** How many conversations of a period have each tag, from what is kept by day (day-sums): a month costs little more than a look-up, however many conversations it has. */
import type { Period } from '../../domain/analytics/period.js'
import type { Channel } from '../../domain/analytics/records.js'
import type { Collections } from '../database/connection.js'
import { createDaySums, TooManySums, type DaySumsLimits } from './day-sums.js'

export interface Counted { id: string, count: number }

/** Most used first, of as many in the order of their ids; null: of one channel, or too many for sums by day. */
export type TagsByDay = (scope: { vendorId: string, period: Period, channel: Channel | null }) => Promise<Counted[] | null>

/** Five years: each may hold some hundred kilobytes. */
const maxBlocks = 60

export function createTagsByDay (collections: Collections, limits: DaySumsLimits = {}): TagsByDay {
  const daySums = createDaySums(collections, {
    kind: 'conversations',
    keptAs: 'tags',
    maxBlocks,
    // Before they are multiplied: the embedded servers would copy the whole record for each of its tags.
    stages: [{ $project: { _id: 0, created: 1, 'facts.tagIds': 1 } }, { $unwind: '$facts.tagIds' }],
    of: '$facts.tagIds',
    fields: { count: { $sum: 1 } }
  }, limits)

  return async ({ vendorId, period, channel }) => {
    if (channel !== null) return null
    try {
      const counts = Array.from(await daySums(vendorId, period), ([id, { count }]): Counted => ({ id: id ?? '', count }))
      return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
    } catch (error) {
      if (error instanceof TooManySums) return null
      throw error
    }
  }
}
