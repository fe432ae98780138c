/**
 * A wider SSH receive window for an SFTP channel. ssh2 opens channels with 2 MiB and lets half of that be used up before it
 * adjusts: a server 50 ms away can then send 20 to 40 MB/s and no more. ssh2 has no option for it, but looks only for a window that
 * is nearly shut, so one that is kept open from outside stays as wide as we say.
 *
 * The fields are those of ssh2 1.17, which does not document them. Its version is pinned, and a field that is missing fails at once.
 */
import type { SFTPWrapper } from 'ssh2'

interface ChannelInternals {
  /** Bytes that the server may still send. */
  incoming: { window: number }
  outgoing: { id: number, state: string }
  _protocol: { channelWindowAdjust (channel: number, bytes: number): void }
}

/** Above what all requests in flight may be answered with (sftp-files.ts), so that the window is never what a read waits for. */
const windowBytes = 24 * 1024 * 1024
/** An adjustment is a packet: one for each 1 MiB of data weighs nothing. */
const stepBytes = 1024 * 1024

/** Gives what has to be called before each READ. */
export function createWindowKeeper (sftp: SFTPWrapper): () => void {
  const { incoming, outgoing, _protocol: protocol } = sftp as unknown as ChannelInternals
  if (typeof incoming?.window !== 'number' || typeof outgoing?.id !== 'number' || typeof protocol?.channelWindowAdjust !== 'function') {
    throw new Error('This version of ssh2 has SFTP channels that are not known here')
  }
  return () => {
    const bytes = windowBytes - incoming.window
    if (bytes < stepBytes || outgoing.state !== 'open') return
    incoming.window += bytes
    protocol.channelWindowAdjust(outgoing.id, bytes)
  }
}
