import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the range from which Linux takes the local ports of outgoing connections. */
const lowest = 20_000
const count = 12_000

/**
 * A port that stays ours while its server is stopped and started again. One that the system chooses would not: an outgoing
 * connection may get it meanwhile, and a client that keeps trying a closed local port may even connect to itself.
 */
export async function freePort (): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = lowest + Math.floor(Math.random() * count)
    if (await canListen(port)) return port
  }
  throw new Error('No free port was found')
}

async function canListen (port: number): Promise<boolean> {
  const server = createServer().listen({ host: '127.0.0.1', port })
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
