/**
 * The closed catalogue of errors that leave this service (spec/decisions.md, "Access", last paragraph).
 *
 * Kinds say what the owner of an operation does about an error:
 *  - `request`:   the caller's fault; answered with its code and message, logged at info at most.
 *  - `retryable`: a dependency is away; the same operation may succeed later. A job stays alive over it.
 *  - `fatal`:     the operation can never succeed as it stands, or was tried for as long as is worth it. A job ends `failed` with this message.
 *
 * Faults of single records are data, not errors: they are `Fault`s on an envelope (domain/issue.ts) and are never thrown.
 */
export const errorCodes = [
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_SERVER_ERROR'
] as const

export type ErrorCode = (typeof errorCodes)[number]
export type ErrorKind = 'request' | 'retryable' | 'fatal'

export interface AppErrorOptions {
  /** Path of the offending input, such as `input.files[2]`. */
  field?: string
  /** When to come again. */
  retryAfterSeconds?: number
  /** For logs and metrics alone, of few values: what the message does not tell its caller. */
  reason?: string
  cause?: unknown
}

/** An error whose message may be shown to the caller. Everything else is masked by api/error-mapper.ts. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly reason: string | undefined

  constructor (kind: ErrorKind, code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.kind = kind
    this.field = options.field
    this.retryAfterSeconds = options.retryAfterSeconds
    this.reason = options.reason
  }
}

export const badInput = (message: string, field?: string): AppError =>
  new AppError('request', 'BAD_USER_INPUT', message, field === undefined ? {} : { field })

export const notFound = (message: string): AppError => new AppError('request', 'NOT_FOUND', message)

export const forbidden = (message: string, options: Pick<AppErrorOptions, 'reason'> = {}): AppError => new AppError('request', 'FORBIDDEN', message, options)

export const unauthenticated = (message: string, options: Pick<AppErrorOptions, 'reason'> = {}): AppError =>
  new AppError('request', 'UNAUTHENTICATED', message, options)

export const conflict = (message: string, field?: string): AppError =>
  new AppError('request', 'CONFLICT', message, field === undefined ? {} : { field })

export const limitExceeded = (message: string): AppError => new AppError('request', 'LIMIT_EXCEEDED', message)

export const rateLimited = (message: string, options: Pick<AppErrorOptions, 'retryAfterSeconds'> = {}): AppError =>
  new AppError('request', 'RATE_LIMITED', message, options)

/** A dependency is away; `cause` is the driver's own error, for the log only. */
export const unavailable = (message: string, cause?: unknown): AppError =>
  new AppError('retryable', 'SERVICE_UNAVAILABLE', message, { cause })

/** The job (or command) can never succeed as it stands; the message is what the merchant reads. */
export const fatal = (message: string, cause?: unknown): AppError =>
  new AppError('fatal', 'BAD_USER_INPUT', message, { cause })

/** A dependency has not come back within the time that it is waited for, or lets nobody in. */
export const givenUp = (message: string, cause: unknown): AppError =>
  new AppError('fatal', 'SERVICE_UNAVAILABLE', message, { cause })

export const isAppError = (error: unknown): error is AppError => error instanceof AppError

export const isRetryable = (error: unknown): error is AppError => isAppError(error) && error.kind === 'retryable'
