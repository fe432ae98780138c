import type { Document } from 'mongodb'
import type { Period } from '../../domain/analytics/period.js'

/** The condition that a record was created in a period; of all times, none. */
export function createdIn ({ start, end }: Period): Document {
  const range = { ...(start === null ? {} : { $gte: start }), ...(end === null ? {} : { $lt: end }) }
  return Object.keys(range).length === 0 ? {} : { created: range }
}
