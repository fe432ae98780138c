/** Shares connections out among processes as a cluster's Service does: to those that are ready, by their word over /readyz. It looks into nothing, and tries nothing again. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'

export interface Backend { url: string, ops: string }

export interface Balancer {
  url: string
  add (backend: Backend): void
  remove (backend: Backend): void
  isReady (backend: Backend): boolean
}

const pollMs = 100

export async function startBalancer (t: Test): Promise<Balancer> {
  const backends = new Map<Backend, boolean>()
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((near) => {
    const ready = [...backends].filter(([, isReady]) => isReady).map(([backend]) => backend)
    const backend = ready[turn++ % ready.length]
    if (backend === undefined) return near.destroy()
    const far = connect(Number(new URL(backend.url).port), '127.0.0.1')
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on('error', () => { other.destroy() })
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroySoon()
      })
      socket.pipe(other)
    }
  })
  const closing = new AbortController()
  async function watch (backend: Backend): Promise<void> {
    while (backends.has(backend) && !closing.signal.aborted) {
      const isReady = await fetch(`${backend.ops}/readyz`).then(async (response) => {
        await response.body?.cancel()
        return response.ok
      }, () => false)
      if (backends.has(backend)) backends.set(backend, isReady)
      await delay(pollMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    closing.abort()
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add (backend) {
      backends.set(backend, false)
      void watch(backend)
    },
    remove (backend) { backends.delete(backend) },
    isReady: (backend) => backends.get(backend) ?? false
  }
}
