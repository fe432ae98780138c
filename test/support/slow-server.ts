/**
 * Says that it is a MongoDB server, of whose primary nothing is wrong but its speed. Each command takes a time of its own, most of which is only
 * counted: what has a time limit below it is refused at once, as a server does after that time. As with MongoDB, the limit of a cursor is for all of
 * its batches together.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'
import type { Test } from 'tap'

export interface SlowServerOptions {
  /** How long a command is at work. */
  countedMs: number
  /** Until a command is answered. */
  waitMs?: (name: string) => number
  /** Of each cursor. */
  batches?: number
  /** Of a message, bytes: a longer one is not read to its end, nor anything after it. */
  maxReadBytes?: number
  /** To what is no read. */
  answer?: Document
  /** To everything but the driver's own commands. */
  refusal?: Document
}

export interface SlowServer {
  url: string
  /** Names of the commands that came, but for the driver's own. */
  commands: string[]
}

const [query, reply, message] = [2004, 1, 2013]
const ownCommands = new Set(['hello', 'ismaster', 'ping', 'endSessions', 'killCursors'])
const maxTimeExpired = { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' }

export async function startSlowServer (t: Test, { countedMs, waitMs = () => 0, batches = 1, maxReadBytes = Infinity, answer = { ok: 1, n: 1, nModified: 1, value: null, values: [] }, refusal }: SlowServerOptions): Promise<SlowServer> {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  /** Open cursors: what is left of their batches and of their time. */
  const cursors = new Map<number, { batches: number, ms: number }>()
  let cursorCount = 0

  function answerTo (command: Document): Document {
    const [name = '', value] = Object.entries(command)[0] ?? []
    if (/^(hello|ismaster)$/i.test(name)) {
      const here = `127.0.0.1:${port}`
      return {
        ok: 1, helloOk: true, ismaster: true, isWritablePrimary: true, setName: 'slow', hosts: [here], me: here, primary: here, minWireVersion: 0,
        maxWireVersion: 25, maxBsonObjectSize: 16 * 1024 * 1024, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000, logicalSessionTimeoutMinutes: 30
      }
    }
    if (ownCommands.has(name)) return { ok: 1 }
    commands.push(name)
    if (refusal !== undefined) return refusal
    const open = name === 'getMore' ? cursors.get(Number(value)) : undefined
    const limitMs = open?.ms ?? command['maxTimeMS'] as number | undefined ?? Infinity
    if (countedMs > limitMs) return maxTimeExpired
    if (name !== 'find' && name !== 'aggregate' && name !== 'getMore') return answer
    const left = { batches: (open?.batches ?? batches) - 1, ms: limitMs - countedMs }
    const id = left.batches === 0 ? 0 : name === 'getMore' ? Number(value) : ++cursorCount
    if (id !== 0) cursors.set(id, left)
    return { ok: 1, cursor: { id: BSON.Long.fromNumber(id), ns: 'slow.things', [name === 'getMore' ? 'nextBatch' : 'firstBatch']: [{ _id: commands.length, n: 1 }] } }
  }

  function onRequest (socket: Socket, request: Buffer): void {
    const isMessage = request.readInt32LE(12) === message
    // An OP_MSG's body is its first section; an OP_QUERY names its collection and says how many are wanted before.
    const command = BSON.deserialize(request.subarray(isMessage ? 21 : request.indexOf(0, 20) + 9), { allowObjectSmallerThanBufferSize: true })
    const answered = BSON.serialize(answerTo(command))
    const head = Buffer.alloc(isMessage ? 21 : 36)
    head.writeInt32LE(head.length + answered.length, 0)
    head.writeInt32LE(request.readInt32LE(4), 8)
    head.writeInt32LE(isMessage ? message : reply, 12)
    if (!isMessage) head.writeInt32LE(1, 32)
    setTimeout(() => { socket.write(Buffer.concat([head, answered])) }, waitMs(Object.keys(command)[0] ?? '')).unref()
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => { /* the driver's to tell */ }).once('close', () => { sockets.delete(socket) })
    let received = Buffer.alloc(0)
    socket.on('data', (data) => {
      received = Buffer.concat([received, data])
      if (received.length > maxReadBytes) socket.pause()
      for (let length; received.length >= 4 && received.length >= (length = received.readInt32LE(0)); received = received.subarray(length)) {
        const code = received.readInt32LE(12)
        if (code !== message && code !== query) throw new Error(`Nobody here knows messages of the kind ${code}`)
        onRequest(socket, received.subarray(0, length))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  })
  return { url: `mongodb://127.0.0.1:${port}/slow?replicaSet=slow`, commands }
}
