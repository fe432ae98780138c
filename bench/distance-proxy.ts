/**
 * A connection over a distance: `distance-proxy.js HOST PORT DELAY_MS` passes everything on to HOST:PORT, each byte DELAY_MS later in
 * either direction, and prints its own port. A process of its own, so that what it costs is not counted as the client's.
 * It ends with its standard input.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

const [host = '127.0.0.1', port = '0', delayMs = '0'] = process.argv.slice(2)

/** Timers of one length fire in the order in which they were set, so bytes keep theirs. */
function pass (from: Socket, to: Socket): void {
  from.setNoDelay(true)
  const later = (act: () => void): void => {
    if (Number(delayMs) === 0) act()
    else setTimeout(act, Number(delayMs))
  }
  from.on('data', (data) => { later(() => { if (!to.destroyed) to.write(data) }) })
  from.on('close', () => { later(() => { to.destroy() }) })
  from.on('error', () => { /* 'close' follows */ })
}

const server = createServer((near) => {
  const far = connect(Number(port), host)
  pass(near, far)
  pass(far, near)
})
server.listen(0, '127.0.0.1', () => { process.stdout.write(`${(server.address() as AddressInfo).port}\n`) })
process.stdin.resume().once('end', () => { process.exit() })
