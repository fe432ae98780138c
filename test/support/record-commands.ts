/**
 * Loaded before a service under test (`--import`), in its threads as well: appends what each command to the database looks at to the file that `TEST_COMMANDS_FILE` names, a line of
 * JSON for each shape, and each command of a transaction to that of `TEST_TRANSACTIONS_FILE`. With `TEST_SERVER_IS=mongodb` the server says that it is MongoDB, so that the service does what it
 * does there. The service knows nothing of it.
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { shardKeys } from '../../src/store/database/shard-keys.js'
import { lookOf, stepOf } from './command-looks.js'

const require = createRequire(import.meta.url)
const { TEST_COMMANDS_FILE: file, TEST_TRANSACTIONS_FILE: transactionsFile, TEST_SERVER_IS: serverIs } = process.env
if (file !== undefined && transactionsFile !== undefined) {
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
  const seen = new Set<string>()
  prototype.emit = function (event, ...given) {
    if (event === 'commandStarted') {
      const { command } = given[0] as { command: Record<string, unknown> }
      const step = stepOf(command, shardKeys)
      if (step !== null) appendFileSync(transactionsFile, `${JSON.stringify(step)}\n`)
      for (const look of lookOf(command)) {
        const line = JSON.stringify(look)
        if (!seen.has(line)) appendFileSync(file, `${line}\n`)
        seen.add(line)
      }
    }
    return emit.call(this, event, ...given)
  }
}
