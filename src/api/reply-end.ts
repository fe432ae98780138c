/**
 * When an answer has been sent, or never will be. A response that is pipelined behind another one has no connection until it is its turn: where the
 * connection breaks before, it neither finishes nor closes. So the connection is listened to as well, once for all that came over it.
 */
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

const listeners = new WeakMap<Socket, Set<() => void>>()

/** Those of one response, which has listeners of its own for the first of them alone: each request has two or more. */
const ofReply = Symbol('listeners')

interface Response extends EventEmitter {
  [ofReply]?: Array<() => void> | undefined
}

/** Calls `listener` once. */
export function whenReplied ({ raw: { socket } }: FastifyRequest, { raw }: { raw: Response }, listener: () => void): void {
  const known = raw[ofReply]
  if (known !== undefined) {
    known.push(listener)
    return
  }
  const waiting = raw[ofReply] = [listener]
  const callAll = (): void => {
    raw[ofReply] = undefined
    for (const each of waiting) each()
  }
  const forget = whenClosed(socket, callAll)
  const replied = (): void => { if (forget()) callAll() }
  raw.on('finish', replied).on('close', replied)
}

/** At once where it has closed already. Gives what takes the listener back, which says whether it had not been called yet. */
export function whenClosed (socket: Socket, listener: () => void): () => boolean {
  if (socket.closed) {
    listener()
    return () => false
  }
  const known = listeners.get(socket)
  const waiting = known ?? new Set()
  waiting.add(listener)
  if (known === undefined) {
    listeners.set(socket, waiting)
    callAtClose(socket, waiting)
  }
  return () => waiting.delete(listener)
}

/** By itself: what listens as long as the connection lives would keep the first listener, and all that it knows, where that is in reach. */
function callAtClose (socket: Socket, waiting: Set<() => void>): void {
  socket.once('close', () => {
    for (const each of waiting) each()
    waiting.clear()
  })
}
