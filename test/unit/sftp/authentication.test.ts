import { createConnection } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import ssh2 from 'ssh2'
import { readFile } from 'node:fs/promises'
import { generateEd25519KeyPair } from '../../../src/sftp/key-pair.js'
import { asVendor, eventually, login, openSftp, startServer } from './harness.js'

/** What ssh2's client says when no method was accepted. */
const refused = { level: 'client-authentication' } as unknown as Error

t.test('a registered ed25519 key logs its vendor in', async (t) => {
  const sftp = await asVendor(t, await startServer(t))
  t.equal(await sftp.realpath('.'), '/')
})

t.test('a key that is not registered is refused', async (t) => {
  const { port } = await startServer(t)
  await t.rejects(login(t, { port, username: 'acme', privateKey: generateEd25519KeyPair('').private }), refused)
})

t.test('another vendor\'s key is refused', async (t) => {
  const { port, keys } = await startServer(t)
  await t.rejects(login(t, { port, username: 'acme', privateKey: keys.other.private }), refused)
})

t.test('an unknown user is refused like a known one', async (t) => {
  const { port, keys } = await startServer(t)
  await t.rejects(login(t, { port, username: 'nobody', privateKey: keys.acme.private }), refused)
})

t.test('a user name that is no vendor id never reaches the look-up', async (t) => {
  const asked: string[] = []
  const { port, keys } = await startServer(t, { findVendorKey: async (username) => { asked.push(username); return true } })
  for (const username of ['../acme', 'ACME', '$gt', 'a'.repeat(64), '']) {
    await t.rejects(login(t, { port, username, privateKey: keys.acme.private }))
  }
  t.strictSame(asked, [])
})

for (const [type, options] of [['rsa', { bits: 2048 }], ['ecdsa', { bits: 256 }]] as const) {
  t.test(`an ${type} key is refused, even where the look-up would take anything`, async (t) => {
    const { port } = await startServer(t, { findVendorKey: async () => true })
    const pair = ssh2.utils.generateKeyPairSync(type as 'rsa', options)
    await t.rejects(login(t, { port, username: 'acme', privateKey: pair.private }), refused)
  })
}

t.test('passwords and keyboard-interactive are refused', async (t) => {
  const { port } = await startServer(t, { findVendorKey: async () => true })
  await t.rejects(login(t, { port, username: 'acme', password: 'secret', tryKeyboard: true }), refused)
})

t.test('a registered key without its private half does not log in', async (t) => {
  const { port, keys } = await startServer(t)
  const stranger = ssh2.utils.parseKey(generateEd25519KeyPair('').private)
  const acme = ssh2.utils.parseKey(keys.acme.public)
  if (stranger instanceof Error || acme instanceof Error) throw new Error('no key')
  // Shows acme's public key and signs with its own.
  class Forger extends ssh2.BaseAgent {
    override getIdentities (done: (error: undefined, keys: never[]) => void): void { done(undefined, [acme as never]) }
    override sign (_key: unknown, data: Buffer, ...rest: unknown[]): void {
      const done = rest.at(-1) as (error: undefined, signature: Buffer) => void
      done(undefined, (stranger as ssh2.ParsedKey).sign(data))
    }
  }
  await t.rejects(login(t, { port, username: 'acme', agent: new Forger() }), refused)
})

t.test('the service logs in with the key pair it was given', async (t) => {
  const { port, serviceKeyFile } = await startServer(t)
  const sftp = await openSftp(t, { port, username: 'catalog-service', privateKey: await readFile(serviceKeyFile) })
  t.equal(await sftp.realpath('.'), '/')
})

t.test('no vendor key opens the service\'s user, not even one registered under its name', async (t) => {
  const { port, keys } = await startServer(t, { findVendorKey: async () => true })
  await t.rejects(login(t, { port, username: 'catalog-service', privateKey: keys.acme.private }), refused)
})

