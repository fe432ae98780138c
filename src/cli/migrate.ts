/** `catalog migrate`: indexes and migrations as a step of their own, before the processes of a new version start. */
import type { Command } from 'commander'
import type { SchemaGap } from '../store/schema-gap.js'
import { exitCodes } from './cli-error.js'
import type { CliContext } from './context.js'
import { withDatabase } from './with-database.js'
import { wordCount } from './wording.js'

interface Options { check?: true, json?: true }

export function addMigrate (program: Command, context: CliContext): void {
  program.command('migrate')
    .description('brings the database up to date: migrations and missing indexes; again is harmless')
    .option('--check', 'change nothing: say what is missing, and end with 1 if anything is')
    .option('--json', 'print one JSON object: {"version", "steps", "indexes"}, the version afterwards, and what was made or is missing')
    .addHelpText('after', '\nBuilding an index over a large collection takes minutes to hours; it blocks nobody. LOG_LEVEL=info tells how far it is.')
    .action(async ({ check, json }: Options) => {
      const { output } = context
      await withDatabase(context, async ({ database, log }) => {
        const [{ migrate }, schema] = await Promise.all([import('../store/migrate.js'), import('../store/schema-gap.js')])
        const { findSchemaGap, isBehind, wordIndex } = schema
        const gap = await findSchemaGap(database)
        if (check !== true) await migrate(database, log)
        else if (isBehind(gap)) context.exitCode = exitCodes.failed
        const version = check === true ? gap.version : (await findSchemaGap(database)).version
        if (json) return output.json({ version, steps: gap.steps.map((step) => ({ version: step.version, name: step.name })), indexes: gap.missing.map(wordIndex) })
        if (!isBehind(gap)) return output.print(`${database.db.databaseName} is up to date (version ${version})`)
        const verb = check === true ? 'missing' : 'made'
        for (const line of linesOf(gap, wordIndex)) output.print(line)
        output.print(`${database.db.databaseName}, version ${version}: ${wordCount(gap.steps.length, 'step')} and ${wordCount(gap.missing.length, 'index', 'indexes')} ${verb}`)
      })
    })
}

const linesOf = ({ steps, missing }: SchemaGap, wordIndex: (index: SchemaGap['missing'][number]) => string): string[] =>
  [...steps.map(({ version, name }) => `step ${version}: ${name}`), ...missing.map((index) => `index ${wordIndex(index)}`)]
