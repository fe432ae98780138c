/** Ports of this machine's loopback. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

export async function isListening (port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 })
  return await new Promise<boolean>((resolve) => {
    const settle = (answer: boolean) => (): void => { socket.destroy(); resolve(answer) }
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false))
  })
}

/** Free when asked; whether it still is when the server binds it, the server finds out. */
export async function freePort (): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
