import { EventEmitter } from 'node:events'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { whenReplied } from '../../../src/api/reply-end.js'

function exchange (): { request: FastifyRequest, reply: { raw: EventEmitter }, socket: EventEmitter & { closed: boolean } } {
  const socket = Object.assign(new EventEmitter(), { closed: false })
  return { request: { raw: { socket } } as unknown as FastifyRequest, reply: { raw: new EventEmitter() }, socket }
}

t.test('all who wait for the end of an answer are called once, whatever ends after it', async (t) => {
  const { request, reply, socket } = exchange()
  const called: string[] = []
  whenReplied(request, reply, () => { called.push('first') })
  whenReplied(request, reply, () => { called.push('second') })
  reply.raw.emit('finish')
  reply.raw.emit('close')
  socket.emit('close')
  t.strictSame(called, ['first', 'second'])
})

t.test('an answer listens once, however many wait for its end', async (t) => {
  const { request, reply, socket } = exchange()
  for (let n = 0; n < 20; n++) whenReplied(request, reply, () => {})
  t.strictSame([reply.raw.listenerCount('finish'), reply.raw.listenerCount('close'), socket.listenerCount('close')], [1, 1, 1])
})

t.test('an answer that never comes has ended with its connection', async (t) => {
  const { request, reply, socket } = exchange()
  let calls = 0
  whenReplied(request, reply, () => { calls++ })
  whenReplied(request, reply, () => { calls++ })
  socket.emit('close')
  reply.raw.emit('close')
  t.equal(calls, 2)
})

t.test('who comes when the connection has closed is called at once', async (t) => {
  const { request, reply, socket } = exchange()
  socket.closed = true
  let calls = 0
  whenReplied(request, reply, () => { calls++ })
  whenReplied(request, reply, () => { calls++ })
  t.equal(calls, 2)
})
