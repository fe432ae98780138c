/** `catalog shard-commands`: what an administrator runs to spread the large collections over a sharded cluster. Asks no database. */
import type { Command } from 'commander'
import { loadConfig } from '../config.js'
import { databaseName } from '../store/database/database-name.js'
import { shardCommands } from '../store/database/shard-keys.js'
import type { CliContext } from './context.js'

interface Options { json?: true }

export function addShardCommands (program: Command, context: CliContext): void {
  program.command('shard-commands')
    .description('prints lines for mongosh that shard the large collections, with the keys of docs/scale.md')
    .option('--json', 'print one JSON object: {"database", "commands"}')
    .addHelpText('after', '\nRun them after `catalog migrate`, against a router: catalog shard-commands | mongosh mongodb://router:27017/catalog. Again is harmless.')
    .action(({ json }: Options) => {
      const { mongodbUrl } = loadConfig(context.env)
      const database = mongodbUrl === undefined ? 'catalog' : databaseName(mongodbUrl)
      const commands = shardCommands(database)
      if (json) return context.output.json({ database, commands })
      for (const command of commands) context.output.print(command)
    })
}
