/** Stands between the service and a server of its, and takes that server away: unplugged, or hanging. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'

export interface TcpProxy {
  port: number
  /** Connections break and new ones are cut at once. */
  cut (): void
  /** Connections stay and nothing comes through any more, as with a server that is stopped. */
  hang (): void
  /** The same, as soon as the server has sent this many bytes more, over all connections. */
  hangAfter (bytes: number): void
  /** Everything works again; connections that hung go on. */
  restore (): void
}

export async function startTcpProxy (t: Test, target: { host: string, port: number }): Promise<TcpProxy> {
  let state: 'working' | 'cut' | 'hanging' = 'working'
  const sockets = new Set<Socket>()
  let bytesUntilHang = Infinity
  const hang = (): void => {
    state = 'hanging'
    bytesUntilHang = Infinity
    for (const socket of sockets) socket.pause()
  }
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => { /* what the two ends make of it is what is tested */ })
    socket.once('close', () => { sockets.delete(socket) })
    if (state === 'hanging') socket.pause()
  }
  const server = createServer((near) => {
    keep(near)
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect(target)
    keep(far)
    near.on('data', (data) => { far.write(data) }).once('close', () => { far.destroy() })
    far.on('data', (data) => {
      near.write(data)
      bytesUntilHang -= data.length
      if (bytesUntilHang <= 0) hang()
    }).once('close', () => { near.destroy() })
    if (state === 'hanging') for (const socket of [near, far]) socket.pause()
  })
  const cutAll = (): void => { for (const socket of sockets) socket.destroy() }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    cutAll()
    await once(server, 'close')
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut () {
      state = 'cut'
      cutAll()
    },
    hang,
    hangAfter (bytes) { bytesUntilHang = bytes },
    restore () {
      state = 'working'
      for (const socket of sockets) socket.resume()
    }
  }
}
