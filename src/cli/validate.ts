/** `catalog validate`: the very stages of the import, without a server; nothing is written. */
import { basename } from 'node:path'
import { Option, type Command } from 'commander'
import { importModes, type ImportMode } from '../domain/import-job.js'
import type { checkProductFile } from '../../pipelines/product-check.js'
import { wordFault } from '../domain/issue.js'
import { isAppError } from '../errors.js'
import { exitCodes, systemErrorCode, unreadable } from './cli-error.js'
import type { CliContext } from './context.js'
import { wordCount } from './wording.js'

interface Options { mode: ImportMode, json?: true }

type CheckFile = typeof checkProductFile

interface FileReport {
  file: string
  lines: number
  errors: number
  warnings: number
  /** Lines of which it cannot be told which products they are about. */
  untold: number
  /** Why the file could not be read to its end; null when it was. */
  failure: string | null
  /** The first ones. */
  issues: Array<{ severity: 'error' | 'warning', line: number, externalId: string | null, message: string }>
}

export function addValidate (program: Command, context: CliContext, checkFile: CheckFile = checkWithPipeline): void {
  program.command('validate')
    .description('checks catalog files as an import would, without a server')
    .argument('<file...>', 'JSON Lines or JSON, gzipped or not')
    .addOption(new Option('--mode <mode>', 'REPLACE is the stricter: every line must be complete; UPDATE takes every product for an existing one')
      .choices(importModes).default('REPLACE'))
    .option('--json', `print one JSON object: {"files": [{"file", "lines", "errors", "warnings", "untold", "failure", "issues"}]}, with the first ${issuesInJson} issues of each`)
    .addHelpText('after', '\nExit codes: 0 no errors (warnings aside), 1 errors or an unreadable file, 2 wrong usage.')
    .action(async (paths: string[], { mode, json }: Options) => {
      const { output } = context
      const signal = context.interruption()
      const reports: FileReport[] = []
      for (const path of paths) {
        const report = await check(checkFile, path, mode, signal, json ? issuesInJson : issuesShown)
        reports.push(report)
        if (!json) for (const line of describe(report, mode)) output.print(line)
        if (report.failure !== null) output.error(report.failure)
      }
      if (json) output.json({ files: reports })
      if (reports.some(({ errors, failure }) => errors > 0 || failure !== null)) context.exitCode = exitCodes.failed
    })
}

const issuesShown = 100
const issuesInJson = 1_000

async function check (checkFile: CheckFile, path: string, mode: ImportMode, signal: AbortSignal, issuesKept: number): Promise<FileReport> {
  const report: FileReport = { file: path, lines: 0, errors: 0, warnings: 0, untold: 0, failure: null, issues: [] }
  try {
    const counts = await checkFile(path, {
      mode,
      signal,
      onIssue: ({ severity, line, externalId, faults }) => {
        if (severity === 'error') report.errors += 1
        else report.warnings += 1
        if (report.issues.length < issuesKept) report.issues.push({ severity, line, externalId, message: faults.map(wordFault).join('; ') })
      }
    })
    return { ...report, ...counts }
  } catch (error) {
    return { ...report, failure: failureOf(path, error, signal) }
  }
}

function failureOf (path: string, error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `${path}: interrupted`
  // The pipeline's messages name the file by its last part.
  if (isAppError(error)) return error.message.includes(basename(path)) ? error.message : `${path}: ${error.message}`
  if (systemErrorCode(error) !== undefined) return unreadable(path, error).message
  throw error
}

function describe ({ file, lines, errors, warnings, untold, failure, issues }: FileReport, mode: ImportMode): string[] {
  const told = issues.map(({ severity, line, externalId, message }) =>
    `${file}:${line}${externalId === null ? '' : ` ${externalId}`}: ${severity === 'warning' ? 'warning: ' : ''}${message}`)
  const more = errors + warnings - issues.length
  if (more > 0) told.push(`${file}: and ${wordCount(more, 'more issue')}`)
  if (untold > 0 && mode === 'REPLACE') told.push(`${file}: ${wordCount(untold, 'line')} without an externalId that can be told: a REPLACE of it archives nothing`)
  if (failure !== null) return told
  return [...told, `${file}: ${wordCount(lines, 'line')}, ${wordCount(errors, 'error')}, ${wordCount(warnings, 'warning')}`]
}

// Loaded when needed: the other commands do without the stages.
const checkWithPipeline: CheckFile = async (path, options) => {
  const { checkProductFile } = await import('../../pipelines/product-check.js')
  return await checkProductFile(path, options)
}
