/**
 * Who may be connected at the same time. Before the login all are strangers: they have little time, addresses that keep failing
 * are refused for a while (penalties.ts), and when there are too many strangers the oldest goes, so that holding connections open
 * does not keep merchants out. After it each vendor has its share; the service's own connections are always admitted, or
 * merchants could keep the worker from their files.
 */
import type { Socket } from 'node:net'
import type { Identity } from './identity.js'
import type { SftpLimits } from './limits.js'
import type { Offence, Penalties } from './penalties.js'

export interface Admission {
  /** Counts a new socket as a stranger and gives it `authTimeoutMs` to log in. false: its address is refused for a while. */
  handshake (socket: Socket): boolean
  /** A stranger's credentials were refused. */
  refused (socket: Socket): void
  /** Makes a stranger a user, until its socket closes. */
  admit (socket: Socket, identity: Identity): { refusal: string } | undefined
  cutHandshakes (): void
}

interface Stranger {
  timer: NodeJS.Timeout
  /** What it is punished for if it ends now; null when its end is none of its doing. */
  offence: Offence | null
}

export function createAdmission ({ limits, penalties, onPenalty }: {
  limits: SftpLimits
  penalties: Penalties
  /** From now on connections from that address are refused. */
  onPenalty: (address: string) => void
}): Admission {
  const { maxHandshakes, maxConnections, maxConnectionsPerVendor, authTimeoutMs } = limits
  /** In the order of their arrival. */
  const strangers = new Map<Socket, Stranger>()
  const perVendor = new Map<string, number>()
  let total = 0

  const forget = (socket: Socket): void => {
    clearTimeout(strangers.get(socket)?.timer)
    strangers.delete(socket)
  }
  const count = (vendorId: string, change: 1 | -1): void => {
    total += change
    const left = (perVendor.get(vendorId) ?? 0) + change
    if (left === 0) perVendor.delete(vendorId)
    else perVendor.set(vendorId, left)
  }
  const cut = (socket: Socket, because: Offence | null): void => {
    const stranger = strangers.get(socket)
    if (stranger !== undefined) stranger.offence = because
    socket.destroy()
  }

  return {
    handshake (socket) {
      // A closed socket no longer knows it.
      const { remoteAddress } = socket
      if (remoteAddress === undefined || penalties.isRefused(remoteAddress)) return false
      const [oldest] = strangers.keys()
      if (strangers.size >= maxHandshakes && oldest !== undefined) cut(oldest, null)
      strangers.set(socket, { timer: setTimeout(() => cut(socket, 'too-slow'), authTimeoutMs), offence: 'no-credentials' })
      socket.once('close', () => {
        const offence = strangers.get(socket)?.offence ?? null
        forget(socket)
        if (offence !== null && penalties.add(remoteAddress, offence)) onPenalty(remoteAddress)
      })
      return true
    },
    refused (socket) {
      const stranger = strangers.get(socket)
      if (stranger !== undefined) stranger.offence = 'wrong-credentials'
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
      for (const socket of strangers.keys()) cut(socket, null)
    }
  }
}
