/**
 * How data and load spread over the shards of a cluster, by the keys of `catalog shard-commands`: of each sharded collection documents are drawn, of vendors by their sizes, and put where MongoDB
 * puts the value of their key. A key's values lie evenly between the shards' bounds, for a balancer moves the bounds until they do; one value is never parted. It says what follows from the keys,
 * not what a cluster does.
 */
import { createHash } from 'node:crypto'

/**
 * Of 10,000 vendors with a billion products, with indexes (docs/scale.md, "Collections"). `id`: what `_id` begins with; `job` and `vendor` are digests or random, and the same for all documents of
 * one; `own` is another for each document.
 */
export const collections = {
  products: { gigabytes: 1_800, id: 'own' },
  import_issues: { gigabytes: 400, id: 'job' },
  import_issues_unkept: { gigabytes: 10, id: 'own' },
  conversation_events: { gigabytes: 6_000, id: 'own' },
  customer_events: { gigabytes: 4_000, id: 'own' },
  conversations: { gigabytes: 1_600, id: 'own' },
  sessions: { gigabytes: 1_200, id: 'own' },
  orders: { gigabytes: 600, id: 'own' },
  surveys: { gigabytes: 60, id: 'own' },
  audit_events: { gigabytes: 200, id: 'vendor' },
  'size_chart_pdfs.chunks': { gigabytes: 1_000, id: 'time' }
}
/** What other fields hold that may be a key. */
const fields = { jobId: 'job', files_id: 'time', vendorId: 'vendor' }

const linesPerBatch = 500

/** `[collection, { field, isHashed }]` of the lines that `catalog shard-commands` prints. */
export function keysIn (lines) {
  return new Map(lines.flatMap((line) => {
    const [, collection, field, kind] = /^sh\.shardCollection\("[^".]+\.([^"]+)", \{ (\w+): (1|"hashed") \}\)$/.exec(line) ?? []
    if (collection === undefined && line.startsWith('sh.shardCollection')) throw new Error(`not understood: ${line}`)
    return collection === undefined ? [] : [[collection, { field, isHashed: kind !== '1' }]]
  }))
}

/** 0 to 1, where the value lies among all of its kind. */
const positionOf = (value) => createHash('md5').update(value).digest().readUInt32BE(0) / 0x1_0000_0000

/**
 * The shard of a document that is inserted now: the `number`-th of its vendor, which came with the `job`-th of the vendor's jobs. Values in the order of time are at the end of the last shard's range,
 * unless they are hashed.
 */
function shardOf (collection, { field, isHashed }, shards, { vendor, job, number }) {
  // The digest is of the whole value, whatever that begins with.
  const kind = field === '_id' ? isHashed ? 'own' : collections[collection].id : fields[field]
  if (kind === undefined) throw new Error(`it is not known what ${field} of ${collection} holds`)
  if (kind === 'time' && !isHashed) return shards - 1
  const value = { own: `${vendor} ${number}`, time: `${vendor} ${number}`, job: `${vendor} ${job}`, vendor: `${vendor}` }[kind]
  return Math.floor(positionOf(`${collection} ${value}`) * shards)
}

/** Of an even spread over this many shards `1 / shards`. */
const shares = (places, shards) => {
  const counts = new Array(shards).fill(0)
  for (const place of places) counts[place] += 1
  return counts.map((count) => count / places.length)
}

/**
 * `sizes`: products of each vendor, the largest first; `random`: 0 to 1; `drawn`: documents of each collection. Gives, as shares of all: of each collection what each shard has inserted of all vendors (`inserted`); of a delta of the largest
 * vendor what each shard writes (`largestDelta`); how many shards one of its batches asks, and hold what is wrong with one of its jobs; and each shard's gigabytes of what is sharded.
 */
export function spreadOver (keys, shards, sizes, random, drawn = 20_000) {
  let total = 0
  const bounds = sizes.map((size) => { total += size; return total })
  /** A document of any vendor, by its size. */
  const draw = () => {
    const at = random() * total
    let [low, high] = [0, bounds.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (bounds[middle] > at) high = middle
      else low = middle + 1
    }
    return { vendor: low, job: Math.floor(random() * 90), number: Math.floor(random() * 1e9) }
  }
  const places = (collection, document, count) => Array.from({ length: count }, (_, index) => shardOf(collection, keys.get(collection), shards, document(index)))
  const inserted = Object.fromEntries([...keys.keys()].map((collection) => [collection, shares(places(collection, draw, drawn), shards)]))
  const ofLargest = (index) => ({ vendor: 0, job: 0, number: index })
  const gigabytes = new Array(shards).fill(0)
  for (const [collection, key] of keys) {
    const isByTime = (key.field === '_id' ? collections[collection].id : fields[key.field]) === 'time'
    // What has been there for a while has been moved to where there is room.
    for (let shard = 0; shard < shards; shard++) gigabytes[shard] += collections[collection].gigabytes * (isByTime ? 1 / shards : inserted[collection][shard])
  }
  return {
    inserted,
    gigabytes,
    largestDelta: shares(places('products', ofLargest, Math.min(drawn, Math.ceil(sizes[0] / 100))), shards),
    batchAsks: new Set(places('products', ofLargest, linesPerBatch)).size,
    jobsIssuesOn: new Set(places('import_issues', ofLargest, linesPerBatch)).size
  }
}
