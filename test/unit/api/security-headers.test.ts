import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify from 'fastify'
import helmet from 'helmet'
import t from 'tap'
import { ofData, securityHeaders, sendSecurityHeaders } from '../../../src/api/security-headers.js'

t.test('they are what helmet sets at a request', async (t) => {
  const set: Record<string, string> = {}
  const response = { setHeader: (name: string, value: string) => { set[name.toLowerCase()] = value }, removeHeader: () => {} }
  helmet()({} as IncomingMessage, response as unknown as ServerResponse, () => {})
  t.strictSame(securityHeaders(), set)
  t.match(set, { 'content-security-policy': /default-src 'self'/, 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' })
})

t.test('of data nothing is drawn, run or framed, read by other origins, or guessed to be something else', async (t) => {
  t.strictSame(ofData, {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': securityHeaders()['strict-transport-security'],
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY'
  })
})

t.test('every answer has those of data, of errors and unknown routes too; a route may have its own', async (t) => {
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  sendSecurityHeaders(app)
  app.get('/plain', async () => 'x')
  app.get('/broken', async () => { throw new Error('x') })
  app.get('/own', { config: { securityHeaders: securityHeaders() } }, async () => 'x')
  for (const url of ['/plain', '/broken', '/unknown']) t.match((await app.inject(url)).headers, ofData, url)
  t.match((await app.inject('/own')).headers, securityHeaders())
})
