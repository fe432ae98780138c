/**
 * The HTTP server under the app: who may be connected to it, and for how long without saying or reading anything. A connection is bounded before a
 * byte of it is read, since one that sends half a request costs its sender nothing; and it is cut when nothing is read of an answer that it
 * was sent, which stays in memory until then.
 *
 * The address is the peer's. Trusted proxies are not bounded: behind one stand all that it lets through, whose requests are counted by the
 * address that it names (api/address-limits.ts).
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { DropArgument, Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'
import { createNetworks } from '../networks.js'
import { createAddressPlaces } from './address-places.js'

export interface HttpServerOptions {
  log: FastifyBaseLogger
  trustedProxies: readonly string[]
  maxConnectionsOfOne: number
  /** Once aborted, each answer is the last on its connection: its client asks on another, which may lead elsewhere. */
  closing?: AbortSignal | undefined
}

/** Of all addresses; an idle connection costs some 10 KB. */
const maxConnections = 4_096
/** For a request's headers to arrive, from the connection on; Node closes late ones at each check. */
const headersTimeoutMs = 15_000
const connectionsCheckingInterval = 5_000
/** Over a connection on which something is asked or answered; a websocket has a life of its own. */
const standstillMs = 60_000
/** A flood is told of once in a while, not once a connection. */
const tellEveryMs = 60_000

export function createHttpServer (
  { log, trustedProxies, maxConnectionsOfOne, closing }: HttpServerOptions
): (handler: RequestListener, options: Pick<FastifyServerOptions, 'keepAliveTimeout' | 'requestTimeout' | 'connectionTimeout'>) => Server {
  const isTrusted = createNetworks(trustedProxies)
  const places = createAddressPlaces(maxConnectionsOfOne)
  let refused = 0
  let toldAtMs = -Infinity

  function tellOfRefusal (address: string | undefined): void {
    refused++
    const now = performance.now()
    if (now - toldAtMs < tellEveryMs) return
    toldAtMs = now
    log.warn({ address, refused }, 'connections are refused: too many are open, of this address or of all; a proxy belongs into TRUSTED_PROXIES')
    refused = 0
  }

  return (handler, { keepAliveTimeout = 0, requestTimeout = 0, connectionTimeout = 0 }) => {
    const server = createServer({ keepAliveTimeout, requestTimeout, headersTimeout: headersTimeoutMs, connectionsCheckingInterval }, (request, response) => {
      response.on('timeout', cutWhatIsUnread)
      if (closing?.aborted === true) response.setHeader('connection', 'close')
      handler(request, response)
    })
    server.setTimeout(connectionTimeout > 0 ? connectionTimeout : standstillMs)
    server.maxConnections = maxConnections
    server.on('drop', (dropped?: DropArgument) => { tellOfRefusal(dropped?.remoteAddress) })
    // Before the server's own listener, which begins to read.
    server.prependListener('connection', (socket) => {
      const { remoteAddress } = socket
      // Closed already.
      if (remoteAddress === undefined || isTrusted(remoteAddress)) return
      const leave = places.take(remoteAddress)
      if (leave !== null) {
        socket.once('close', leave)
        return
      }
      tellOfRefusal(remoteAddress)
      socket.destroy()
    })
    return server
  }
}

/** Nothing has happened for long: where that is because an answer is still being made, it is waited for. */
function cutWhatIsUnread (socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}
