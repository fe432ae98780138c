/**
 * Merchants' files over HTTP, for those without SFTP: the protocol tus 1.0.0 (creation, creation-with-upload, termination), which goes on
 * where a broken connection stopped.
 *
 *   POST ──▶ growing ──the last byte──▶ whole: it has its own name, and can be imported
 *              │  ▲
 *              └──┘ PATCH, behind what HEAD says is there
 *
 * The file server is all the memory there is, so that any process can go on with any upload: what has come lies there as a partial file
 * (domain/partial-upload), and what else is to be known stands in the upload's address. Whoever forges an address has forged a file of their
 * own vendor.
 */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access.js'
import { actorOf } from '../../domain/audit.js'
import { checkFileName } from '../../domain/import-job.js'
import { checkFileSize, maxFileNameBytes, type MerchantFile } from '../../domain/merchant-file.js'
import { partialUploadName } from '../../domain/partial-upload.js'
import { badInput, conflict, isAppError, notFound } from '../../errors.js'
import type { AuditTrail } from '../../store/access/audit-trail.js'
import type { Authenticator } from '../auth/authenticator.js'
import { callerOf } from '../auth/request-credentials.js'
import type { AppDependencies } from '../dependencies.js'
import { createRunningUploads } from './running-uploads.js'

export const filesPath = '/api/v1/files'

const version = '1.0.0'
const bytesType = 'application/offset+octet-stream'
const maxListed = 1_000

interface Dependencies extends Pick<AppDependencies, 'files'> {
  authenticator: Authenticator
  audit: AuditTrail
}

/** What the address of an upload says of it. */
interface Upload { id: string, name: string, length: number }

interface OfUpload { Params: { id: string }, Querystring: Record<string, string | string[] | undefined> }

export async function registerFileRoutes (app: FastifyInstance, { files, authenticator, audit }: Dependencies): Promise<void> {
  const running = createRunningUploads()
  const vendorOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => await callerOf(authenticator, request, reply)

  /** How many bytes are there; a whole file gets its name, once. */
  async function offsetOf (vendorId: string, { id, name, length }: Upload): Promise<number> {
    const partial = partialUploadName(id)
    const size = await files.sizeOf(vendorId, partial)
    // The answer that said so may have been lost.
    if (size === null && await files.sizeOf(vendorId, name) === length) return length
    if (size === null) throw notFound('There is no such upload')
    if (size === length) await files.replace(vendorId, partial, name)
    return size
  }

  async function receive (vendorId: string, upload: Upload, offset: number, request: FastifyRequest): Promise<number> {
    const expected = Number(request.headers['content-length'] ?? 0)
    if (offset + expected > upload.length) throw badInput('There are more bytes than Upload-Length says')
    const body = request.body as Readable
    await running.run(vendorId, upload.id, async (signal) => {
      signal.addEventListener('abort', () => { body.destroy(signal.reason as Error) }, { once: true })
      await files.append(vendorId, partialUploadName(upload.id), offset, bounded(body, upload.length - offset))
    })
    return await offsetOf(vendorId, upload)
  }

  await app.register(async (scope) => {
    // Its body is a stream, which nobody has read yet. JSON is not taken here.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(bytesType, (_request, payload, done) => { done(null, payload) })
    scope.addHook('onSend', async (_request, reply, payload) => {
      reply.headers({ 'tus-resumable': version, 'cache-control': 'no-store' })
      return payload
    })

    scope.get(filesPath, { exposeHeadRoute: false }, async (request, reply) => {
      const { vendorId } = await vendorOf(request, reply)
      return { success: true, files: listed(await files.list(vendorId)) }
    })

    scope.post(filesPath, async (request, reply) => {
      const caller = await vendorOf(request, reply)
      const { vendorId } = caller
      checkVersion(request)
      const upload = newUpload(request)
      await audit({ by: actorOf(caller), vendorIds: [vendorId], action: 'uploadFile', target: upload.name }, async () => {
        await files.append(vendorId, partialUploadName(upload.id), 0, nothing())
      }, () => upload.name)
      // An empty file is whole at once.
      const offset = request.body === undefined || request.body === null ? await offsetOf(vendorId, upload) : await receive(vendorId, upload, 0, request)
      const { id, name, length } = upload
      return await reply.code(201)
        .headers({ location: `${filesPath}/${id}?${new URLSearchParams({ length: String(length), name }).toString()}`, 'upload-offset': offset })
        .send()
    })

    const ofOne = `${filesPath}/:id`

    scope.head<OfUpload>(ofOne, async (request, reply) => {
      const { vendorId } = await vendorOf(request, reply)
      const upload = uploadIn(request)
      // Whoever asks has given its connection up; the service may not have noticed.
      await running.end(vendorId, upload.id)
      return await reply.headers({ 'upload-offset': await offsetOf(vendorId, upload), 'upload-length': upload.length }).send()
    })

    scope.patch<OfUpload>(ofOne, async (request, reply) => {
      const { vendorId } = await vendorOf(request, reply)
      checkVersion(request)
      const upload = uploadIn(request)
      if (request.body === undefined || request.body === null) throw badInput(`Send the bytes as ${bytesType}`)
      await running.end(vendorId, upload.id)
      const offset = await offsetOf(vendorId, upload)
      if (request.headers['upload-offset'] !== String(offset)) throw conflict(`The upload goes on at byte ${offset}`, 'Upload-Offset')
      return await reply.code(204).header('upload-offset', await receive(vendorId, upload, offset, request)).send()
    })

    scope.delete<OfUpload>(ofOne, async (request, reply) => {
      const { vendorId } = await vendorOf(request, reply)
      const upload = uploadIn(request)
      await running.end(vendorId, upload.id)
      if (await files.sizeOf(vendorId, partialUploadName(upload.id)) === null) throw notFound('There is no such upload')
      await files.remove(vendorId, partialUploadName(upload.id))
      return await reply.code(204).send()
    })
  })
}

