/**
 * The database for the time of one command: MONGODB_URL, or the embedded one, where it attaches to a service that runs
 * on the same DATA_DIR or starts the server for the moment.
 */
import pino, { type Logger } from 'pino'
import { loadConfig, type Config } from '../config.js'
import { unavailable } from '../errors.js'
import type { Database } from '../store/database/connection.js'
import type { CliContext } from './context.js'

/** After this long a person wants to know what is being waited for; the first start installs the embedded server. */
const patienceMs = 2_000

export interface OpenDatabase { database: Database, config: Config, log: Logger }

/** Calls `work` with the database as it is, and closes everything afterwards. A database that is away is SERVICE_UNAVAILABLE. */
export async function withDatabase<T> (context: CliContext, work: (open: OpenDatabase) => Promise<T>): Promise<T> {
  const config = loadConfig(context.env)
  const log = pino({ level: context.env['LOG_LEVEL'] ? config.logLevel : 'warn' }, context.output.stderr)
  const server = await openServer(config, log, context)
  try {
    return await useDatabase(server.url, config.mongodbUrlVariable, async (database) => await work({ database, config, log }))
  } finally {
    await server.close()
  }
}

// Loaded when needed: the drivers are most of the start-up time, and --help, push and validate do without them.
async function openServer (config: Config, log: Logger, { output }: CliContext): Promise<{ url: string, close: () => Promise<void> }> {
  if (config.mongodbUrl !== undefined) return { url: config.mongodbUrl, close: async () => {} }
  const { startEmbeddedParts } = await import('../embedded/embedded-parts.js')
  const remark = setTimeout(() => { output.note('Preparing the embedded database; the very first time this takes a while …') }, patienceMs)
  try {
    const parts = await startEmbeddedParts({ config, log, parts: { mongodb: true, kafka: false, topics: [] } })
    if (parts.mongodbUrl === undefined) throw new Error('the embedded database has no address')
    return { url: parts.mongodbUrl, close: async () => { await parts.close() } }
  } finally {
    clearTimeout(remark)
  }
}

async function useDatabase<T> (url: string, urlVariable: Config['mongodbUrlVariable'], work: (database: Database) => Promise<T>): Promise<T> {
  const [{ openDatabase }, { hasNotAnswered, refusalOf, connectionFaultOf }] = await Promise.all([import('../store/database/connection.js'), import('../store/database/database-errors.js')])
  const database = openDatabase(url, { appName: 'catalog-cli', urlVariable, maxPoolSize: 5 })
  try {
    return await work(database)
  } catch (error) {
    const refusal = refusalOf(error, urlVariable) ?? connectionFaultOf(error, urlVariable)
    if (refusal !== undefined) throw unavailable(refusal, error)
    if (hasNotAnswered(error)) throw unavailable(`The database at ${hostsOf(url)} does not answer`, error)
    throw error
  } finally {
    await database.close()
  }
}

/** Without the user name and password that the URL may hold. */
const hostsOf = (url: string): string => url.replace(/^mongodb(?:\+srv)?:\/\/(?:[^/]*@)?([^/?]*).*$/, '$1')
