/** MongoDB, or the embedded server: by doing what the service does. */
import { MongoServerError, type Document } from 'mongodb'
import type { Database } from '../../store/database/connection.js'
import { databaseName } from '../../store/database/database-name.js'
import { shardKeys } from '../../store/database/shard-keys.js'
import { findSchemaGap, isBehind, wordSchemaGap } from '../../store/schema-gap.js'
import { wordBytes } from '../wording.js'
import { fail, messageOf, ok, warn, type Area, type Check, type Outcome } from './check.js'
import type { DoctorParts } from './parts.js'

const limitMs = 5_000
/** The first start of an embedded server may fetch it. */
const openLimitMs = 25_000
/** Older ones have no fixes any more. */
const maintained = 7
const probes = 'doctor_probes'
const writes = 5
const slowWriteMs = 50
/** Leases and deadlines are compared with this machine's clock; tokens are refused whose time is a minute ahead. */
const skewWarnMs = 1_000
const skewFailMs = 30_000

export function mongodbArea (parts: DoctorParts): Area {
  const { config } = parts
  const isEmbedded = config.mongodbUrl === undefined
  const variable = config.mongodbUrlVariable
  const mongosh = `mongosh "${variable === 'MONGODB_URL' ? '$MONGODB_URL' : '$(cat "$MONGODB_URL_FILE")'}"`
  const shard = `catalog shard-commands | ${mongosh}`
  let hello: Document = {}
  const check = (name: string, fix: string, run: (database: Database) => Promise<Outcome>): Check =>
    ({ name: `mongodb ${name}`, limitMs, fix, run: async () => await run(await parts.database()) })
  return {
    checks: [
      {
        name: 'mongodb',
        limitMs: openLimitMs,
        gate: true,
        fix: isEmbedded ? 'EMBEDDED_MONGO=auto, with Python 3.10 to 3.13 and its venv module; or set MONGODB_URL' : `look whether ${variable} names the right hosts, user and password: ${mongosh} --eval "db.hello()"`,
        run: async () => {
          const database = await parts.database()
          const started = performance.now()
          hello = await database.db.command({ hello: 1 }).catch((error: unknown) => { throw wordRefusal(error) })
          // hello needs no login; this does.
          const { version } = await database.db.command({ buildInfo: 1 }).catch((error: unknown) => { throw wordRefusal(error) }) as { version: string }
          await database.collections.schemaVersions.findOne({}).catch((error: unknown) => { throw wordRefusal(error) })
          const told = `${isEmbedded ? 'embedded, ' : ''}version ${version}, answers in ${Math.round(performance.now() - started)} ms`
          return Number.parseInt(version) < maintained ? warn(`${told}, which gets no fixes any more`, 'upgrade MongoDB to 8') : ok(told)
        }
      },
      check('replica set', 'start mongod with --replSet rs0, and run rs.initiate() in mongosh', async () => replicaOutcome(hello, isEmbedded)),
      check('writes', `grant the role of docs/operations.md, "MongoDB's rights", on ${isEmbedded ? 'the database' : databaseName(config.mongodbUrl ?? '')}`, async (database) => await writeOutcome(database, isEmbedded)),
      check('schema', 'catalog migrate', async (database) => await schemaOutcome(database, config.migrate)),
      check('clock', 'run chrony or another NTP client on both machines', async (database) => await clockOutcome(database)),
      check('memory', 'give the server more memory, or shard', memoryOutcome),
      ...isEmbedded ? [] : [check('shards', shard, async (database) => await shardOutcome(database, hello, shard))]
    ]
  }
}

/** What the driver says of a server that is away names all that it knows about it. */
function wordRefusal (error: unknown): Error {
  const message = messageOf(error)
  return new Error(/authentication failed/i.test(message) || (error instanceof MongoServerError && error.code === 18) ? 'the user or the password is wrong' : message)
}

function replicaOutcome ({ msg, setName, hosts = [] }: Document, isEmbedded: boolean): Outcome {
  if (msg === 'isdbgrid') return ok('a sharded cluster')
  if (setName === undefined) return isEmbedded ? ok('none, as the embedded server is by itself') : fail('the server is in no replica set: writes of a majority and transactions need one', 'start mongod with --replSet rs0, and run rs.initiate() in mongosh')
  const members = (hosts as string[]).length
  const told = `${String(setName)}, ${members} ${members === 1 ? 'member' : 'members'} with data`
  if (isEmbedded || members >= 3) return ok(told)
  return warn(`${told}: when one is lost, ${members === 1 ? 'everything waits for it' : 'there is no majority'}`, 'add members until there are three: rs.add("host:27017")')
}

