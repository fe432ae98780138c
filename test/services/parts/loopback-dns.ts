/** A DNS server of the test on loopback: SRV and TXT of names that it is told, and of no others. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface LoopbackDns {
  /** `host:port` */
  address: string
  /** By name, as `_mongodb._tcp.cluster.example.test`. May be changed. */
  srv: Map<string, { port: number, target: string }>
  txt: Map<string, string>
  close (): Promise<void>
}

const types = { txt: 16, srv: 33 }
const headerBytes = 12
/** Behind the question's name: its type and class. */
const questionTailBytes = 4
const internet = 1
const noSuchName = 3

export async function startLoopbackDns (): Promise<LoopbackDns> {
  const srv: LoopbackDns['srv'] = new Map()
  const txt: LoopbackDns['txt'] = new Map()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => { socket.send(answerTo(query, srv, txt), from.port, from.address) })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    srv,
    txt,
    async close () {
      socket.close()
      await once(socket, 'close')
    }
  }
}

/** RFC 1035, 4; RFC 2782. */
function answerTo (query: Buffer, srv: LoopbackDns['srv'], txt: LoopbackDns['txt']): Buffer {
  const { name, end } = readName(query)
  const type = query.readUInt16BE(end)
  const data = type === types.srv ? srvData(srv.get(name)) : type === types.txt ? txtData(txt.get(name)) : null
  const isKnown = data !== null || srv.has(name) || txt.has(name)
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  // An answer, recursion wanted and available.
  header.writeUInt16BE(0x8180 | (isKnown ? 0 : noSuchName), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(data === null ? 0 : 1, 6)
  return Buffer.concat([header, query.subarray(headerBytes, end + questionTailBytes), ...data === null ? [] : [recordOf(type, data)]])
}

/** Its name is that of the question. */
function recordOf (type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xC000 | headerBytes, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(internet, 4)
  // Time to live: none.
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function srvData (record: { port: number, target: string } | undefined): Buffer | null {
  if (record === undefined) return null
  // Priority and weight are 0.
  const numbers = Buffer.alloc(6)
  numbers.writeUInt16BE(record.port, 4)
  return Buffer.concat([numbers, ...record.target.split('.').map(lengthAndText), Buffer.from([0])])
}

const txtData = (text: string | undefined): Buffer | null => text === undefined ? null : lengthAndText(text)
const lengthAndText = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])

function readName (query: Buffer): { name: string, end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}
