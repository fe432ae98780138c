/**
 * Chooses the MongoDB-speaking server to embed. The three keep their files in different ways, so the one that has
 * written a data folder stays in charge of it: silently opening it with another would lose data or fail obscurely.
 */
import type { EmbeddedMongo } from '../config.js'
import { fatal } from '../errors.js'
import { installSecantusdb } from './install-secantusdb.js'
import { findOnPath } from './search-path.js'
import { uncompiledPath } from './uncompiled-path.js'

export type MongodbKind = Exclude<EmbeddedMongo, 'auto'>

export interface MongodbProgram {
  kind: MongodbKind
  command: string
  /** What comes before the flags. */
  args: readonly string[]
}

export interface FindMongodbOptions {
  wanted: EmbeddedMongo
  /** The server that has written the data folder; undefined when it is new. */
  writtenBy: MongodbKind | undefined
  env: NodeJS.ProcessEnv
}

/** Installs SecantusDB when that is the choice and it is not there. Rejects with a fatal AppError that says what to do. */
export async function findMongodb ({ wanted, writtenBy, env }: FindMongodbOptions): Promise<MongodbProgram> {
  if (writtenBy !== undefined && wanted !== 'auto' && wanted !== writtenBy) {
    throw fatal(`The embedded database in DATA_DIR was written by ${writtenBy}, so ${wanted} cannot open it: ` +
      `set EMBEDDED_MONGO=${writtenBy} or choose another DATA_DIR`)
  }
  const choice = wanted === 'auto' ? writtenBy : wanted
  for (const kind of ['mongod', 'secantusd-rs'] as const) {
    if (choice !== undefined && choice !== kind) continue
    const command = await findOnPath(kind, env)
    if (command !== undefined) return { kind, command, args: [] }
    if (choice === kind) {
      throw fatal(wanted === 'auto'
        ? `The embedded database in DATA_DIR was written by ${kind}, which is not on the PATH any more: put it back, or choose another DATA_DIR`
        : `EMBEDDED_MONGO is ${kind}, which is not on the PATH: put it there, or set EMBEDDED_MONGO=auto or MONGODB_URL`)
    }
  }
  const python = await installSecantusdb({ env })
  // -I: neither the working directory nor PYTHON… variables may decide what is run.
  return { kind: 'secantusdb', command: python, args: ['-I', uncompiledPath('run-secantusdb.py')] }
}

export interface ServerPlace {
  port: number
  dataPath: string
  /** An empty file: keeps SecantusDB from picking up a secantusd.toml of the user's or the machine's. */
  emptyConfigPath: string
}

/** The name that a mongod of ours gives its replica set of one. */
export const replicaSetName = 'catalog'

/**
 * Loopback only and without a password, like a database started by hand for trying out.
 * What a client was told is written with w:majority, j:true has to survive kill -9 of the server. mongod keeps that promise by itself.
 * secantusd-rs does not: of the last 1,000 acknowledged replacements 73 to 98 were gone, none with --sync-on-commit. It costs a quarter to
 * three quarters of its speed per document, which leaves it as fast as SecantusDB at least. SecantusDB syncs each write that asks for j:true, and no
 * commit of a transaction, whatever it asks for, but with --sync-on-commit; that costs nothing more here, where every write asks.
 *
 * SecantusDB writes an operation log (see serverEnvironment) unless it is --standalone: a tenth of a new product. Then the driver does not
 * repeat a write whose connection was lost by itself: imports do so anyway, and a mutation is answered with SERVICE_UNAVAILABLE.
 */
export function serverFlags (kind: MongodbKind, { port, dataPath, emptyConfigPath }: ServerPlace): string[] {
  if (kind === 'mongod') {
    return ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dataPath, '--replSet', replicaSetName,
      '--wiredTigerCacheSizeGB', '0.5', '--nounixsocket', '--quiet']
  }
  // With less, secantusd-rs has to write the pages of a growing index sooner (see fewerPageWrites; a first load is 2 % slower at 768 MiB); its default
  // of 4 GiB is a lot for something that runs beside everything else on a laptop. SecantusDB's default is this.
  return ['--config', emptyConfigPath, '--host', '127.0.0.1', '--port', String(port), '--storage-path', dataPath,
    '--cache-size', '1G', '--log-level', 'WARNING', '--sync-on-commit', ...kind === 'secantusdb' ? ['--standalone'] : []]
}

/**
 * The secrets in this process's environment are none of the server's business, nor are settings meant for other servers.
 *
 * secantusd-rs writes each document into an operation log as well, for change streams and for recovery to a point in time, which
 * nobody here asks for: a fifth of the CPU of a new product. Its journal, which durability rests on, is another thing and stays.
 */
export function serverEnvironment (kind: MongodbKind, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  const kept = Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]))
  return kind === 'secantusd-rs' ? { ...kept, SECANTUS_DISABLE_OPLOG: '1', WIREDTIGER_CONFIG: fewerPageWrites } : kept
}

/**
 * In percent of the cache. By default WiredTiger begins to write changed pages to their files when they fill a twentieth of it, and half of that with
 * changes of late; an import touches the pages of an index over words again and again, so each is written many times. This way they wait for the
 * checkpoint, once a minute: a tenth less CPU for everybody in a first load. What was acknowledged is in the journal by then, as before.
 */
const fewerPageWrites = 'eviction_dirty_target=60,eviction_dirty_trigger=80,eviction_updates_target=50,eviction_updates_trigger=70'
