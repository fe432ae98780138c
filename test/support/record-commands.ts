/**
 * Loaded before a service under test (`--import`), in its threads as well: appends what each command to the database looks at to the file that `TEST_COMMANDS_FILE` names, a line of
 * JSON for each shape. The service knows nothing of it.
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { lookOf } from './command-looks.js'

const require = createRequire(import.meta.url)
const file = process.env['TEST_COMMANDS_FILE']
if (file !== undefined) {
  const connectionString = require('mongodb/lib/connection_string.js') as { parseOptions: (...given: unknown[]) => { monitorCommands: boolean } }
  const { parseOptions } = connectionString
  connectionString.parseOptions = (...given) => Object.assign(parseOptions(...given), { monitorCommands: true })

  const { MongoClient: { prototype } } = require('mongodb') as { MongoClient: { prototype: { emit: (event: string, ...given: unknown[]) => boolean } } }
  const { emit } = prototype
  const seen = new Set<string>()
  prototype.emit = function (event, ...given) {
    if (event === 'commandStarted') {
      for (const look of lookOf((given[0] as { command: Record<string, unknown> }).command)) {
        const line = JSON.stringify(look)
        if (!seen.has(line)) appendFileSync(file, `${line}\n`)
        seen.add(line)
      }
    }
    return emit.call(this, event, ...given)
  }
}
