import type { Channel } from '../../domain/analytics/records.js'

export type SummedKind = 'conversations' | 'orders'

/** What a day's records of one channel add up to. */
export type Sums<Name extends string> = { channel: Channel | null } & Record<Name, number>

export interface Day {
  /** +1 with every opening and closing. */
  version: number
  /** Since when who writes. */
  writers: Record<string, Date>
  sums?: Array<Sums<string>>
}

/** 32 days of a vendor's records of one kind. Where there is none, nothing is known of its days. */
export interface DaySumsDocument {
  _id: string
  vendorId: string
  kind: SummedKind
  /** Days since 1970 / 32. */
  block: number
  /** By `d` and days since 1970. */
  days: Record<string, Day>
}
