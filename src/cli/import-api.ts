/**
 * The service as a merchant's program sees it: the REST form of product imports (interface.md, "REST: product import"),
 * and GraphQL for how far a job is.
 */
import type { ImportMode, ImportStats, JobStatus } from '../domain/import-job.js'
import { CliError, systemErrorCode } from './cli-error.js'

/** A job as the REST form shows it. */
export interface RemoteImport {
  jobId: string
  status: JobStatus
  mode: ImportMode
  stats: ImportStats | null
  errorDetails: Array<{ line: number | null, externalId: string | null, message: string }>
  completedAt: string | null
}

export interface RemoteProgress { percent: number | null, linesRead: number }

/** The service did not answer, or answered that it cannot now: the same request may succeed later. */
export class ApiAwayError extends CliError {
  override readonly name = 'ApiAwayError'
}

export interface ImportApi {
  /** Asks for nothing in particular: throws when the service is away or refuses the key. */
  checkAccess (): Promise<void>
  /** Starts a job over files that are in `incoming/`; returns its id. */
  start (files: string[], mode: ImportMode): Promise<string>
  find (jobId: string): Promise<RemoteImport>
  /** null: not known (yet). */
  progress (jobId: string): Promise<RemoteProgress | null>
  /** Any query: `data` of the answer. Throws CliError with the first error's message. */
  query<Data> (text: string, variables: Record<string, unknown>): Promise<Data>
}

interface ImportApiOptions {
  /** Where the service is, http(s). */
  url: string
  key: string
  signal: AbortSignal
  /** Of one request. */
  timeoutMs?: number
}

const importPath = 'api/v1/products/import'
const nobody = '00000000-0000-0000-0000-000000000000'

interface Answer { status: number, body: Record<string, unknown> }

export function createImportApi ({ url, key, signal, timeoutMs = 15_000 }: ImportApiOptions): ImportApi {
  const base = url.endsWith('/') ? url : `${url}/`

  async function request (path: string, body?: object): Promise<Answer> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(new URL(path, base), {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-vendor-api-key': key, accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Following one would hand the key to whatever it points to.
        redirect: 'manual',
        signal: AbortSignal.any([signal, limit])
      })
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel()
        throw new CliError(`${url} redirects to ${response.headers.get('location') ?? 'elsewhere'}: give the service's own address as --url`)
      }
      return { status: response.status, body: asObject(await response.text(), url, response.status) }
    } catch (error) {
      if (error instanceof CliError) throw error
      if (signal.aborted) throw new CliError('Interrupted', { cause: error })
      throw new ApiAwayError(`${url} does not answer: ${limit.aborted ? `nothing within ${timeoutMs / 1_000} s` : reasonOf(error)}`, { cause: error })
    }
  }

  async function rest (path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await request(path, body)
    if (answer.status >= 400) throw refusal(answer, url)
    return answer.body
  }

  async function query<Data> (text: string, variables: Record<string, unknown>): Promise<Data> {
    const { status, body } = await request('graphql', { query: text, variables })
    const [first] = (body['errors'] ?? []) as Array<{ message: string }>
    if (first !== undefined) throw new CliError(`${url} answers: ${first.message}`)
    if (status >= 400) throw refusal({ status, body }, url)
    return body['data'] as Data
  }

  return {
    async checkAccess () {
      const answer = await request(`${importPath}/${nobody}`)
      if (answer.status >= 400 && answer.status !== 404) throw refusal(answer, url)
    },
    async start (files, mode) {
      const { jobId } = await rest(importPath, { files, mode }).catch((error: unknown) => {
        if (!(error instanceof ApiAwayError)) throw error
        throw new CliError(`${error.message} (the files are uploaded; the import may or may not have been started)`, { cause: error })
      })
      if (typeof jobId !== 'string') throw new CliError(`${url} accepted the import without telling its id`)
      return jobId
    },
    async find (jobId) {
      const job = await rest(`${importPath}/${encodeURIComponent(jobId)}`)
      if (typeof job['status'] !== 'string') throw new CliError(`${url} does not answer like this service: a job without a status`)
      return {
        jobId,
        status: job['status'] as JobStatus,
        mode: job['mode'] as ImportMode,
        stats: (job['stats'] ?? null) as ImportStats | null,
        errorDetails: (job['errorDetails'] ?? []) as RemoteImport['errorDetails'],
        completedAt: (job['completedAt'] ?? null) as string | null
      }
    },
    async progress (jobId) {
      const { productImportJob } = await query<{ productImportJob: { progress: RemoteProgress | null } | null }>(
        'query ($jobId: ID!) { productImportJob(jobId: $jobId) { progress { percent linesRead } } }', { jobId }
      )
      return productImportJob?.progress ?? null
    },
    query
  }
}

function asObject (text: string, url: string, status: number): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Told below, with what is known of it.
  }
  // A proxy in front of a service that is restarting answers with a page of its own.
  if (status >= 500) throw new ApiAwayError(`${url} does not answer: HTTP ${status}`)
  throw new CliError(`${url} does not answer like this service (HTTP ${status}): is --url right?`)
}

/** The service's own words, after what they mean here. */
function refusal ({ status, body }: Answer, url: string): CliError {
  const error = (body['error'] ?? {}) as { code?: string, message?: string }
  const said = typeof error.message === 'string' ? `: ${error.message}` : ''
  switch (status) {
    case 401: return new CliError(`The API key was refused${said}`)
    case 403: return new CliError(`The API key does not permit this (FORBIDDEN)${said}; product imports need PRODUCT_MANAGE`)
    case 429: return error.code === 'LIMIT_EXCEEDED'
      ? new CliError(`The service takes no further import now (LIMIT_EXCEEDED)${said}`)
      : new ApiAwayError(`The service answers too many requests${said}`)
    default: return status >= 500
      ? new ApiAwayError(`${url} cannot answer now (HTTP ${status})${said}`)
      : new CliError(`${url} refused (HTTP ${status}${error.code === undefined ? '' : `, ${error.code}`})${said}`)
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused', ENOTFOUND: 'unknown host', ECONNRESET: 'connection lost', UND_ERR_SOCKET: 'connection lost'
}

/** fetch hides what happened one level down. */
function reasonOf (error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = systemErrorCode(cause)
  return reasons[code ?? ''] ?? code ?? (cause instanceof Error ? cause.message : String(cause))
}
