import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { readPieces, type Piece } from '../../../../../src/api/graphql/limits/body-pieces.js'

const read = async (payload: Readable, { maxBytes = 1_000_000, headers = {} } = {}): Promise<Piece[]> => await new Promise((resolve, reject) => {
  readPieces({ headers } as FastifyRequest, payload, maxBytes, (error, pieces) => {
    if (error === null) resolve(pieces)
    else reject(error)
  })
})

const large = (fill: string): Buffer => Buffer.from(new Uint8Array(64 * 1_024).fill(fill.charCodeAt(0)).buffer)

t.test('what has come in large pieces is not copied', async (t) => {
  const sent = [large('a'), large('b')]
  const pieces = await read(Readable.from(sent))
  t.strictSame(pieces.map(({ buffer }) => buffer), sent.map(({ buffer }) => buffer))
})

t.test('a piece shares its memory with nothing else, so that it can be given away', async (t) => {
  const shared = Buffer.concat([large('a'), large('b')]).subarray(1_000, 50_000)
  const [piece] = await read(Readable.from([shared]))
  t.equal(piece?.buffer.byteLength, shared.length)
  t.strictSame(Buffer.from(piece ?? []), shared)
})

t.test('a body that comes byte by byte is put together, in its order', async (t) => {
  const body = Buffer.from(Array.from({ length: 40_000 }, (_, n) => n % 251))
  const pieces = await read(Readable.from([...Array.from(body, (byte) => Buffer.of(byte)), large('z'), Buffer.from('end')]))
  t.strictSame(Buffer.concat(pieces), Buffer.concat([body, large('z'), Buffer.from('end')]))
  t.ok(pieces.length < 8, String(pieces.length))
})

t.test('of a large body what comes from the socket is put together by the MiB, and its own memory is free', async (t) => {
  const sent = Array.from({ length: 64 }, (_, n) => large(String.fromCharCode(n + 40)))
  const whole = Buffer.concat(sent)
  const pieces = await read(Readable.from(sent), { maxBytes: 16 * 1_024 * 1_024 })
  t.strictSame(pieces.map(({ byteLength }) => byteLength / 1_024), [64, 64, 64, 64, 1_024, 1_024, 1_024, 768])
  t.strictSame(sent.slice(4).map(({ byteLength }) => byteLength), sent.slice(4).map(() => 0))
  t.ok(Buffer.concat(pieces).equals(whole))
})

t.test('one that is longer than it may be is refused as soon as that is seen', async (t) => {
  const payload = Readable.from([large('a'), large('b'), large('c')])
  await t.rejects(read(payload, { maxBytes: 100_000 }), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
  t.equal(payload.listenerCount('data'), 0)
})

t.test('one that says that it is longer is not read at all', async (t) => {
  const payload = Readable.from([large('a')])
  await t.rejects(read(payload, { maxBytes: 10, headers: { 'content-length': '11' } }), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
  t.equal(payload.listenerCount('data'), 0)
})

t.test('one that breaks off is told as an error of its sender', async (t) => {
  const payload = new Readable({ read () {} })
  payload.push(large('a'))
  setImmediate(() => { payload.destroy(new Error('aborted')) })
  await t.rejects(read(payload), { message: 'aborted' })
})

t.test('what has come of one that is refused is free at once, be it put together yet or not', async (t) => {
  const sent = Array.from({ length: 8 }, () => large('a'))
  await t.rejects(read(Readable.from(sent), { maxBytes: 7 * 64 * 1_024 }), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
  t.strictSame(sent.slice(0, 7).map(({ byteLength }) => byteLength), sent.slice(0, 7).map(() => 0))
})
