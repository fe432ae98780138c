export type SummedKind = 'conversations' | 'orders'
/** As which they are kept; `tags` are those of conversations, by tag. */
export type KeptKind = SummedKind | 'tags'

/** What a day's records of one channel add up to; of tags, of one tag, which stands in its place. */
export type Sums<Name extends string> = { channel: string | null } & Record<Name, number>

export interface Day {
  /** +1 with every opening and closing. Of `tags`, which nobody opens: that of the conversations' day that the sums are of. */
  version: number
  /** Since when who writes. */
  writers: Record<string, Date>
  sums?: Array<Sums<string>>
}

/** 32 days of a vendor's records of one kind. Where there is none, nothing is known of its days. */
export interface DaySumsDocument {
  _id: string
  vendorId: string
  kind: KeptKind
  /** Days since 1970 / 32. */
  block: number
  /** By `d` and days since 1970. */
  days: Record<string, Day>
}
