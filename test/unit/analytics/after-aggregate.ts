/** How a test comes between the reading of conversations and what becomes of it. */
import type { Collections } from '../../../src/store/database/connection.js'
import { withMethod } from '../../support/with-method.js'

export function afterAggregate (collections: Collections, then: () => Promise<void>): Collections {
  const conversations = withMethod(collections.conversations, 'aggregate', ((...args: Parameters<typeof collections.conversations.aggregate>) => {
    const cursor = collections.conversations.aggregate(...args)
    return withMethod(cursor, 'toArray', async () => {
      const found = await cursor.toArray()
      await then()
      return found
    })
  }) as typeof collections.conversations.aggregate)
  return { ...collections, conversations }
}
