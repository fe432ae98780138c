/**
 * Runs the converter program, one process for each PDF: a start costs 0.1 s, and no file can leave anything behind for the
 * next vendor's. Whatever the program does, only this one conversion suffers:
 *
 *   it answers ─▶ the answer     over 30 s or 512 MB ─▶ SIGKILL, too-complex     ends otherwise ─▶ converter-crashed
 *   ended by SIGINT or SIGTERM, as its whole group of processes is ─▶ an error, which says nothing about the PDF
 *
 * Should this process die, the kernel ends the converter once it has had its share of CPU time. It knows nothing of the service
 * (an empty environment), reaches as little of the system as pdf/converter-isolation can bring about, and runs at low priority, so that
 * requests and imports go first. Its memory is WebAssembly's and therefore no part of V8's heap; it is read from /proc, where there is one (Linux).
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import type { Logger } from 'pino'
import { conversionFailureCodes, maxBodyLength, maxConversionMs, maxPdfPages, PdfRefused, type ConversionFailureCode } from '../domain/conversion-failure.js'
import { childrenFile, converterProgram, isolatedCommand, type ConverterIsolation } from './converter-isolation.js'

/** Raised when the same PDF would become another markdown: unchanged PDFs are then converted again. */
export const converterVersion = 6

export interface PdfConverterOptions {
  log: Logger
  isolation: ConverterIsolation
  /** For tests of what a converter can do wrong. */
  program?: string
  timeoutMs?: number
  maxMemoryBytes?: number
  maxCpuSeconds?: number
}

/** Gives the markdown. Throws PdfRefused, or the signal's reason; anything else means that it may be tried again. */
export type ConvertPdf = (bytes: Buffer, signal: AbortSignal) => Promise<string>

/** Beyond what it can use before it is killed for the time it takes: several threads run side by side. */
const defaultMaxCpuSeconds = 4 * maxConversionMs / 1_000
const memoryPollMs = 25
const pageBytes = 4_096
/** Of JavaScript; the rest is WebAssembly's. */
const maxHeapMegabytes = 128
/** A character is at most 6 bytes of JSON text, or 12 as an escaped pair. */
const maxAnswerBytes = 12 * maxBodyLength + 1_024
/** Nice: the lowest but one of all. */
const priority = 15

export function createPdfConverter (
  { log, isolation, program = converterProgram, timeoutMs = maxConversionMs, maxMemoryBytes = 512 * 1_024 * 1_024, maxCpuSeconds = defaultMaxCpuSeconds }: PdfConverterOptions
): ConvertPdf {
  return async (bytes, signal) => {
    signal.throwIfAborted()
    const limited = ['-c', `ulimit -t ${maxCpuSeconds}; exec "$@"`, 'sh', ...isolatedCommand(isolation, [`--max-old-space-size=${maxHeapMegabytes}`], program)]
    const child = spawn('/bin/sh', limited, {
      env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], killSignal: 'SIGKILL', signal
    })
    /** Why it was killed; null while it was not. */
    let killedFor: ConversionFailureCode | null = null
    const kill = (code: ConversionFailureCode): void => {
      killedFor ??= code
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => { kill('too-complex') }, timeoutMs)
    const memoryWatch = setInterval(() => {
      residentBytes(child.pid).then((resident) => { if (resident > maxMemoryBytes) kill('too-complex') }, () => { /* it has ended, or there is no /proc */ })
    }, memoryPollMs)

    try {
      const chunks: Buffer[] = []
      let length = 0
      child.stdout.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxAnswerBytes) kill('converter-crashed')
        else chunks.push(chunk)
      })
      const ended = new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve)
      })
      child.once('spawn', () => { lowerPriority(child.pid, log) })
      // A program that ends before it has read everything breaks the pipe; how it ended says more.
      child.stdin.on('error', () => {})
      child.stdin.end(bytes)
      const exitCode = await ended
      if (killedFor !== null) throw new PdfRefused(killedFor)
      // Not by us, so by the kernel: for its CPU time, or because the machine ran out of memory.
      if (isEndedBy('SIGKILL', child)) throw new PdfRefused('too-complex')
      const told = (['SIGINT', 'SIGTERM'] as const).find((name) => isEndedBy(name, child))
      if (told !== undefined) throw new Error(`the PDF converter was ended by ${told}`)
      return markdownIn(Buffer.concat(chunks).toString(), exitCode)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof PdfRefused && error.failure.code === 'converter-crashed') log.warn({ err: error.cause, exitCode: child.exitCode, signalCode: child.signalCode }, 'the PDF converter crashed')
      throw error
    } finally {
      clearTimeout(timer)
      clearInterval(memoryWatch)
    }
  }
}

/** By itself, or as a shell tells of what it has run. */
const isEndedBy = (name: 'SIGKILL' | 'SIGINT' | 'SIGTERM', { signalCode, exitCode }: ChildProcess): boolean =>
  signalCode === name || exitCode === 128 + constants.signals[name]

/** The program's answer is as foreign as the PDF that may have taken it over. */
function markdownIn (answer: string, exitCode: number | null): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(answer)
  } catch (error) {
    throw new PdfRefused('converter-crashed', { cause: error })
  }
  const { markdown, refused, detail } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as { markdown?: unknown, refused?: unknown, detail?: unknown }
  const code = conversionFailureCodes.find((known) => known === refused)
  if (code !== undefined) throw new PdfRefused(code, isPage(detail) ? { detail } : {})
  if (exitCode !== 0 || typeof markdown !== 'string' || markdown.length > 2 * maxBodyLength) throw new PdfRefused('converter-crashed')
  return markdown
}

const isPage = (detail: unknown): detail is number => Number.isInteger(detail) && Number(detail) > 0 && Number(detail) <= maxPdfPages

/** Of the process and of those that it has started: of a sandbox the converter is a grandchild. */
async function residentBytes (pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const [, pages] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ')
  const children = (await readFile(childrenFile(pid), 'latin1').catch(() => '')).trim().split(' ').filter((id) => id !== '')
  const theirs = await Promise.all(children.map(async (id) => await residentBytes(Number(id)).catch(() => 0)))
  return theirs.reduce((sum, bytes) => sum + bytes, Number(pages) * pageBytes)
}

function lowerPriority (pid: number | undefined, log: Logger): void {
  try {
    if (pid !== undefined) setPriority(pid, priority)
  } catch (error) {
    log.debug({ err: error }, 'the PDF converter runs at normal priority')
  }
}
