/** Strangers and merchants who mean harm over SSH: the server cuts them off and goes on serving others (docs/security.md). */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import ssh2, { type SFTPWrapper } from 'ssh2'
import t, { type Test } from 'tap'
import { fingerprintOf } from '../../src/domain/ssh-public-key.js'
import { generateEd25519KeyPair } from '../../src/sftp/key-pair.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { allowedGrowthBytes, residentBytes, stillServes } from './under-attack.js'

const service = await startServiceProcess(t, { env: { SFTP_URL: '' } })
const vendor = await createVendor(service)
await createVendor(service, 'mallory')
const [host = '', port = ''] = service.sftp.split(':')
const before = await residentBytes(service)

/** Mallory has a key of her own, and may log in. */
const pair = generateEd25519KeyPair('mallory')
const parsed = ssh2.utils.parseKey(pair.public)
if (parsed instanceof Error) throw parsed
await service.repositories().sftpKeys.add({
  _id: fingerprintOf(parsed.getPublicSSH()), vendorId: 'mallory', publicKey: pair.public, comment: '', createdAt: new Date()
})

/** As any client does: one that has not logged in yet may be the oldest of too many strangers, and is cut off as they are. */
async function uploadPatiently (name: string, tries = 5): Promise<void> {
  try {
    await vendor.upload(name, '{}\n')
  } catch (error) {
    if (tries === 1) throw error
    await uploadPatiently(name, tries - 1)
  }
}

async function serves (t: Test, during: string): Promise<void> {
  await t.resolves(uploadPatiently(`${randomBytes(4).toString('hex')}.jsonl`), `an upload: ${during}`)
  await stillServes(t, service, vendor, during)
}

async function mallory (t: Test): Promise<{ client: ssh2.Client, sftp: SFTPWrapper }> {
  const client = new ssh2.Client()
  t.teardown(() => { client.destroy() })
  client.connect({ host, port: Number(port), username: 'mallory', privateKey: pair.private })
  await once(client, 'ready')
  client.on('error', () => { /* being cut off is what she gets */ })
  const sftp = await promisify(client.sftp.bind(client))()
  sftp.on('error', () => { /* as above */ })
  return { client, sftp }
}

function dial (t: Test): Socket {
  const socket = connect(Number(port), host)
  socket.on('error', () => { /* being cut off is fine */ })
  t.teardown(() => { socket.destroy() })
  return socket
}

t.test('1,000 half-open connections', async (t) => {
  const sockets = Array.from({ length: 1_000 }, () => dial(t))
  await Promise.all(sockets.slice(0, 64).map(async (socket) => { if (socket.connecting) await once(socket, 'connect') }))
  await serves(t, 'half-open connections')
  for (const socket of sockets) socket.write('SSH-2.0-mallory\r\n')
  await serves(t, 'half-done handshakes')
})

t.test('packets that claim to be huge, and noise', async (t) => {
  const greetings = [
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(100_000)]),
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.from([0, 0, 0, 0]), Buffer.alloc(1_000)]),
    Buffer.alloc(1_000_000, 'x'),
    Buffer.from(`SSH-2.0-${'x'.repeat(100_000)}\r\n`),
    randomBytes(100_000)
  ]
  await Promise.all(greetings.map(async (greeting) => {
    const socket = dial(t)
    const closed = once(socket, 'close')
    socket.write(greeting)
    socket.resume()
    await closed
  }))
  await serves(t, 'noise')
})

t.test('an SFTP packet that claims four gigabytes', async (t) => {
  const { client, sftp } = await mallory(t)
  const closed = once(client, 'close')
  const channel = sftp as unknown as { _protocol: { channelData: (id: number, data: Buffer) => void }, outgoing: { id: number } }
  channel._protocol.channelData(channel.outgoing.id, Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 3]), Buffer.alloc(30_000)]))
  await closed
  await serves(t, 'a huge SFTP packet')
})

t.test('10,000 handles: those that are allowed open, the others do not', async (t) => {
  const { sftp } = await mallory(t)
  const open = async (n: number): Promise<boolean> => await new Promise((resolve) => {
    sftp.open(`/incoming/handle-${n}`, 'w', (error) => { resolve(error === undefined || error === null) })
  })
  const opened = await Promise.all(Array.from({ length: 10_000 }, async (_, n) => await open(n)))
  t.equal(opened.filter(Boolean).length, 64)
  await serves(t, '10,000 handles')
})

t.test('a reader who asks for much and takes nothing', async (t) => {
  const { client, sftp } = await mallory(t)
  await new Promise<void>((resolve, reject) => { sftp.writeFile('/incoming/large', Buffer.alloc(8 * 1_024 ** 2), (error) => { if (error) reject(error); else resolve() }) })
  const handle = await promisify<string, string, Buffer>(sftp.open.bind(sftp) as never)('/incoming/large', 'r')
  const socket = (client as unknown as { _sock: Socket })._sock
  for (let n = 0; n < 20_000; n++) sftp.read(handle, Buffer.alloc(16), 0, 16, n, () => { /* never waited for */ })
  socket.pause()
  await serves(t, 'a reader who takes nothing')
})

t.test('more logged-in connections than a vendor has', async (t) => {
  const logins = await Promise.allSettled(Array.from({ length: 30 }, async () => await mallory(t)))
  t.ok(logins.filter(({ status }) => status === 'fulfilled').length <= 10)
  await serves(t, 'too many connections of one vendor')
})

t.test('after all of it the memory is within bounds, and nothing was logged as broken', async (t) => {
  const growth = await residentBytes(service) - before
  t.ok(growth < allowedGrowthBytes, `${Math.round(growth / 1_024 ** 2)} MiB more`)
  t.strictSame(service.logs.filter(({ level }) => Number(level) >= 50), [])
})
