/** Opaque cursors: base64url of small JSON, accepted only in exactly the form in which they were given out. */
import { badInput } from '../../errors.js'
import type { SearchCursor } from '../../store/product-search.js'
import type { ProductCursor } from '../../store/products.js'

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