t.test('a look-up that fails refuses, and the server lives on', async (t) => {
  let isAway = true
  const { port, keys } = await startServer(t, { findVendorKey: async () => { if (isAway) throw new Error('database away'); return true } })
  await t.rejects(login(t, { port, username: 'acme', privateKey: keys.acme.private }), refused)
  isAway = false
  await login(t, { port, username: 'acme', privateKey: keys.acme.private })
})

t.test('too many attempts end the connection', async (t) => {
  const { port } = await startServer(t, { limits: { maxAuthAttempts: 3 } })
  let offered = 0
  await t.rejects(login(t, {
    port,
    username: 'acme',
    authHandler: ((_left: unknown, _partial: unknown, next: (method: unknown) => void) => {
      offered++
      next(offered > 50 ? false : { type: 'password', username: 'acme', password: 'x' })
    }) as never
  }))
  t.ok(offered <= 4, `${offered} attempts`)
})

t.test('a connection that does not log in is cut off', async (t) => {
  const { port } = await startServer(t, { limits: { authTimeoutMs: 50 } })
  const socket = createConnection({ host: '127.0.0.1', port })
  t.teardown(() => socket.destroy())
  socket.resume()
  await once(socket, 'close')
})

t.test('the oldest stranger goes when there are too many', async (t) => {
  const { port } = await startServer(t, { limits: { maxHandshakes: 1 } })
  const first = createConnection({ host: '127.0.0.1', port })
  t.teardown(() => first.destroy())
  first.resume()
  await once(first, 'data')
  const second = createConnection({ host: '127.0.0.1', port })
  t.teardown(() => second.destroy())
  await Promise.all([once(first, 'close'), once(second, 'data')])
})

t.test('a vendor\'s connections are counted, and free their place when they end', async (t) => {
  const running = await startServer(t, { limits: { maxConnectionsPerVendor: 1 } })
  const first = await asVendor(t, running)
  await t.rejects(asVendor(t, running))
  await asVendor(t, running, 'other')
  first.client.end()
  await eventually(async () => await asVendor(t, running).then(() => true, () => false))
})

t.test('garbage instead of SSH ends that connection only', async (t) => {
  const running = await startServer(t)
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'SSH-2.0-x\r\n' + '\xff'.repeat(64), '\0'.repeat(100_000)]) {
    const socket = createConnection({ host: '127.0.0.1', port: running.port })
    socket.on('error', () => {})
    t.teardown(() => socket.destroy())
    socket.resume()
    socket.write(bytes, 'latin1')
    await once(socket, 'close')
  }
  await asVendor(t, running)
})

t.test('the log tells of logins and refusals, and holds no key', async (t) => {
  const running = await startServer(t)
  await asVendor(t, running)
  await t.rejects(login(t, { port: running.port, username: 'acme', privateKey: running.keys.other.private }))
  t.match(running.logged.find(({ msg }) => msg === 'SFTP login'), { level: 30, vendorId: 'acme', remoteAddress: '127.0.0.1', connectionId: String })
  t.match(running.logged.find(({ msg }) => msg === 'SFTP login refused'), { level: 30, user: 'acme' })
  const [, blob = ''] = running.keys.acme.public.split(' ')
  t.notOk(running.logText().includes(blob))
})

t.test('shells, commands and forwarding are refused', async (t) => {
  const { port, keys } = await startServer(t)
  const client = await login(t, { port, username: 'acme', privateKey: keys.acme.private })
  await t.rejects(new Promise((resolve, reject) => client.exec('id', (error) => error === undefined ? resolve(0) : reject(error))))
  await t.rejects(new Promise((resolve, reject) => client.shell((error) => error === undefined ? resolve(0) : reject(error))))
  await t.rejects(new Promise((resolve, reject) => client.forwardIn('127.0.0.1', 0, (error) => error === undefined ? resolve(0) : reject(error))))
  await t.rejects(new Promise((resolve, reject) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, (error) => error === undefined ? resolve(0) : reject(error))))
})