async function writeOutcome ({ db }: Database, isEmbedded: boolean): Promise<Outcome> {
  const collection = db.collection(probes)
  const times: number[] = []
  try {
    for (let write = 0; write < writes; write++) {
      const started = performance.now()
      await collection.insertOne({ at: new Date() })
      times.push(performance.now() - started)
    }
  } finally {
    await collection.drop().catch(() => {})
  }
  const median = times.sort((a, b) => a - b)[Math.floor(writes / 2)] ?? 0
  const told = `w: majority and the journal after ${median.toFixed(1)} ms (median of ${writes})`
  return median > slowWriteMs ? warn(`${told}: imports take that for each batch at least`, isEmbedded ? 'put DATA_DIR on an SSD of this machine' : 'put its members nearer to each other, and their journals on SSDs') : ok(told)
}

async function schemaOutcome (database: Database, mode: 'auto' | 'check'): Promise<Outcome> {
  const gap = await findSchemaGap(database)
  if (!isBehind(gap)) return ok(`version ${gap.version}, all indexes are there`)
  const told = wordSchemaGap(database, gap)
  return mode === 'auto' ? ok(`${told}; the next start migrates it`) : fail(told, 'catalog migrate')
}

async function clockOutcome ({ db }: Database): Promise<Outcome> {
  const before = Date.now()
  const { localTime } = await db.command({ hello: 1 }) as { localTime?: Date }
  const after = Date.now()
  if (!(localTime instanceof Date)) return ok('the server does not tell its time')
  // No more is known than that it was told in between.
  const skewMs = localTime.getTime() > after ? localTime.getTime() - after : Math.min(0, localTime.getTime() - before)
  const told = `the database's is ${skewMs === 0 ? 'the same' : `${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead' : 'behind'}`}`
  const fix = 'run chrony or another NTP client on both machines'
  if (Math.abs(skewMs) >= skewFailMs) return fail(told, fix)
  return Math.abs(skewMs) >= skewWarnMs ? warn(told, fix) : ok(told)
}

interface ServerStatus { wiredTiger?: { cache?: { 'maximum bytes configured'?: unknown } } }

async function memoryOutcome ({ db }: Database): Promise<Outcome> {
  const { dataSize = 0, indexSize = 0 } = await db.command({ dbStats: 1 })
  const told = `${wordBytes(Number(dataSize))} of documents, ${wordBytes(Number(indexSize))} of indexes`
  const cacheBytes = await db.command({ serverStatus: 1 }).then((status) => Number((status as ServerStatus).wiredTiger?.cache?.['maximum bytes configured']), () => NaN)
  if (!(cacheBytes > 0)) return ok(`${told}; how much memory the server has this user may not see`)
  const against = `${told}, for a cache of ${wordBytes(cacheBytes)}`
  return Number(indexSize) > cacheBytes ? warn(`${against}: indexes are read from disk`, 'give the server more memory, or shard (docs/scale.md)') : ok(against)
}

interface FirstBatch { cursor: { firstBatch: Array<{ _id: string }> } }

async function shardOutcome ({ db }: Database, { msg }: Document, fix: string): Promise<Outcome> {
  if (msg !== 'isdbgrid') return ok('no sharded cluster')
  const pipeline = [{ $match: { _id: { $regex: `^${db.databaseName.replaceAll(/[^\w]/g, '\\$&')}\\.` } } }, { $project: { key: 1 } }]
  const found = await db.client.db('config').command({ aggregate: 'collections', pipeline, cursor: { batchSize: 1_000 } })
    .then((answer) => new Set((answer as FirstBatch).cursor.firstBatch.map(({ _id }) => _id.slice(db.databaseName.length + 1))), () => null)
  if (found === null) return ok('what is sharded this user may not see (read on the database config)')
  const missing = [...shardKeys.keys()].filter((name) => !found.has(name))
  return missing.length === 0
    ? ok(`all ${shardKeys.size} large collections are sharded`)
    : warn(`${missing.length} large collections are on one shard, such as ${missing[0] ?? ''}`, fix)
}
