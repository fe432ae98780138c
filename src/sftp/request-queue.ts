/**
 * A channel's requests, answered one at a time in the order they came, as OpenSSH's server does: no two of them ever touch
 * a file at once. It also gives the channel what ssh2's server side lacks, backpressure in both directions:
 *
 *  - in:  ssh2 re-opens the SSH receive window as soon as bytes are parsed, so a client faster than the disk would fill the
 *         memory. Here the window stays shut while more than `holdBytes` wait. (Pausing the socket instead could lock up:
 *         the client's own window adjustments, which answers may be waiting for, come over it.)
 *  - out: ssh2 buffers every answer. Here the next request is not begun while the client does not take the answers.
 */
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SFTPWrapper } from 'ssh2'
import { internalsOf, windowBytes } from './ssh2-internals.js'

const holdBytes = 1024 * 1024
/** A waiting request weighs this much beside its data: reads are 29 bytes on the wire, and more in memory. */
const requestBytes = 256
/** Far above what a full window of the smallest requests weighs: only a client that ignores the window gets here. */
const overflowBytes = 32 * 1024 * 1024
const maxUnsentBytes = 4 * 1024 * 1024
/** Requests that need no disk are answered without a turn of the event loop; this many in a row at most. */
const requestsPerTurn = 64

export interface RequestQueue {
  add (dataBytes: number, work: () => Promise<void>): void
  /** Drops what waits; resolves when the request that is being answered has ended. */
  close (): Promise<void>
}

export function createRequestQueue ({ sftp, socket, onOverflow, onError }: {
  sftp: SFTPWrapper
  socket: Socket
  onOverflow: () => void
  /** `work` has thrown: what should have been answered was not, so the channel cannot go on. */
  onError: (error: unknown) => void
}): RequestQueue {
  const channel = internalsOf(sftp)
  let waiting: Array<{ bytes: number, work: () => Promise<void> }> = []
  let waitingBytes = 0
  let isClosed = false
  let running: Promise<void> | undefined

  const parse = channel.push.bind(channel)
  channel.push = (data) => {
    parse(data)
    return waitingBytes <= holdBytes
  }

  const reopenWindow = (): void => {
    if (waitingBytes > holdBytes / 2 || channel.incoming.window > windowBytes / 2 || channel.outgoing.state === 'closed') return
    const bytes = windowBytes - channel.incoming.window
    channel.incoming.window += bytes
    channel._protocol.channelWindowAdjust(channel.outgoing.id, bytes)
  }
  const isCongested = (): boolean => channel._buffer.length > 0 || socket.writableLength > maxUnsentBytes

  const run = async (): Promise<void> => {
    let answered = 0
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      for (const [index, { bytes, work }] of batch.entries()) {
        if (isClosed) return
        if (isCongested()) {
          waiting = [...batch.slice(index), ...waiting]
          return
        }
        await work()
        waitingBytes -= bytes
        reopenWindow()
        if (++answered % requestsPerTurn === 0) await nextTurn()
      }
    }
  }
  const kick = (): void => {
    if (running !== undefined || isClosed || waiting.length === 0 || isCongested()) return
    running = run().catch(onError).finally(() => {
      running = undefined
      kick()
    })
  }

  // Room for answers comes either way: the socket has sent what it held, or the client has widened its window (which
  // ssh2 has read from the socket by the time this listener, the later one, is called).
  socket.on('drain', kick)
  socket.on('data', kick)

  return {
    add (dataBytes, work) {
      if (isClosed) return
      const bytes = dataBytes + requestBytes
      waitingBytes += bytes
      if (waitingBytes > overflowBytes) return onOverflow()
      waiting.push({ bytes, work })
      kick()
    },
    async close () {
      isClosed = true
      waiting = []
      socket.off('drain', kick)
      socket.off('data', kick)
      await running
    }
  }
}
