/**
 * What ssh2 1.17 knows of an SFTP channel and does not document. Its server side has no backpressure and never says how a
 * channel ended; both can be had through these fields. ssh2's version is pinned, and a field that is missing fails at once.
 */
import type { SFTPWrapper } from 'ssh2'

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
