/**
 * Uploads over tus (docs/operations.md): in pieces, each of which the service keeps, and on from there after a connection breaks. Nothing of
 * a file is read into memory: the browser sends slices of it.
 */
import { ownHeaders, reach, refusalIn, RequestError } from '../api/request.js'

const filesPath = '/api/v1/files'
const version = { 'tus-resumable': '1.0.0' }
/** The service lets a request go that takes two minutes; pieces are sized to take some five seconds. */
const [smallestPiece, firstPiece, largestPiece] = [256 * 1_024, 4 * 1_024 * 1_024, 64 * 1_024 * 1_024]
const pieceMs = 5_000
const longestWaitMs = 10_000
/** In a row, without a byte that has come. */
const maxTries = 8

export interface UploadOptions { onProgress: (bytes: number) => void, signal: AbortSignal }

/** Resolves when the file is there, under its name. Rejects with RequestError, or the signal's reason. */
export async function uploadFile (file: File, { onProgress, signal }: UploadOptions): Promise<void> {
  const created = await accepted(await reach(filesPath, {
    method: 'POST',
    headers: { ...ownHeaders(), ...version, 'upload-length': String(file.size), 'upload-metadata': `filename ${base64(file.name)}` },
    signal
  }))
  const address = created.headers.get('location') ?? ''
  let [offset, size, tries] = [0, firstPiece, 0]
  while (offset < file.size) {
    const began = performance.now()
    try {
      offset = await sendPiece(address, file, offset, size, signal)
      tries = 0
      size = nextSize(size, performance.now() - began)
    } catch (error) {
      if (signal.aborted || !isWorthAnotherTry(error) || ++tries > maxTries) throw error
      size = Math.max(smallestPiece, size / 4)
      await pause(Math.min(500 * 2 ** tries, longestWaitMs), signal)
      offset = await askOffset(address, signal).catch(() => offset)
    }
    onProgress(offset)
  }
}

async function sendPiece (address: string, file: File, offset: number, size: number, signal: AbortSignal): Promise<number> {
  const response = await accepted(await reach(address, {
    method: 'PATCH',
    headers: { ...ownHeaders(), ...version, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: file.slice(offset, offset + size),
    signal
  }))
  return Number(response.headers.get('upload-offset'))
}

async function askOffset (address: string, signal: AbortSignal): Promise<number> {
  const response = await accepted(await reach(address, { method: 'HEAD', headers: { ...ownHeaders(), ...version }, signal }))
  return Number(response.headers.get('upload-offset'))
}

export const nextSize = (size: number, tookMs: number): number => {
  const wanted = size * pieceMs / Math.max(tookMs, 1)
  return Math.round(Math.min(largestPiece, Math.max(smallestPiece, wanted, size / 4), size * 4))
}

async function accepted (response: Response): Promise<Response> {
  if (!response.ok) throw await refusalIn(response)
  return response
}

/** A conflict says that the service has another count; so does asking it. */
const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof RequestError && ['UNREACHABLE', 'SERVICE_UNAVAILABLE', 'CONFLICT', 'RATE_LIMITED'].includes(error.code)

async function pause (ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }, { once: true })
  })
}

function base64 (text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
