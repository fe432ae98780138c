/**
 * A vendor's targets in the order of their ids, page by page. Ids hold consecutive numbers (domain/fitment-target), so a range of as many
 * numbers as the page is long is the page; where some of them have been deleted, the rest is read as ranges that grow. Ranges have
 * two ends, for a server that does not stop at a limit.
 */
import type { FitmentTargetRecord } from '../../domain/fitment-target.js'
import type { Collections } from '../database/connection.js'

type Parts = Pick<Collections, 'fitmentTargets' | 'counters'>

/** Without what only look-ups need; `pagedFields` reads it. */
export type PagedTarget = Omit<FitmentTargetRecord, 'keys' | 'externalKey'>

export const pagedFields = { vendorId: 1, externalId: 1, order: 1, label: 1, facetValues: 1, revision: 1 } as const
const walkPageSize = 500
/** Numbers that one command looks at. */
export const maxRange = 16_384

/** The counter's document: the highest number that was given out. */
export const counterId = (vendorId: string): string => `fitment-targets:${vendorId}`

/** 0: none was given out. */
export const highestNumber = async ({ counters }: Pick<Parts, 'counters'>, vendorId: string): Promise<number> =>
  (await counters.findOne({ _id: counterId(vendorId) }))?.next ?? 0

/** Up to `limit` targets with numbers above `after`, by number. Leaves out their keys. */
export async function targetsAfter ({ fitmentTargets, counters }: Parts, vendorId: string, after: number, limit: number): Promise<PagedTarget[]> {
  const highest = await highestNumber({ counters }, vendorId)
  const found: PagedTarget[] = []
  for (let from = after, range = limit; from < highest && found.length < limit; from += range, range = Math.min(2 * range, maxRange)) {
    const options = { sort: { order: 1 as const }, limit: limit - found.length, projection: pagedFields, batchSize: limit + 1 }
    found.push(...await fitmentTargets.find<PagedTarget>({ vendorId, order: { $gt: from, $lt: from + range + 1 } }, options).toArray())
  }
  return found
}

/** All targets with numbers above `after`; `last` is the number of a page's last one. */
export async function * walkTargets (parts: Parts, vendorId: string, after: number): AsyncGenerator<{ targets: PagedTarget[], last: number }> {
  for (let from = after; ;) {
    const targets = await targetsAfter(parts, vendorId, from, walkPageSize)
    const last = targets.at(-1)
    if (last === undefined) return
    yield { targets, last: last.order }
    from = last.order
  }
}