function checkVersion ({ headers }: FastifyRequest): void {
  if (headers['tus-resumable'] !== version) throw badInput(`Send the header Tus-Resumable: ${version}`)
}

function newUpload ({ headers }: FastifyRequest): Upload {
  const encoded = /(?:^|,) *filename ([A-Za-z0-9+/=]+) *(?:,|$)/.exec(String(headers['upload-metadata'] ?? ''))?.[1]
  if (encoded === undefined) throw badInput('Upload-Metadata must hold the file\'s name: filename, a blank, and the name in base64')
  return checked({ id: randomUUID(), name: Buffer.from(encoded, 'base64').toString(), length: wholeNumber(headers['upload-length']) })
}

function uploadIn ({ params: { id }, query: { name, length } }: FastifyRequest<OfUpload>): Upload {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) || typeof name !== 'string' || typeof length !== 'string') throw notFound('There is no such upload')
  return checked({ id, name, length: wholeNumber(length) })
}

function checked (upload: Upload): Upload {
  checkFileName(upload.name, 'filename')
  if (Buffer.byteLength(upload.name) > maxFileNameBytes) throw badInput(`filename must be at most ${maxFileNameBytes} bytes`)
  checkFileSize(upload.length)
  return upload
}

/** NaN: it is none. */
const wholeNumber = (text: unknown): number => typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : NaN

async function * nothing (): AsyncGenerator<Buffer> {}

/** As long as there are not more of them than were announced. */
async function * bounded (body: Readable, most: number): AsyncGenerator<Buffer> {
  let left = most
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      left -= piece.length
      if (left < 0) throw badInput('There are more bytes than Upload-Length says')
      yield piece
    }
  } catch (error) {
    throw isAppError(error) ? error : badInput('The body was cut off; what came of it is kept')
  }
}

/** The newest first; those that an import can name. */
function listed (files: MerchantFile[]): Array<{ name: string, size: number, uploadedAt: string }> {
  return files.filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.name < b.name ? -1 : 1)).slice(0, maxListed)
    .map(({ name, size, modifiedAtMs }) => ({ name, size, uploadedAt: new Date(modifiedAtMs).toISOString() }))
}
