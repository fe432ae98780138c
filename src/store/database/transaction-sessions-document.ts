import type { Binary } from 'mongodb'

/** The document in `transaction_sessions`: of a process, or thread, that is or was. */
export interface TransactionSessionsDocument {
  _id: string
  sessions: Binary[]
  startedAt: Date
}
