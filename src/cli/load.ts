/** `catalog load`: analytics records of one kind from a file, into the database; may be run again at any time. */
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Argument, type Command } from 'commander'
import pino from 'pino'
import { recordKinds, type RecordKind } from '../domain/analytics/records.js'
import { wordFault } from '../domain/issue.js'
import type { BadRecord, LoadTotals } from '../store/analytics/analytics-sink.js'
import type { Repositories } from '../store/repositories.js'
import { exitCodes, systemErrorCode, unreadable } from './cli-error.js'
import type { CliContext } from './context.js'
import { expectVendor } from './existing-vendor.js'
import { withRepositories } from './with-repositories.js'
import { wordCount } from './wording.js'

interface Options { vendor: string, json?: true }

/** Told one by one on stderr; the rest is counted. */
const badRecordsTold = 100

export function addLoad (program: Command, context: CliContext): void {
  program.command('load')
    .description('loads analytics records of a vendor')
    .addArgument(new Argument('<kind>', 'what the file holds').choices(recordKinds))
    .argument('<file>', 'JSON Lines, or a JSON array in a .json file; gzipped or not')
    .requiredOption('--vendor <id>', 'whose records they are')
    .option('--json', 'print one JSON object: {"read", "written", "unchanged", "errors"}')
    .addHelpText('after', '\nEach record has an id; one that comes again replaces the one before. docs/analytics.md has all kinds and fields.\n' +
      'Exit codes: 0 all records are stored, 1 some are bad or the file cannot be read, 2 wrong usage.')
    .action(async (kind: RecordKind, path: string, { vendor, json }: Options) => {
      const { output } = context
      const totals = await withRepositories(context, async (repositories) => {
        await expectVendor(repositories, vendor)
        return await loadFile(repositories, kind, path, vendor, context)
      })
      if (totals.errors > badRecordsTold) output.note(`${path}: and ${wordCount(totals.errors - badRecordsTold, 'more bad record')}`)
      if (totals.errors > 0) context.exitCode = exitCodes.failed
      if (json) return output.json(totals)
      output.print(`${path}: ${wordCount(totals.read, 'record')} read, ${totals.written} written (${totals.unchanged} unchanged), ${wordCount(totals.errors, 'error')}`)
    })
}

async function loadFile ({ analytics }: Repositories, kind: RecordKind, path: string, vendorId: string, { output, interruption }: CliContext): Promise<LoadTotals> {
  // Loaded when needed: the other commands do without the pipeline.
  const [{ loadAnalyticsFile }, { createPatience }] = await Promise.all([import('../../pipelines/analytics-load.js'), import('../store/database/while-away.js')])
  const signal = interruption()
  let told = 0
  const tell = ({ line, faults }: BadRecord): void => {
    told += 1
    if (told <= badRecordsTold) output.note(`${path}:${line}: ${faults.map((fault) => wordFault(fault)).join('; ')}`)
  }
  try {
    return await loadAnalyticsFile({
      source: createReadStream(path),
      name: basename(path),
      kind,
      vendorId,
      writer: analytics.writer,
      patience: createPatience(signal, pino({ level: 'warn' }, output.stderr)),
      onBadRecord: tell,
      signal
    })
  } catch (error) {
    if (systemErrorCode(error)?.startsWith('E') === true && error instanceof Error && 'path' in error) throw unreadable(path, error)
    throw error
  }
}
