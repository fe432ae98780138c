/**
 * When an answer has been sent, or never will be. A response that is pipelined behind another one has no connection until it is its turn: where the
 * connection breaks before, it neither finishes nor closes. So the connection is listened to as well, once for all that came over it.
 */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

const listeners = new WeakMap<Socket, Set<() => void>>()

/** Calls `listener` once. */
export function whenReplied ({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, listener: () => void): void {
  const forget = whenClosed(socket, listener)
  const replied = (): void => { if (forget()) listener() }
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
