/**
 * Fetches the PDF behind a stranger's URL (decisions.md, Size charts): public addresses only, on every hop; at most 20 MiB, 30 s and
 * 5 redirects; nothing of what the other side says gets into the error. Redirects are followed by hand, so that every hop
 * goes through the same door.
 */
import { createHash } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { Agent, request, type Dispatcher } from 'undici'
import { maxFetchMs, maxPdfBytes, maxRedirects, PdfRefused } from '../domain/conversion-failure.js'
import type { Validators } from '../domain/size-chart.js'
import { createGuardedConnector } from './guarded-connector.js'

export type FetchedPdf =
  | { notModified: true }
  | { notModified: false, bytes: Buffer, sha256: string, validators: Validators }

/** Throws PdfRefused, or the signal's reason when that is aborted. `known`: of the last time; then the answer may be "not modified". */
export type FetchPdf = (url: string, known: Validators | null, signal: AbortSignal) => Promise<FetchedPdf>

export interface PdfFetcherOptions {
  allowedHosts?: readonly string[]
  timeoutMs?: number
  maxBytes?: number
  lookup?: LookupFunction
}

export interface PdfFetcher {
  fetch: FetchPdf
  close (): Promise<void>
}

const redirects = new Set([301, 302, 303, 307, 308])
const maxHeaderBytes = 16 * 1_024
/** A validator is repeated to the server, so it is kept only in a size that a server means seriously. */
const maxValidatorLength = 512

export function createPdfFetcher ({ allowedHosts = [], timeoutMs = maxFetchMs, maxBytes = maxPdfBytes, lookup }: PdfFetcherOptions = {}): PdfFetcher {
  const dispatcher = new Agent({
    connect: createGuardedConnector({
      allowedHosts: new Set(allowedHosts.map((host) => host.toLowerCase())), connectTimeoutMs: timeoutMs, ...(lookup === undefined ? {} : { lookup })
    }),
    // A connection is not kept: the next chart of the same name is to be resolved and checked anew.
    pipelining: 0,
    keepAliveTimeout: 1,
    keepAliveMaxTimeout: 1,
    maxHeaderSize: maxHeaderBytes
  })

  async function fetchPdf (url: string, known: Validators | null, signal: AbortSignal): Promise<FetchedPdf> {
    signal.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMs)
    const either = AbortSignal.any([signal, timeout])
    try {
      return await follow(new URL(url), known, either)
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) throw new PdfRefused('timed-out', { cause: error })
      throw refusalIn(error) ?? new PdfRefused('unreachable', { cause: error })
    }
  }

  async function follow (first: URL, known: Validators | null, signal: AbortSignal): Promise<FetchedPdf> {
    let url = first
    for (let hops = 0; hops <= maxRedirects; hops++) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new PdfRefused('bad-redirect')
      const response = await request(url, { dispatcher, signal, headers: headersFor(known) })
      const { statusCode, body } = response
      // A body that is destroyed ends with an error, also when it was we who had enough of it.
      body.on('error', () => {})
      if (redirects.has(statusCode)) {
        url = redirectTarget(response, url)
        body.destroy()
        continue
      }
      if (statusCode === 304 && known !== null) {
        body.destroy()
        return { notModified: true }
      }
      if (statusCode !== 200) {
        body.destroy()
        throw new PdfRefused('http-status', { detail: statusCode })
      }
      return { notModified: false, ...await read(response), validators: validatorsOf(response) }
    }
    throw new PdfRefused('too-many-redirects')
  }

  async function read ({ headers, body }: Dispatcher.ResponseData): Promise<{ bytes: Buffer, sha256: string }> {
    if (Number(headers['content-length'] ?? 0) > maxBytes) {
      body.destroy()
      throw new PdfRefused('too-large')
    }
    const chunks: Buffer[] = []
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length
      // Leaving the loop destroys the body, and with it the connection.
      if (length > maxBytes) throw new PdfRefused('too-large')
      hash.update(chunk)
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, length), sha256: hash.digest('hex') }
  }

  return {
    fetch: fetchPdf,
    close: async () => { await dispatcher.destroy() }
  }
}

const headersFor = (known: Validators | null): Record<string, string> => ({
  accept: 'application/pdf, */*;q=0.1',
  // Compressed answers would have to be unpacked, within bounds of their own; PDFs are compressed already.
  'accept-encoding': 'identity',
  'user-agent': 'merchant-catalog',
  ...(known?.etag === null || known === null ? {} : { 'if-none-match': known.etag }),
  ...(known?.lastModified === null || known === null ? {} : { 'if-modified-since': known.lastModified })
})

function redirectTarget ({ headers }: Dispatcher.ResponseData, from: URL): URL {
  const { location } = headers
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) throw new PdfRefused('bad-redirect')
  const target = new URL(location, from.href)
  if (target.username !== '' || target.password !== '') throw new PdfRefused('bad-redirect')
  return target
}

function validatorsOf ({ headers }: Dispatcher.ResponseData): Validators {
  const of = (value: string | string[] | undefined): string | null =>
    typeof value === 'string' && value !== '' && value.length <= maxValidatorLength ? value : null
  return { etag: of(headers['etag']), lastModified: of(headers['last-modified']) }
}

/** undici hands on what the connector said, sometimes as a cause, and for several addresses in a list. */
function refusalIn (error: unknown): PdfRefused | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof PdfRefused) return cause
    if (cause instanceof AggregateError) {
      const inner = cause.errors.find((one) => one instanceof PdfRefused)
      if (inner instanceof PdfRefused) return inner
    }
  }
  return null
}
