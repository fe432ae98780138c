/**
 * Reads a body and leaves it in the pieces in which it came. Put together, one of 16 MiB is there twice for a while, and when it has gone to a thread its
 * pieces stay: to V8 each is a small object, of which it collects none before they have 64 MB. Pieces go to the thread themselves.
 */
import type { Readable } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { errorCodes, type FastifyRequest } from 'fastify'

/** Nobody else has a part of its buffer. */
export type Piece = Uint8Array<ArrayBuffer>

/** Those that are smaller are put together: a body may come byte by byte, and each piece costs some hundred bytes more. */
const minPieceBytes = 16 * 1_024

/** Calls `done` once; errors have a status as Fastify's have: too long, or broken off. */
export function readPieces ({ headers }: FastifyRequest, payload: Readable, maxBytes: number, done: (error: Error | null, pieces: Piece[]) => void): void {
  const pieces: Piece[] = []
  const small: Buffer[] = []
  let smallBytes = 0
  let bytes = 0

  function end (error: Error | null): void {
    payload.off('data', take).off('end', whole).off('error', broken)
    done(error, pieces)
  }
  function take (piece: Buffer): void {
    bytes += piece.length
    if (bytes > maxBytes) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    small.push(piece)
    smallBytes += piece.length
    if (smallBytes >= minPieceBytes) putTogether()
  }
  function putTogether (): void {
    const [first] = small
    if (first !== undefined) pieces.push(own(small.length === 1 ? first : Buffer.concat(small)))
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
const own = ({ buffer, byteOffset, byteLength }: Buffer): Piece =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? new Uint8Array(buffer) : Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength))

/** What is sent to a port that has closed is taken from its sender all the same, and freed within the call. Behind one that closes later it would lie until then, which a busy thread comes to after several requests. */
const { port1: nowhere } = new MessageChannel()
nowhere.close()

/** Gives their memory back, at once and not when V8 comes to it: several bodies of 16 MiB would wait for that. Nobody may look at them any more; they are empty. */
export function letGo (buffers: ArrayBuffer[]): void {
  nowhere.postMessage(null, buffers)
}
