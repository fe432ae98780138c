/** A TCP proxy in front of a server: it can cut connections at an exact byte, refuse them, and hold what passes back. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Teardown } from '../sftp/harness.js'

export interface Proxy {
  port: number
  connections (): number
  /** Cuts the connection that carries the byte with this number, counted from the server over all connections. */
  cutAt (bytes: number[]): void
  cutAll (): void
  /** New connections are dropped at once. */
  refuse (isRefusing: boolean): void
  /** Bytes that came from the server so far. */
  received (): number
}

export async function startProxy (t: Teardown, targetPort: number, { delayMs = 0 }: { delayMs?: number } = {}): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let cuts: number[] = []
  let received = 0
  let connections = 0
  let isRefusing = false

  const proxy = createServer((near) => {
    connections++
    if (isRefusing) return near.destroy()
    const far = connect(targetPort, '127.0.0.1')
    const cut = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
    const pass = (to: Socket, data: Buffer): void => {
      if (delayMs === 0) to.write(data)
      else setTimeout(() => { if (!to.destroyed) to.write(data) }, delayMs)
    }
    near.on('data', (data) => pass(far, data))
    far.on('data', (data) => {
      received += data.length
      const [next = Infinity] = cuts
      if (received < next) return pass(near, data)
      cuts.shift()
      // What comes before the cut still arrives.
      near.write(data.subarray(0, data.length - (received - next)), cut)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cutAll = (): void => { for (const socket of sockets) socket.destroy() }
  t.teardown(() => {
    cutAll()
    proxy.close()
  })
  return {
    port: (proxy.address() as AddressInfo).port,
    connections: () => connections,
    cutAt: (bytes) => { cuts = bytes.map((count) => received + count) },
    cutAll,
    refuse: (value) => { isRefusing = value },
    received: () => received
  }
}
