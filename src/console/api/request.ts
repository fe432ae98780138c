/** Typed GraphQL over fetch. */
import { headersOf } from './credential.js'
import type { Operation } from './operations.js'
import { credential, signOut, vendor } from './session.js'

/** `code`: of the API, or UNREACHABLE. `message` is for the reader. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: string
  readonly field: string | undefined

  constructor (code: string, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}

interface GraphqlError { message: string, path?: Array<string | number>, extensions?: { code?: string, field?: string } }

export interface Answer<Data> {
  data: Data
  /** Of parts that are null in `data`: what may not be seen, for one. */
  errors: GraphqlError[]
}

export function ownHeaders (): Record<string, string> {
  return credential.value === null ? {} : headersOf(credential.value, vendor.value?.id ?? null)
}

/** What the API answers, with whatever was refused of it. Throws RequestError when there is nothing. */
export async function ask<Data, Variables> (operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>> {
  const form = formOf(operation, variables)
  const response = await reach('/graphql', {
    method: 'POST',
    headers: { ...ownHeaders(), ...form === null ? { 'content-type': 'application/json' } : {} },
    body: form ?? JSON.stringify({ query: operation, variables }),
    ...signal === undefined ? {} : { signal }
  })
  const { data = null, errors = [] } = await response.json() as { data?: Data | null, errors?: GraphqlError[] }
  const isNothing = data === null || data === undefined || Object.values(data).every((value) => value === null)
  const [first] = errors
  if (first !== undefined && isNothing) throw toError(first)
  return { data: data as Data, errors }
}

/** The same, for what is only good as a whole. */
export async function askAll<Data, Variables> (operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Data> {
  const { data, errors: [first] } = await ask(operation, variables, signal)
  if (first !== undefined) throw toError(first)
  return data
}

/** Fetch, with what a reader is to be told when there is no answer. A credential that has ended signs out. */
export async function reach (path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error
    throw new RequestError('UNREACHABLE', 'The service cannot be reached. Check that it runs; then try again.')
  })
  if (response.status === 401) {
    const { code, message } = await refusalIn(response)
    if (credential.value !== null) signOut(`You are signed out: ${message}.`)
    throw new RequestError(code, message)
  }
  if (!response.ok && response.status >= 429) {
    const { code, message } = await refusalIn(response)
    throw new RequestError(code, message)
  }
  return response
}

/** Of a REST answer or a GraphQL one that was refused as a whole. */
export async function refusalIn (response: Response): Promise<RequestError> {
  const body = await response.clone().json().catch(() => null) as { error?: { code: string, message: string }, errors?: GraphqlError[] } | null
  const [first] = body?.errors ?? []
  if (first !== undefined) return toError(first)
  return new RequestError(body?.error?.code ?? String(response.status), body?.error?.message ?? `The service answered with status ${response.status}`)
}

const toError = ({ message, extensions }: GraphqlError): RequestError => {
  const code = extensions?.code ?? 'UNKNOWN'
  if (code === 'UNAUTHENTICATED' && credential.value !== null) signOut(`You are signed out: ${message}.`)
  return new RequestError(code, message, extensions?.field)
}

/** A GraphQL multipart request where a variable is a file; null where none is. */
function formOf (query: string, variables: unknown): FormData | null {
  const [name, file] = Object.entries(variables ?? {}).find(([, value]) => value instanceof File) ?? []
  if (name === undefined) return null
  const form = new FormData()
  form.set('operations', JSON.stringify({ query, variables: { ...variables as object, [name]: null } }))
  form.set('map', JSON.stringify({ 0: [`variables.${name}`] }))
  form.set('0', file as File)
  return form
}
