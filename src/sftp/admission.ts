/**
 * Who may be connected at the same time. Before the login all are strangers: they have little time, and when there are too
 * many of them the oldest goes, so that holding connections open does not keep merchants out. After it each vendor has its
 * share; the service's own connections are always admitted, or merchants could keep the worker from their files.
 */
import type { Socket } from 'node:net'
import type { Identity } from './identity.js'
import type { SftpLimits } from './limits.js'

export interface Admission {
  /** Counts a new socket as a stranger and gives it `authTimeoutMs` to log in. */
  handshake (socket: Socket): void
  /** Makes a stranger a user, until its socket closes. */
  admit (socket: Socket, identity: Identity): { refusal: string } | undefined
  cutHandshakes (): void
}

export function createAdmission ({ maxHandshakes, maxConnections, maxConnectionsPerVendor, authTimeoutMs }: SftpLimits): Admission {
  /** In the order of their arrival. */
  const strangers = new Map<Socket, NodeJS.Timeout>()
  const perVendor = new Map<string, number>()
  let total = 0

  const forget = (socket: Socket): void => {
    clearTimeout(strangers.get(socket))
    strangers.delete(socket)
  }
  const count = (vendorId: string, change: 1 | -1): void => {
    total += change
    const left = (perVendor.get(vendorId) ?? 0) + change
    if (left === 0) perVendor.delete(vendorId)
    else perVendor.set(vendorId, left)
  }

  return {
    handshake (socket) {
      const [oldest] = strangers.keys()
      if (strangers.size >= maxHandshakes) oldest?.destroy()
      strangers.set(socket, setTimeout(() => socket.destroy(), authTimeoutMs))
      socket.once('close', () => forget(socket))
    },
    admit (socket, identity) {
      if (identity.kind === 'vendor') {
        const { vendorId } = identity
        if (total >= maxConnections) return { refusal: 'too many connections' }
        if ((perVendor.get(vendorId) ?? 0) >= maxConnectionsPerVendor) return { refusal: 'too many connections of this vendor' }
        count(vendorId, 1)
        socket.once('close', () => count(vendorId, -1))
      }
      forget(socket)
      return undefined
    },
    cutHandshakes () {
      for (const socket of strangers.keys()) socket.destroy()
    }
  }
}
