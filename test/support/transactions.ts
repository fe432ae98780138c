/** What may come of transactions on products, whatever the server is: they go as on it, are none, or fail each when everything in them is done. */
import { openDatabase, type Database } from '../../src/store/database/connection.js'
import { serverOf, setServerOf } from '../../src/store/database/server-of.js'
import { mongodb, secantusdb } from '../../src/store/database/server-profile.js'

export const transactionKinds = ['as on the server', 'none', 'failing'] as const
export type TransactionKind = typeof transactionKinds[number]

export function openDatabaseWith (kind: TransactionKind, url: string, appName: string): Database {
  if (kind !== 'failing') return openDatabase(url, kind === 'none' ? { appName, serverProfile: mongodb } : { appName })
  const database = openDatabase(url, { appName, serverProfile: secantusdb })
  const { products } = database.collections
  const server = serverOf(products)
  setServerOf(products, {
    profile: async () => await server.profile(),
    pastTransactions: async (write) => await server.pastTransactions(write),
    async openTransaction () {
      const transaction = await server.openTransaction()
      return transaction === null ? null : { ...transaction, commit: async () => { throw new Error('Refused') } }
    },
    inTransaction: async (work) => await server.inTransaction(async (session) => {
      await work(session)
      throw new Error('Refused')
    })
  })
  return database
}
