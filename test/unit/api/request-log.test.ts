import { request as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createRequestLog, createRequestLogs, OneLineEach, tellAborted } from '../../../src/api/request-log.js'
import { noSpan } from '../../../src/tracing/span.js'
import { recordingLog } from '../../support/log.js'

const secret = 'svc_abcdef'

function requestLog (options: { level?: string } = {}, names = {}) {
  const { log, entries, text } = recordingLog()
  return { log: createRequestLogs(log, () => ({ ...noSpan, names }))(createRequestLog(log), { reqId: 'r-1' }, options, {} as IncomingMessage), entries, text }
}

function loggingApp (t: Test, level = 'info'): { app: FastifyInstance, entries: ReturnType<typeof recordingLog>['entries'] } {
  const { log, entries } = recordingLog()
  log.level = level
  const app = Fastify({ loggerInstance: createRequestLog(log), childLoggerFactory: createRequestLogs(log, () => noSpan), logController: new OneLineEach() })
  tellAborted(app)
  t.teardown(async () => { await app.close() })
  return { app, entries }
}

t.test('each line has the names that the log was made with, and those that it was given since', async (t) => {
  const { log, entries } = requestLog()
  log.info({ a: 1 }, 'before')
  log.child({ vendorId: 'shop' }).info('after')
  t.match(entries, [{ reqId: 'r-1', a: 1, msg: 'before' }, { reqId: 'r-1', vendorId: 'shop', msg: 'after' }])
  t.notOk(Object.hasOwn(entries[0] ?? {}, 'vendorId'))
})

t.test('each line of a request that is traced names its span', async (t) => {
  const { log, entries } = requestLog({}, { trace_id: 'a', span_id: 'b' })
  log.info('one')
  log.child({ vendorId: 'shop' }).info('two')
  t.match(entries, [{ reqId: 'r-1', trace_id: 'a', span_id: 'b' }, { vendorId: 'shop', trace_id: 'a', span_id: 'b' }])
})

t.test('what a line says goes before the names', async (t) => {
  const { log, entries } = requestLog()
  log.child({ vendorId: 'shop' }).warn({ vendorId: 'another' }, 'said')
  t.equal(entries[0]?.['vendorId'], 'another')
})

t.test('an error alone is logged with its message, and so is one beside other things', async (t) => {
  const { log, entries } = requestLog()
  log.error(new Error('broke'))
  log.error({ err: new Error('broke, too') })
  t.match(entries, [{ err: { message: 'broke' }, msg: 'broke' }, { err: { message: 'broke, too' }, msg: 'broke, too' }])
})

t.test('values are put into the text', async (t) => {
  const { log, entries } = requestLog()
  log.info('%s of %d', 'one', 2)
  log.info({ a: 1 }, '%s more', 'one')
  t.match(entries, [{ msg: 'one of 2' }, { msg: 'one more' }])
})

t.test('no credential is written, wherever headers are', async (t) => {
  const headers = { 'x-vendor-api-key': secret, authorization: `Bearer ${secret}`, cookie: secret, accept: '*/*' }
  const { log, text } = requestLog()
  log.info({ headers }, 'its own')
  log.info({ request: { headers } }, 'one below')
  log.warn({ err: Object.assign(new Error('x'), { headers }) }, 'of an error')
  log.warn({ err: Object.assign(new Error('x'), { request: { headers } }) }, 'below an error')
  log.error(Object.assign(new Error('x'), { headers }))
  log.child({ vendorId: 'shop' }).info({ payload: headers }, 'a payload')
  t.notMatch(text(), secret)
  t.match(text(), /\[redacted\]/)
})

t.test('a request and an answer are no more than what is to be known of them', async (t) => {
  const { app, entries } = loggingApp(t)
  app.get('/x', async () => ({ ok: true }))
  await app.inject({ url: `/x?key=${secret}`, headers: { 'x-vendor-api-key': secret } })
  t.match(entries, [{ req: { method: 'GET', path: '/x' }, res: { statusCode: 200 }, responseTime: Number, msg: 'request completed' }])
  t.strictSame(Object.keys(entries[0]?.['req'] as object), ['method', 'path', 'ip'])
  t.strictSame(Object.keys(entries[0]?.['res'] as object), ['statusCode'])
  t.notMatch(JSON.stringify(entries), secret)
})

t.test('a request is told once, when it has been answered; that it has come only where that may be long before, or to who debugs', async (t) => {
  for (const [level, headers, messages] of [
    ['info', {}, ['request completed']],
    ['info', { upgrade: 'websocket' }, ['incoming request', 'request completed']],
    ['debug', {}, ['incoming request', 'request completed']]
  ] as const) {
    const { app, entries } = loggingApp(t, level)
    app.get('/x', async () => ({ ok: true }))
    await app.inject({ url: '/x', headers })
    t.strictSame(entries.map(({ msg }) => msg), messages)
  }
})

t.test('of a request whose client goes before it is answered it is told what was asked for', async (t) => {
  const { app, entries } = loggingApp(t)
  const told = new Promise<void>((resolve) => { app.addHook('onRequestAbort', (_request, done) => { done(); resolve() }) })
  const came = new Promise<void>((resolve) => { app.get('/x', async () => { resolve(); return await new Promise(() => {}) }) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = ask({ port: (app.server.address() as AddressInfo).port, path: '/x' }).on('error', () => {}).end()
  await came
  client.destroy()
  await told
  t.match(entries.filter(({ msg }) => msg === 'request aborted'), [{ req: { method: 'GET', path: '/x' } }])
})

t.test('a route that logs from a level on logs nothing below it, and neither does what is made of its log', async (t) => {
  const { log, entries } = requestLog({ level: 'warn' })
  log.info('no')
  log.child({ a: 1 }).info('no')
  log.warn('yes')
  log.child({ a: 1 }).error('yes')
  t.strictSame(entries.map(({ msg }) => msg), ['yes', 'yes'])
})
