/** How a sharded cluster distributes the large collections; docs/scale.md argues for each key. All others stay whole, on one shard. */

/** `1` in the order of its values, `hashed` spread by their digest. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>

export const shardKeys: ReadonlyMap<string, ShardKey> = new Map<string, ShardKey>([
  ['products', { _id: 'hashed' }],
  ['import_issues', { _id: 1 }],
  ['import_issues_unkept', { jobId: 1 }],
  ['conversation_events', { _id: 'hashed' }],
  ['customer_events', { _id: 'hashed' }],
  ['conversations', { _id: 'hashed' }],
  ['sessions', { _id: 'hashed' }],
  ['orders', { _id: 'hashed' }],
  ['surveys', { _id: 'hashed' }],
  ['audit_events', { _id: 1 }],
  ['size_chart_pdfs.chunks', { files_id: 1 }]
])

/**
 * Lines for mongosh, connected to a router (mongos). Each may be run again without harm, on a cluster that is empty or full: a collection that holds documents must have an
 * index that begins with its key, and of a hashed key there is none otherwise.
 */
export function shardCommands (database: string): string[] {
  const named = JSON.stringify(database)
  return [`sh.enableSharding(${named})`, ...[...shardKeys].flatMap(([collection, key]) => {
    const words = `{ ${Object.entries(key).map(([field, kind]) => `${field}: ${JSON.stringify(kind)}`).join(', ')} }`
    const shard = `sh.shardCollection(${JSON.stringify(`${database}.${collection}`)}, ${words})`
    return Object.values(key).includes('hashed')
      ? [`db.getSiblingDB(${named}).getCollection(${JSON.stringify(collection)}).createIndex(${words})`, shard]
      : [shard]
  })]
}
