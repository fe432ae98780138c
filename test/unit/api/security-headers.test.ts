import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify from 'fastify'
import helmet from 'helmet'
import t from 'tap'
import { securityHeaders, sendSecurityHeaders } from '../../../src/api/security-headers.js'

t.test('they are what helmet sets at a request', async (t) => {
  const set: Record<string, string> = {}
  const response = { setHeader: (name: string, value: string) => { set[name.toLowerCase()] = value }, removeHeader: () => {} }
  helmet()({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  t.strictSame(securityHeaders(), set)
  t.match(set, { 'content-security-policy': /default-src 'self'/, 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' })
})

t.test('every answer has them, of errors and unknown routes too; a route may have its own', async (t) => {
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  sendSecurityHeaders(app)
  app.get('/plain', async () => 'x')
  app.get('/broken', async () => { throw new Error('x') })
  app.get('/own', { config: { securityHeaders: securityHeaders({ frameguard: { action: 'deny' } }) } }, async () => 'x')
  for (const url of ['/plain', '/broken', '/unknown']) t.match((await app.inject(url)).headers, securityHeaders(), url)
  t.equal((await app.inject('/own')).headers['x-frame-options'], 'DENY')
  t.equal((await app.inject('/plain')).headers['x-frame-options'], 'SAMEORIGIN')
})
