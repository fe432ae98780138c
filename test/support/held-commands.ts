/** Shapes of commands (command-looks), held against the indexes that there are and against the keys of collections that are sharded. */
import { openDatabase, pdfBucketName, type Collections } from '../../src/store/database/connection.js'
import { declaredIndexes } from '../../src/store/database/declared-indexes.js'
import { shardKeys } from '../../src/store/database/shard-keys.js'
import { besides, scatters, sorts, walks } from './allowed-looks.js'
import { besideIndex, besideRange, faultOf, scatterOf, sortedByServer, type Index, type Look } from './command-looks.js'

/** By the collection's name in the database. */
export type Indexes = ReadonlyMap<string, readonly Index[]>

const allowed = { walks, sorts, besides, scatters }
type List = keyof typeof allowed
const lists = Object.keys(allowed) as List[]

/** `products find vendorId archived by externalId` */
export const nameOf = ({ collection, command, filter, sort }: Look): string =>
  [collection, command, ...Object.keys(filter), ...(sort.length === 0 ? [] : ['by', ...sort])].join(' ')

/** What is wrong with a shape, in words; nothing of one that an index serves, or that is in the list of those that may do without. */
export function faultsOf (look: Look, indexes: Indexes): string[] {
  const its = indexes.get(look.collection)
  // Left out, a collection that somebody begins to use would be held against nothing.
  if (its === undefined) return ['the indexes of this collection are not known']
  const name = nameOf(look)
  return lists.map((list) => {
    const fault = faultFor[list](look, its)
    // What has nowhere to go no reason helps.
    return fault !== null && fault !== 'nowhere to go' && name in allowed[list] ? null : fault
  }).filter((fault) => fault !== null)
}

/** Entries of the lists that none of these shapes needs, by list and name: `walks: products find`. */
export function unneeded (looks: readonly Look[], indexes: Indexes): string[] {
  return lists.flatMap((list) => {
    const needed = new Set(looks.filter((look) => faultFor[list](look, indexes.get(look.collection) ?? []) !== null).map(nameOf))
    return Object.keys(allowed[list]).filter((name) => !needed.has(name)).map((name) => `${list}: ${name}`)
  })
}

/** What is wrong with a shape that is not in the list. */
const faultFor: Record<List, (look: Look, its: readonly Index[]) => string | null> = {
  walks: faultOf,
  sorts: (look, its) => faultOf(look, its) === null && sortedByServer(look, its) ? 'no index has its order: the server sorts all that is found' : null,
  besides (look, its) {
    const [range, index] = [besideRange(look, its), besideIndex(look, its)]
    return range.length > 0 ? `${range.join()} beside a range of an index` : index.length > 0 ? `${index.join()} in no index that serves the rest` : null
  },
  scatters (look) {
    const key = shardKeys.get(look.collection)
    return key === undefined ? null : scatterOf(look, key)
  }
}

const ofId: Index = { name: '_id_', key: { _id: 1 } }

/** Those that the service makes, and that of PDFs' pieces, which the driver makes with the first of them (GridFS). Asks no database. */
export async function expectedIndexes (): Promise<Map<string, Index[]>> {
  const { collections, close } = openDatabase('mongodb://127.0.0.1/catalog', { appName: 'catalog-test' })
  await close()
  const byName = new Map<string, Index[]>([[`${pdfBucketName}.chunks`, [ofId, { name: 'files_id_1_n_1', key: { files_id: 1, n: 1 } }]]])
  for (const { collectionName } of Object.values(collections) as Array<Collections['vendors']>) byName.set(collectionName, [ofId])
  for (const { collection, index } of await declaredIndexes()) byName.get(collections[collection].collectionName)?.push(index as Index)
  return byName
}
