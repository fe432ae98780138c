/**
 * How often a vendor's records of a kind have been written, in `change_marks`: what is kept of them in memory is compared with it (kept-counts, most-counts). Products' is
 * in search/search-vocabularies.
 */
import type { Collections } from './connection.js'
import { countUp, countUpBy } from './count-up.js'

export type MarkedKind = 'conversations' | 'size_charts'

export interface ChangeMarks {
  /** To be called once they have been written: who counts between the two would keep what was there before. */
  mark (vendorId: string): Promise<void>
  /** The same, of so many that have come. Gives what is read then. */
  markRecords (vendorId: string, records: number): Promise<number>
  read (vendorId: string): Promise<number>
}

export function createChangeMarks ({ changeMarks }: Pick<Collections, 'changeMarks'>, kind: MarkedKind): ChangeMarks {
  const idOf = (vendorId: string): string => `${kind} ${vendorId}`
  return {
    mark: async (vendorId) => { await countUp(changeMarks, idOf(vendorId)) },
    markRecords: async (vendorId, records) => await countUpBy(changeMarks, idOf(vendorId), 'changes', records),
    read: async (vendorId) => (await changeMarks.findOne({ _id: idOf(vendorId) }))?.changes ?? 0
  }
}
