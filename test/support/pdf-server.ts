/** A web server on loopback that answers as the test says, and counts who came. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface PdfServer {
  /** `127.0.0.1:port` */
  host: string
  port: number
  url (path: string): string
  /** Method, path and headers of what was asked, in order. */
  requests: Array<{ path: string, headers: IncomingMessage['headers'] }>
}

export async function startPdfServer (t: Test, answer: (path: string, response: ServerResponse, request: IncomingMessage) => void): Promise<PdfServer> {
  const requests: PdfServer['requests'] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    answer(path, response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, port, url: (path) => `http://127.0.0.1:${port}${path}`, requests }
}
