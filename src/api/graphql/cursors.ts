/** Opaque cursors: base64url of small JSON, accepted only in exactly the form in which they were given out. */
import { badInput } from '../../errors.js'
import { isAuditEventId } from '../../store/access/audit-events.js'
import type { ConversationPosition } from '../../store/analytics/conversation-pages.js'
import type { SearchCursor } from '../../store/search/product-search.js'
import type { ProductCursor } from '../../store/catalog/products.js'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const maxCursorLength = 2_048

export const jobCursor = {
  encode: (jobId: string): string => encode({ jobId }),
  /** Throws BAD_USER_INPUT. */
  decode (cursor: string): string {
    const { jobId } = decode(cursor)
    if (typeof jobId !== 'string' || !uuid.test(jobId) || jobCursor.encode(jobId) !== cursor) throw forged()
    return jobId
  }
}

export const productCursor = {
  encode: ({ archived, externalId }: ProductCursor): string => encode({ archived, externalId }),
  /** Throws BAD_USER_INPUT. */
  decode (cursor: string): ProductCursor {
    const { archived, externalId } = decode(cursor)
    if (typeof archived !== 'boolean' || typeof externalId !== 'string') throw forged()
    const position = { archived, externalId }
    if (productCursor.encode(position) !== cursor) throw forged()
    return position
  }
}

export const auditCursor = {
  encode: (eventId: string): string => encode({ eventId }),
  /** Throws BAD_USER_INPUT, also for an event of another vendor. */
  decode (cursor: string, vendorId: string): string {
    const { eventId } = decode(cursor)
    if (typeof eventId !== 'string' || !isAuditEventId(vendorId, eventId) || auditCursor.encode(eventId) !== cursor) throw forged()
    return eventId
  }
}

export const conversationCursor = {
  /** `sort` names the order of the list that the position is in. */
  encode: (sort: string, { values, key }: ConversationPosition): string => encode({ sort, values, key }),
  /** Throws BAD_USER_INPUT, also for a cursor of a list that was sorted otherwise. */
  decode (cursor: string, sort: string, fields: number): ConversationPosition {
    const { values, key } = decode(cursor)
    if (!Array.isArray(values) || values.length !== fields || !values.every((value) => Number.isSafeInteger(value)) || typeof key !== 'string') throw forged()
    const position = { values: values as number[], key }
    if (conversationCursor.encode(sort, position) !== cursor) throw forged()
    return position
  }
}

/** Names an edge where there is no argument to go on from it. */
export const plainCursor = (id: string): string => encode({ id })

export const sizeChartCursor = {
  encode: (externalId: string): string => encode({ externalId }),
  /** Throws BAD_USER_INPUT. */
  decode (cursor: string): string {
    const { externalId } = decode(cursor)
    if (typeof externalId !== 'string' || sizeChartCursor.encode(externalId) !== cursor) throw forged()
    return externalId
  }
}

export const searchCursor = {
  encode: ({ rank, externalId }: SearchCursor): string => encode({ rank, externalId }),
  /** Throws BAD_USER_INPUT. */
  decode (cursor: string): SearchCursor {
    const { rank, externalId } = decode(cursor)
    if (typeof rank !== 'number' || !Number.isSafeInteger(rank) || rank < 0 || typeof externalId !== 'string') throw forged()
    const position = { rank, externalId }
    if (searchCursor.encode(position) !== cursor) throw forged()
    return position
  }
}

export const forged = (): Error => badInput('cursor must be the endCursor of an earlier page', 'cursor')

const encode = (position: object): string => Buffer.from(JSON.stringify(position)).toString('base64url')

function decode (cursor: string): Record<string, unknown> {
  if (cursor.length > maxCursorLength) throw forged()
  let position: unknown
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw forged()
  }
  if (typeof position !== 'object' || position === null) throw forged()
  return position as Record<string, unknown>
}
