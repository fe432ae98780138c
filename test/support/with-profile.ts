/** For collections that are none: the server that they are said to be on, which has no transactions. */
import { setServerOf } from '../../src/store/database/server-of.js'
import type { ServerProfile } from '../../src/store/database/server-profile.js'

export function withProfile<T extends object> (collection: T, profile: ServerProfile): T {
  setServerOf(collection, {
    profile: async () => profile,
    openTransaction: async () => null,
    inTransaction: async () => { throw new Error('none is asked for') },
    pastTransactions: async (write) => await write()
  })
  return collection
}
