/** The service's HTTP side as `push` sees it, answering as each test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'

export interface Received { method: string, path: string, key: string | undefined, body: unknown }
export interface Answer { status?: number, body: unknown, headers?: Record<string, string> }

export interface TestImportService {
  url: string
  received: Received[]
}

export const jobId = '6f1f3c1e-0000-4000-8000-000000000001'

/** `answer` is asked for every request; 'hang up' closes the connection without a word, 'silence' never answers. */
export async function startImportService (t: Test, answer: (request: Received, number: number) => Answer | 'hang up' | 'silence'): Promise<TestImportService> {
  const received: Received[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const key = request.headers['x-vendor-api-key']
    const seen = { method: request.method ?? '', path: request.url ?? '', key: String(key), body: text === '' ? null : JSON.parse(text) as unknown }
    received.push(seen)
    const given = answer(seen, received.length)
    if (given === 'silence') return
    if (given === 'hang up') {
      request.socket.destroy()
      return
    }
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
  }
  const server = createServer((request, response) => { respond(request, response).catch((error: unknown) => { t.fail(String(error)) }) })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => { server.close(resolve) })
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, received }
}

export const stats = (errors = 0) => ({
  productsProcessed: 10, productsCreated: 10 - errors, productsUpdated: 0, productsArchived: 0, productsSkipped: errors, errors
})

/** A service whose import runs for two looks and then ends as given. */
export function importThatEnds (end: { status: string, stats: unknown, errorDetails: unknown[] }): (request: Received) => Answer {
  let looks = 0
  return ({ method, path }) => {
    if (path === '/graphql') return { body: { data: { productImportJob: { progress: { percent: 50, linesRead: 5 } } } } }
    if (method === 'POST') return { status: 202, body: { success: true, jobId, status: 'queued', mode: 'REPLACE' } }
    if (!path.endsWith(jobId)) return { status: 404, body: { success: false, error: { code: 'NOT_FOUND', message: 'No such import job' } } }
    looks += 1
    const job = looks === 1 ? { status: 'queued', stats: null, errorDetails: [] } : looks === 2 ? { status: 'processing', stats: null, errorDetails: [] } : end
    return { body: { success: true, jobId, mode: 'REPLACE', completedAt: looks > 2 ? '2026-01-01T00:00:00.000Z' : null, ...job } }
  }
}
