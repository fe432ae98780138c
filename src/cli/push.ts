/** `catalog push`: what a merchant runs. Uploads, starts the job, follows it to its end; needs no database. */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { importModes, type ImportMode } from '../domain/import-job.js'
import { exitCodes, UsageError } from './cli-error.js'
import type { CliContext } from './context.js'
import { describeImport } from './describe-import.js'
import { followImport } from './follow-import.js'
import { createImportApi, type ImportApi, type RemoteImport } from './import-api.js'
import { inspectLocalFiles, type LocalFile } from './local-files.js'
import { createProgress } from './progress.js'
import { parseSftpAddress, type SftpAddress } from './sftp-address.js'
import { readIdentity } from './ssh-identity.js'
import { uploadFiles, type UploadTarget } from './upload-files.js'
import { wordBytes, wordCount, wordDuration, wordNumber } from './wording.js'

interface Options {
  mode: ImportMode
  url: string
  key: string
  sftp: SftpAddress
  identity: string
  hostKeyFingerprint?: string
  json?: true
}

export function addPush (program: Command, context: CliContext): void {
  program.command('push')
    .description('uploads catalog files, imports them and reports how it went')
    .addArgument(new Argument('<file...>', 'JSON Lines or JSON, gzipped or not'))
    .addOption(new Option('--mode <mode>', 'REPLACE: the files are the complete catalog; UPDATE: only what they hold changes')
      .choices(importModes).makeOptionMandatory())
    .requiredOption('--url <url>', 'where the service is', parseUrl)
    .addOption(new Option('--key <key>', 'an integration API key with PRODUCT_MANAGE').env('CATALOG_API_KEY').makeOptionMandatory())
    .requiredOption('--sftp <user@host:port>', 'where the files go', parseSftpAddress)
    .requiredOption('--identity <file>', 'the private key (ssh-ed25519) registered for that user')
    .option('--host-key-fingerprint <SHA256:...>', 'refuse an SFTP server with any other key', parseFingerprint)
    .option('--json', 'print one JSON object: {"jobId", "status", "mode", "stats", "errorDetails", "completedAt"}')
    .addHelpText('after', '\nExit codes: 0 completed, 1 failed, 2 wrong usage, 3 completed with line errors.')
    .action(async (paths: string[], options: Options) => { await push(paths, options, context) })
}

async function push (paths: string[], options: Options, context: CliContext): Promise<void> {
  const { mode, url, key, json } = options
  const { output } = context
  // Told without repeating it, unlike commander's own message.
  if (!/^[\x21-\x7E]+$/.test(key)) throw new UsageError('--key holds characters that no API key has')
  const files = await inspectLocalFiles(paths)
  const identity = await readIdentity(options.identity)
  const signal = context.interruption()
  const api = createImportApi({ url, key, signal })
  // Before gigabytes travel for a key that is refused in the end.
  await api.checkAccess()

  await upload(files, { address: options.sftp, identity, hostKeyFingerprint: options.hostKeyFingerprint }, signal, context)
  const jobId = await api.start(files.map(({ name }) => name), mode)
  output.note(`Started import ${jobId}`)
  const job = await follow(api, jobId, signal, context)

  context.exitCode = exitCodeOf(job)
  if (json) return output.json(job)
  for (const line of describeImport(job, url)) output.print(line)
}

async function upload (files: LocalFile[], target: UploadTarget, signal: AbortSignal, { output }: CliContext): Promise<void> {
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const started = performance.now()
  const bar = createProgress({ stream: output.stderr, label: 'upload', lineEveryMs: 5_000 })
  let hostKey = ''
  try {
    await uploadFiles(files, target, {
      signal,
      onHostKey: (fingerprint) => { hostKey = fingerprint },
      onProgress: (bytesSent) => {
        bar.update(bytesTotal === 0 ? 1 : bytesSent / bytesTotal, `${wordBytes(bytesSent)} of ${wordBytes(bytesTotal)}`)
      }
    })
  } finally {
    bar.end()
  }
  const pinned = target.hostKeyFingerprint === undefined ? '' : ', as pinned'
  output.note(`Uploaded ${wordCount(files.length, 'file')} (${wordBytes(bytesTotal)}) in ${wordDuration(performance.now() - started)}; host key ${hostKey}${pinned}`)
}

async function follow (api: ImportApi, jobId: string, signal: AbortSignal, { output }: CliContext): Promise<RemoteImport> {
  const bar = createProgress({ stream: output.stderr, label: 'import', lineEveryMs: 5_000 })
  let share: number | null = null
  try {
    return await followImport(api, jobId, {
      signal,
      onUpdate: (job, progress) => {
        if (progress !== null && progress.percent !== null) share = progress.percent / 100
        bar.update(share, progress === null ? job.status : `${job.status}, ${wordNumber(progress.linesRead)} lines read`)
      },
      onAway: () => { bar.update(share, 'the service is away, waiting for it') }
    })
  } finally {
    bar.end()
  }
}

function exitCodeOf ({ status, stats }: RemoteImport): number {
  if (status !== 'completed') return exitCodes.failed
  return (stats?.errors ?? 0) > 0 ? exitCodes.completedWithErrors : exitCodes.done
}

function parseUrl (text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new InvalidArgumentError('Expected an http(s) URL.')
  return text
}

function parseFingerprint (text: string): string {
  if (!/^SHA256:[A-Za-z0-9+/]{43}$/.test(text)) throw new InvalidArgumentError('Expected SHA256: and 43 characters, as ssh-keygen -l prints it.')
  return text
}
