/**
 * What ssh2 1.17 knows of a connection and an SFTP channel and does not document. Its server side has no backpressure, never says how a channel
 * ended, and neither sends nor hears global requests that it does not know; all can be had through these fields. ssh2's version is pinned, and a
 * field that is missing fails at once.
 */
import { createRequire } from 'node:module'
import type { Connection, SFTPWrapper } from 'ssh2'

export interface SftpInternals {
  /** Takes the client's bytes. ssh2 leaves the receive window shut when this returns false. */
  push (data: Buffer | null): boolean | undefined
  /** Answers that the client's window has no room for. */
  _buffer: unknown[]
  incoming: { window: number }
  outgoing: { id: number, state: string }
  _protocol: {
    channelWindowAdjust (channel: number, bytes: number): void
    exitStatus (channel: number, status: number): void
  }
}

/** The receive window that ssh2 opens a channel with. */
export const windowBytes = 2 * 1024 * 1024

export function internalsOf (sftp: SFTPWrapper): SftpInternals {
  const channel = sftp as unknown as SftpInternals
  const isKnown = typeof channel.push === 'function' && Array.isArray(channel._buffer) &&
    typeof channel.incoming?.window === 'number' && typeof channel.outgoing?.id === 'number' &&
    typeof channel._protocol?.channelWindowAdjust === 'function' && typeof channel._protocol.exitStatus === 'function'
  if (!isKnown) throw new Error('This version of ssh2 has SFTP channels that are not known here')
  return channel
}

/** Ends the channel with exit status 0: scp counts a channel that ends without one as failed. */
export function endSuccessfully (sftp: SFTPWrapper): void {
  const { _protocol: protocol, outgoing } = internalsOf(sftp)
  if (outgoing.state === 'open') protocol.exitStatus(outgoing.id, 0)
  sftp.end()
}

type OnGlobalRequest = (protocol: Protocol, name: string, wantsReply: boolean, data: unknown) => void
interface Protocol {
  _handlers: { GLOBAL_REQUEST: OnGlobalRequest }
  _kex: { sessionID: Buffer }
  /** Where packets are written, from `allocStart` on. */
  _packetRW: { write: { allocStart: number, alloc (bytes: number): Buffer, finalize (packet: Buffer): Buffer } }
  requestSuccess (data: Buffer): void
  requestFailure (): void
}

const { sendPacket } = createRequire(import.meta.url)('ssh2/lib/protocol/utils.js') as { sendPacket: (protocol: Protocol, packet: Buffer) => void }

export interface ConnectionInternals {
  /** Of the first key exchange. */
  sessionId (): Buffer
  /** A packet with this in it; behind a key exchange that is under way. */
  send (payload: Buffer): void
  /** Answers requests of that name, with null as refused. */
  onGlobalRequest (name: string, answer: (data: Buffer) => Buffer | null): void
}

export function internalsOfConnection (client: Connection): ConnectionInternals {
  const { _protocol: protocol } = client as unknown as { _protocol?: Protocol }
  const isKnown = typeof protocol?._handlers?.GLOBAL_REQUEST === 'function' && typeof protocol._packetRW?.write?.finalize === 'function' &&
    typeof protocol.requestSuccess === 'function' && typeof protocol.requestFailure === 'function' && typeof sendPacket === 'function'
  if (!isKnown) throw new Error('This version of ssh2 has connections that are not known here')
  return {
    sessionId: () => protocol._kex.sessionID,
    send (payload) {
      const { write } = protocol._packetRW
      const packet = write.alloc(payload.length)
      packet.set(payload, write.allocStart)
      sendPacket(protocol, write.finalize(packet))
    },
    onGlobalRequest (name, answer) {
      const others = protocol._handlers.GLOBAL_REQUEST
      protocol._handlers.GLOBAL_REQUEST = (self, asked, wantsReply, data) => {
        if (asked !== name || !wantsReply) {
          others(self, asked, wantsReply, data)
          return
        }
        const answered = Buffer.isBuffer(data) ? answer(data) : null
        if (answered === null) protocol.requestFailure()
        else protocol.requestSuccess(answered)
      }
    }
  }
}
