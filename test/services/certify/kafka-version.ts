/**
 * Which Kafka a broker is. Clients are told no version; the nearest is the level of `metadata.version` that a cluster has been brought to, which a broker adds to its answer to ApiVersions
 * (KIP-584), and gives before any login.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { KafkaConfig } from '../../../src/kafka/kafka-config.js'
import { readKafkaFiles } from '../../../src/kafka/kafka-files.js'

/** From which level on it is which version (Kafka's MetadataVersion). */
const versions: ReadonlyArray<readonly [level: number, version: string]> = [[7, '3.3'], [8, '3.4'], [9, '3.5'], [12, '3.6'], [15, '3.7'], [20, '3.8'], [21, '3.9'], [22, '4.0'], [26, '4.1']]
const lastKnownLevel = 27
const timeoutMs = 5_000
const apiVersionsKey = 18
const maxAnswerBytes = 1024 * 1024
const finalizedFeaturesTag = 2

export async function kafkaVersion (config: KafkaConfig): Promise<string> {
  const level = await ask(config).then(levelIn, () => undefined)
  if (level === undefined) return 'not told'
  const version = versions.findLast(([from]) => level >= from)?.[1]
  return `metadata.version ${level}${version === undefined ? '' : level > lastKnownLevel ? `, newer than ${version}` : `, that of ${version}`}`
}

async function ask (config: KafkaConfig): Promise<Buffer> {
  const [address = ''] = (config.brokers ?? '').split(',')
  const colon = address.lastIndexOf(':')
  const [host, port] = [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))]
  const { ca, certificate, key } = await readKafkaFiles(config)
  const socket: Socket = config.protocol.endsWith('ssl')
    ? connectTls({ host, port, ...isIP(host) === 0 ? { servername: host } : {}, ...ca === '' ? {} : { ca }, ...certificate === '' ? {} : { cert: certificate, key } })
    : connectTcp({ host, port })
  try {
    return await new Promise((resolve, reject) => {
      let received = Buffer.alloc(0)
      socket.setTimeout(timeoutMs, () => { reject(new Error('no answer')) })
      socket.once('error', reject).once('close', () => { reject(new Error('closed')) })
      socket.on('data', (piece: Buffer) => {
        received = Buffer.concat([received, piece])
        const length = received.length < 4 ? Infinity : received.readInt32BE(0)
        if (received.length >= 4 + length) resolve(received.subarray(4, 4 + length))
        else if (received.length > maxAnswerBytes) reject(new Error('not an answer of Kafka\'s'))
      })
      socket.write(apiVersionsRequest())
    })
  } finally {
    socket.destroy()
  }
}

/** Version 3: a compact string is one longer than its bytes, tags end with a zero. */
function apiVersionsRequest (): Buffer {
  const compact = (text: string): Buffer => Buffer.from([text.length + 1, ...Buffer.from(text)])
  const header = Buffer.from([0, apiVersionsKey, 0, 3, 0, 0, 0, 1, 0xFF, 0xFF, 0])
  const body = Buffer.concat([header, compact('catalog-certify'), compact('1'), Buffer.from([0])])
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** Throws RangeError where it is cut off. */
function levelIn (answer: Buffer): number | undefined {
  let at = 4
  const int16 = (): number => answer.readInt16BE((at += 2) - 2)
  const varint = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = answer.readUInt8(at++)
      value |= (byte & 0x7F) << shift
      if (byte < 0x80) return value
    }
  }
  const skipTags = (): void => {
    for (let left = varint(); left > 0; left--) {
      varint()
      const length = varint()
      at += length
    }
  }
  const compactString = (): string => {
    const length = varint() - 1
    return answer.toString('utf8', at, (at += length))
  }
  if (int16() !== 0) return undefined
  for (let left = varint() - 1; left > 0; left--) {
    at += 6
    skipTags()
  }
  at += 4
  for (let left = varint(); left > 0; left--) {
    const tag = varint()
    const end = varint() + at
    if (tag === finalizedFeaturesTag) {
      for (let features = varint() - 1; features > 0; features--) {
        const name = compactString()
        const level = int16()
        if (name === 'metadata.version') return level
        int16()
        skipTags()
      }
    }
    at = end
  }
  return undefined
}
