/**
 * The one way of errors out of the API (decisions.md, Access, last paragraph). What a caller may know leaves with its
 * code and message; everything else is masked here and logged, once, under the request's id.
 */
import type { FastifyBaseLogger } from 'fastify'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isAppError, type ErrorCode } from '../errors.js'
import { hasNotAnswered } from '../store/database/database-errors.js'

export interface PublicError {
  code: ErrorCode
  message: string
  /** Path of the offending input. */
  field?: string
  /** When to come again, where that is known: in REST the header Retry-After, in GraphQL among the extensions. */
  retryAfterSeconds?: number
}

export const httpStatusOf: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  BAD_USER_INPUT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  LIMIT_EXCEEDED: 429,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500
}

const masked: PublicError = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' }

/** What the caller is told. Logs what it hides, and what an operator has to know of. */
export function exposeError (error: unknown, log: FastifyBaseLogger): PublicError {
  const cause = rootCause(error)
  const known = isServingFault(error, cause) ? null : publicFaceOf(cause)
  if (known === null) {
    log.error({ err: cause }, 'unexpected error')
    return masked
  }
  if (known.code === 'SERVICE_UNAVAILABLE') log.warn({ err: cause }, 'a dependency is away')
  return known
}

/**
 * The `errors` of a GraphQL response. Mercurius wraps syntax and validation failures in one error; they are told one
 * by one. Without `suggestNames` they do not say what the schema holds instead: it would be introspection one guess at a time.
 */
export function exposeGraphqlError (error: unknown, log: FastifyBaseLogger, suggestNames = true): GraphQLFormattedError[] {
  const told = exposeEach(error, log)
  return suggestNames ? told : told.map((each) => ({ ...each, message: each.message.replace(/ Did you mean [^]*$/, '') }))
}

function exposeEach (error: unknown, log: FastifyBaseLogger): GraphQLFormattedError[] {
  const failures = validationFailuresOf(error)
  if (failures !== null) {
    return failures.map((failure) => formatted({ code: 'BAD_USER_INPUT', message: failure.message }, failure))
  }
  return [formatted(exposeError(error, log), error)]
}

function formatted ({ code, message, field, retryAfterSeconds }: PublicError, error: unknown): GraphQLFormattedError {
  const { locations, path } = error instanceof GraphQLError ? error : {}
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions: { code, ...(field === undefined ? {} : { field }), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  }
}

function publicFaceOf (error: unknown): PublicError | null {
  if (isAppError(error)) {
    if (error.code === 'INTERNAL_SERVER_ERROR') return null
    const { code, message, field, retryAfterSeconds } = error
    return { code, message, ...(field === undefined ? {} : { field }), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  }
  if (hasNotAnswered(error)) {
    return { code: 'SERVICE_UNAVAILABLE', message: 'The database cannot be reached at the moment; try again later' }
  }
  if (error instanceof Error && formFault.test(error.message)) return { code: 'BAD_USER_INPUT', message: 'The multipart form cannot be read' }
  return error instanceof GraphQLError || isRefusedRequest(error) ? { code: 'BAD_USER_INPUT', message: error.message } : null
}

/**
 * graphql-js raises the same kind of error for bad input and for a value of ours that does not fit its type. Only the
 * latter has a path in the response, but no place in the document.
 */
const isServingFault = (error: unknown, cause: unknown): boolean =>
  error instanceof GraphQLError && error.path !== undefined && cause instanceof GraphQLError && cause.nodes === undefined

/** A resolver's error comes wrapped with its path; one more layer is there when graphql-js itself raised it. */
function rootCause (error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.originalError !== undefined) cause = cause.originalError
  return cause
}

interface RequestRefusal extends Error { statusCode: number }

/** What the readers of multipart forms (busboy, graphql-upload-minimal) say, with no or a wrong status, of a body that is none. */
const formFault = /^(?:Unexpected end of f|Malformed (?:part|content)|Multipart: |graphql-upload-minimal couldn)/

/** Fastify, its plugins and Mercurius say with a 4xx status that the request as such is wrong. */
function isRefusedRequest (error: unknown): error is RequestRefusal {
  if (!(error instanceof Error)) return false
  const { statusCode, code, expose } = error as Error & { statusCode?: unknown, code?: unknown, expose?: unknown }
  // `expose`: the convention of http-errors, which the upload plugin follows.
  const isTheirs = error instanceof SyntaxError || expose === true || (typeof code === 'string' && /^(?:FST|MER)_/.test(code))
  return isTheirs && typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

function validationFailuresOf (error: unknown): Error[] | null {
  const wrapper = rootCause(error) as { code?: unknown, errors?: unknown } | null | undefined
  if (wrapper?.code !== 'MER_ERR_GQL_VALIDATION' || !Array.isArray(wrapper.errors)) return null
  return wrapper.errors as Error[]
}
