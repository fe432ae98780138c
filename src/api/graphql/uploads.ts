/**
 * GraphQL multipart requests (https://github.com/jaydenseric/graphql-multipart-request-spec), for one file at a time: mercurius-upload
 * reads them as a stream, and this puts bounds around it.
 *
 * A form's `map` says where in the operation its file goes, as a path that the plugin follows wherever it leads: also along inherited
 * methods, whose function objects the whole process shares, and to any index of a list. So those functions take no new properties
 * any more, and the variables of such a request may be texts, numbers and files only.
 */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError, GraphQLScalarType } from 'graphql'
import { mercuriusUpload } from 'mercurius-upload'
import { maxPdfBytes } from '../../domain/conversion-failure.js'
import { badInput } from '../../errors.js'

export interface UploadedFile {
  /** Once. Ends with an error when the client goes away. */
  createReadStream (): Readable
}

const maxFieldBytes = 64 * 1_024
/** The file, the fields and what the form needs around them. */
export const maxUploadBodyBytes = maxPdfBytes + 1_024 * 1_024

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the plugin when the body is a form. */
    mercuriusUploadMultipart?: true
  }
}

/** For the scope that serves GraphQL alone: what is registered here reads the bodies of all its routes. */
export function registerUploads (scope: FastifyInstance): void {
  closeSharedFunctions()
  // Before the plugin's own hook, which waits for the end of the body: a refused upload is read to its end by nobody.
  scope.addHook('onSend', (request, _reply, payload, done) => {
    if (request.mercuriusUploadMultipart === true && !request.raw.readableEnded) request.raw.unpipe().resume()
    done(null, payload)
  })
  // One byte over what is allowed, so that it is the store that notices: here a file would end too early without a word.
  mercuriusUpload(forFormsAlone(scope), { maxFiles: 1, maxFileSize: maxPdfBytes + 1, maxFieldSize: maxFieldBytes }, () => {})
}

type FormHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The plugin's hooks are asynchronous, and every other request would wait for both of them as well. */
function forFormsAlone (scope: FastifyInstance): FastifyInstance {
  const addHook = (name: 'preValidation' | 'onSend', hook: FormHook): void => {
    const run = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      if (request.mercuriusUploadMultipart === true) hook(request, reply).then(() => { done() }, done)
      else done()
    }
    if (name === 'preValidation') scope.addHook(name, run)
    else scope.addHook(name, (request, reply, _payload, done) => { run(request, reply, done) })
  }
  return Object.create(scope, { addHook: { value: addHook } }) as FastifyInstance
}

export const isMultipart = (contentType: string | undefined): boolean => /^\s*multipart\//i.test(contentType ?? '')

/** Throws BAD_USER_INPUT unless the variables of a multipart request are flat. */
export function checkUploadVariables (variables: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value === 'object' && value !== null && !isUpload(value)) {
      throw badInput(`In a multipart request variables are texts, numbers and files; "${name}" is not`, 'variables')
    }
  }
}

/** What the plugin puts in the place of a file. JSON holds no promises, so nothing else can look like it. */
const isUpload = (value: unknown): value is { promise: Promise<UploadedFile> } =>
  typeof value === 'object' && value !== null && (value as { promise?: unknown }).promise instanceof Promise

const parseValue = (value: unknown): Promise<UploadedFile> => {
  if (isUpload(value)) return value.promise
  throw new GraphQLError('Upload must be a file of a multipart request')
}

export const Upload = new GraphQLScalarType<Promise<UploadedFile>, never>({
  name: 'Upload',
  parseValue,
  parseLiteral: () => parseValue(null),
  serialize: () => { throw new TypeError('Upload is for input only') }
})

/** All functions that a path can reach from a value of JSON without `__proto__` or `constructor`, which the plugin refuses. */
function closeSharedFunctions (): void {
  for (const { prototype } of [Object, Function, Array, String, Number, Boolean]) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype)) as PropertyDescriptor[]) {
      if (typeof value === 'function' && value !== prototype.constructor) Object.freeze(value)
    }
  }
}
