/**
 * A MongoDB that is logged in to by certificate (MONGODB-X509), over TLS, and known by a name. No server that is to be had here has such logins; so this one asks for them, in MongoDB's wire
 * protocol, and hands all that comes after to a real one behind it.
 */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { BSON, type Document } from 'mongodb'

export interface X509Mongodb {
  port: number
  /** Subjects of those that have logged in, one for each connection. */
  logins: string[]
  close (): Promise<void>
}

export interface X509MongodbOptions {
  /** The server behind it, `host:port`. */
  behind: string
  /** In front, what clients are told that its name is. */
  host: string
  caFile: string
  keyFile: string
  certificateFile: string
  /** Subjects of certificates, as `CN=catalog`. */
  users: readonly string[]
}

const opReply = 1
const opQuery = 2004
const opMsg = 2013
const headerBytes = 16
/** Of any answer that says who the server is. */
const maxHelloBytes = 8_192
const withoutLogin = new Set(['hello', 'ismaster', 'isMaster', 'authenticate', 'endSessions'])

export async function startX509Mongodb ({ behind, host, caFile, keyFile, certificateFile, users }: X509MongodbOptions): Promise<X509Mongodb> {
  const [ca, key, cert] = await Promise.all([caFile, keyFile, certificateFile].map(async (file) => await readFile(file)))
  const logins: string[] = []
  const open = new Set<TLSSocket>()
  const server = createServer({ ca, key, cert, requestCert: true, rejectUnauthorized: true } as object, (client) => {
    open.add(client)
    client.on('close', () => { open.delete(client) })
    serve(client)
  })
  server.on('tlsClientError', () => { /* its client says what it is */ })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  function serve (client: TLSSocket): void {
    const [name = '', portBehind = ''] = behind.split(':')
    const real = connect({ host: name, port: Number(portBehind) })
    joinEnds(client, real)
    const subject = new X509Certificate(client.getPeerCertificate().raw).subject
    let isLoggedIn = false

    /** What is answered here; null: it is the real server's. */
    function answer (command: Document): Document | null {
      const what = Object.keys(command)[0] ?? ''
      if (what === 'authenticate') {
        const isRight = command['mechanism'] === 'MONGODB-X509' && command['$db'] === '$external' && (command['user'] ?? subject) === subject && users.includes(subject)
        if (!isRight) return { ok: 0, errmsg: 'Authentication failed.', code: 18, codeName: 'AuthenticationFailed' }
        isLoggedIn = true
        logins.push(subject)
        return { dbname: '$external', user: subject, ok: 1 }
      }
      if (isLoggedIn || withoutLogin.has(what)) return null
      return { ok: 0, errmsg: `Command ${what} requires authentication`, code: 13, codeName: 'Unauthorized' }
    }

    onMessages(client, (message) => {
      const opCode = message.readInt32LE(12)
      if (opCode === opQuery) {
        real.write(withoutLoginInHello(message))
        return
      }
      const answered = opCode === opMsg ? answer(commandOf(message)) : null
      if (answered === null) real.write(message)
      else client.write(messageOf(answered, message.readInt32LE(4)))
    })
    onMessages(real, (message) => { client.write(message.length > maxHelloBytes ? message : withName(message, `${host}:${port}`)) })
  }

  return {
    port,
    logins,
    async close () {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    }
  }
}

function joinEnds (one: Socket, other: Socket): void {
  for (const [socket, peer] of [[one, other], [other, one]] as const) {
    socket.on('error', () => { /* both end */ })
    socket.on('close', () => { peer.destroy() })
  }
}

/** Whole messages, each of which begins with its length. */
function onMessages (socket: Socket, onMessage: (message: Buffer) => void): void {
  let pieces: Buffer[] = []
  let bytes = 0
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece)
    bytes += piece.length
    while (bytes >= 4) {
      // Large messages come in many pieces: they are put together once they are there.
      if (pieces[0] !== undefined && pieces[0].length < 4) pieces = [Buffer.concat(pieces)]
      const length = (pieces[0] as Buffer).readInt32LE(0)
      if (bytes < length) return
      const all = pieces.length === 1 ? pieces[0] as Buffer : Buffer.concat(pieces)
      onMessage(all.subarray(0, length))
      const rest = all.subarray(length)
      pieces = rest.length === 0 ? [] : [rest]
      bytes = rest.length
    }
  })
}

/** Of OP_MSG: behind flags and the kind of the first section, which is the command. */
const documentAt = (message: Buffer, offset: number): Document => BSON.deserialize(message.subarray(offset, offset + message.readInt32LE(offset)))
const commandOf = (message: Buffer): Document => documentAt(message, headerBytes + 5)

function framed (opCode: number, requestId: number, responseTo: number, ...parts: Uint8Array[]): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeInt32LE(headerBytes + parts.reduce((sum, part) => sum + part.length, 0), 0)
  header.writeInt32LE(requestId, 4)
  header.writeInt32LE(responseTo, 8)
  header.writeInt32LE(opCode, 12)
  return Buffer.concat([header, ...parts])
}

const messageOf = (document: Document, responseTo: number, flags: Uint8Array = Buffer.alloc(4), requestId = 0): Buffer =>
  framed(opMsg, requestId, responseTo, flags, Buffer.from([0]), BSON.serialize(document))

/** The first message of a connection may hold a login already; who does not take it there is sent one afterwards. */
function withoutLoginInHello (message: Buffer): Buffer {
  const at = message.indexOf(0, headerBytes + 4) + 1 + 8
  const { speculativeAuthenticate, ...hello } = documentAt(message, at)
  return speculativeAuthenticate === undefined ? message : framed(opQuery, message.readInt32LE(4), message.readInt32LE(8), message.subarray(headerBytes, at), BSON.serialize(hello))
}

/** A member says at which address the set knows it. */
function withName (message: Buffer, name: string): Buffer {
  const opCode = message.readInt32LE(12)
  if (opCode !== opReply && opCode !== opMsg) return message
  const at = headerBytes + (opCode === opReply ? 20 : 5)
  const answer = documentAt(message, at)
  if (answer['setName'] === undefined || answer['hosts'] === undefined) return message
  const renamed = { ...answer, hosts: [name], me: name, ...answer['primary'] === undefined ? {} : { primary: name } }
  if (opCode === opMsg) return messageOf(renamed, message.readInt32LE(8), message.subarray(headerBytes, headerBytes + 4), message.readInt32LE(4))
  return framed(opReply, message.readInt32LE(4), message.readInt32LE(8), message.subarray(headerBytes, at), BSON.serialize(renamed))
}
