/**
 * Loaded before a process of a system test (`--import`), in its threads as well: writes down what each command to the database looks at, a line of JSON for each shape, into the folder that
 * `TEST_COMMANDS_FOLDER` names: a file for each thread of each process, so that no two write into one. What a test asks for itself, past the service's code, is left out: who
 * asked is known from the stack. `TEST_TRANSACTIONS_FILE` is given each command of a transaction. With `TEST_SERVER_IS=mongodb` the server says that it is MongoDB, so that the service does what it
 * does there. The service knows nothing of it.
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { shardKeys } from '../../src/store/database/shard-keys.js'
import { lookOf, stepOf } from './command-looks.js'

const require = createRequire(import.meta.url)
const { TEST_COMMANDS_FOLDER: folder, TEST_TRANSACTIONS_FILE: transactionsFile, TEST_SERVER_IS: serverIs } = process.env

/** Threads that have no database are not to load its driver for this: it is listened to once somebody has. */
function onceDriverIsLoaded (act: () => void): void {
  const loader = require('node:module') as { _load: (...given: unknown[]) => unknown }
  const driver = require.resolve('mongodb')
  const { _load: load } = loader
  loader._load = function (...given) {
    const exports = load.apply(this, given)
    if (require.cache[driver]?.loaded !== true) return exports
    loader._load = load
    act()
    return exports
  }
}

function listen (folder: string): void {
  const connectionString = require('mongodb/lib/connection_string.js') as { parseOptions: (...given: unknown[]) => { monitorCommands: boolean } }
  const { parseOptions } = connectionString
  connectionString.parseOptions = (...given) => Object.assign(parseOptions(...given), { monitorCommands: true })

  const { MongoClient: { prototype }, Db } = require('mongodb') as {
    MongoClient: { prototype: { emit: (event: string, ...given: unknown[]) => boolean } }
    Db: { prototype: { command: (command: Record<string, unknown>, ...given: unknown[]) => Promise<Record<string, unknown>> } }
  }
  if (serverIs === 'mongodb') {
    const { command } = Db.prototype
    Db.prototype.command = async function (asked, ...given) {
      const answer = await command.call(this, asked, ...given)
      if ('buildInfo' in asked) delete answer['secantusVersion']
      return answer
    }
  }
  const { emit } = prototype
  const file = join(folder, `${process.pid}-${threadId}.jsonl`)
  const seen = new Set<string>()
  prototype.emit = function (event, ...given) {
    if (event === 'commandStarted') {
      const { command } = given[0] as { command: Record<string, unknown> }
      const step = transactionsFile === undefined ? null : stepOf(command, shardKeys)
      if (step !== null && transactionsFile !== undefined) appendFileSync(transactionsFile, `${JSON.stringify(step)}\n`)
      const lines = lookOf(command).map((look) => JSON.stringify(look)).filter((line) => !seen.has(line))
      if (lines.length > 0 && !isTests()) {
        for (const line of new Set(lines)) {
          appendFileSync(file, `${line}\n`)
          seen.add(line)
        }
      }
    }
    return emit.call(this, event, ...given)
  }
}

/** Between who asks and the driver: each collection is wrapped in these. */
const between = /\/node_modules\/mongodb\/|\/dist\/src\/store\/(?:reads\/|database\/(?:operation-time|connection)\.js)/

/** Whether it is a test that asks for what is being sent, and no code of the service that it has called. Of what is not known yet alone: it costs more than all else here. */
function isTests (): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 60
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '')
  const files = new Error('where').stack as unknown as string[]
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  const asker = files.find((file) => !file.includes('/record-commands.') && /\/dist\//.test(file) && !between.test(file))
  return asker !== undefined && /\/dist\/test\//.test(asker)
}

if (folder !== undefined) onceDriverIsLoaded(() => { listen(folder) })
