/**
 * Closing the app waits for the requests under way, and not for ever: a body may never come, and an answer never be read. Websockets are not the
 * HTTP server's any more; graphql/websocket.ts ends those.
 */
import type { FastifyInstance } from 'fastify'

/** A part of the 30 s that a process has to end in; what follows the API's end (threads, database) has the rest. */
const defaultGraceMs = 5_000

export function cutConnectionsOnClose (app: FastifyInstance, graceMs = defaultGraceMs): void {
  let cut: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    cut = setTimeout(() => { app.server.closeAllConnections() }, graceMs)
  })
  app.addHook('onClose', async () => { clearTimeout(cut) })
}
