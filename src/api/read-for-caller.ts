/** Whatever answers a request reads for its caller (store/reads), and takes the turns of the caller's vendor. */
import type { FastifyInstance } from 'fastify'
import { asReader, type Reader } from '../store/reads/reader.js'
import { whenReplied } from './reply-end.js'

const nobodyWaits = (): boolean => true

/** For an app that has no routes yet. */
export function readForCaller (app: FastifyInstance): void {
  // Set for each request below.
  app.decorateRequest('reader', null as unknown as Reader)
  app.addHook('onRequest', (request, reply, done) => {
    const reader: Reader = { owner: null, isGone: () => reply.raw.destroyed }
    request.reader = reader
    // What is opened meanwhile keeps its reader: a connection to the database lives for hours, and would hold on to this request's body.
    whenReplied(request, reply, () => { reader.isGone = nobodyWaits })
    done()
  })
  // The last hook before the handler: those before it may go on from an event of the connection, which belongs to no request.
  app.addHook('preHandler', (request, _reply, done) => { asReader(request.reader, done) })
}
