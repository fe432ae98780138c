/**
 * The driver waits for a socket that cannot take all of a write to drain, or to fail. One that closes does neither where nothing was wrong with it: the
 * server has ended it, or the driver has, over its time or a heartbeat that stayed away. Its operation would then wait for ever, whatever
 * time it was given, and all that waits for it too (7.9). So a connection that is given up says that it has drained: who waits goes on, and is
 * told by the driver why it was given up. Importing this is enough; it holds for the driver's heartbeats as well.
 */
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'

interface Connection {
  socket: EventEmitter
  cleanup (error: Error): void
}

const { Connection: { prototype } } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as { Connection: { prototype: Connection } }
const cleanup: (this: Connection, error: Error) => void = prototype.cleanup

prototype.cleanup = function (error) {
  cleanup.call(this, error)
  this.socket.emit('drain')
}
