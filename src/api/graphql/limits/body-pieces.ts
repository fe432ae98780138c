/**
 * Reads a body and leaves it in pieces. Put together, one of 16 MiB is there twice for a while, and when it has gone to a thread its
 * pieces stay: to V8 each is a small object, of which it collects none before they have 64 MB. Pieces go to the thread themselves.
 */
import type { Readable } from 'node:stream'
import { errorCodes, type FastifyRequest } from 'fastify'
import { letGo } from '../../../threads/let-go.js'

/** Nobody else has a part of its buffer. */
export type Piece = Uint8Array<ArrayBuffer>

/** Those that are smaller are put together: a body may come byte by byte, and each piece costs some hundred bytes more. */
const minPieceBytes = 16 * 1_024
/**
 * Likewise from so many bytes of a body on. What comes from a socket has 64 KiB at most, and malloc keeps the places of so small pieces for others; those of a
 * MiB go back to the system.
 */
const beginningBytes = 256 * 1_024
const minLargePieceBytes = 1_024 * 1_024

/** Calls `done` once; errors have a status as Fastify's have: too long, or broken off. Nothing is left of such a body then. */
export function readPieces ({ headers }: FastifyRequest, payload: Readable, maxBytes: number, done: (error: Error | null, pieces: Piece[]) => void): void {
  const pieces: Piece[] = []
  const small: Buffer[] = []
  let smallBytes = 0
  let bytes = 0

  function end (error: Error | null): void {
    payload.off('data', take).off('end', whole).off('error', broken)
    if (error !== null) letGo([...pieces.splice(0), ...small.splice(0).filter(isAlone)].map(({ buffer }) => buffer))
    done(error, pieces)
  }
  function take (piece: Buffer): void {
    bytes += piece.length
    if (bytes > maxBytes) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    small.push(piece)
    smallBytes += piece.length
    if (smallBytes >= (bytes > beginningBytes ? minLargePieceBytes : minPieceBytes)) putTogether()
  }
  function putTogether (): void {
    const [first] = small
    if (first !== undefined) pieces.push(own(small.length === 1 ? first : Buffer.concat(small)))
    if (small.length > 1) letGo(small.filter(isAlone).map(({ buffer }) => buffer))
    small.length = 0
    smallBytes = 0
  }
  function whole (): void {
    putTogether()
    end(null)
  }
  const broken = (error: Error): void => { end(Object.assign(error, { statusCode: 400 })) }

  // Before a byte of it is read.
  if (Number(headers['content-length']) > maxBytes) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
  payload.on('data', take).on('end', whole).on('error', broken)
}

/** Small buffers share their memory. */
const isAlone = (piece: Buffer): piece is Buffer<ArrayBuffer> => piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === piece.byteLength

const own = (piece: Buffer): Piece => isAlone(piece) ? new Uint8Array(piece.buffer) : Uint8Array.from(piece)
