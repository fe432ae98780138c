/** Files are read from the server that the operator means, and from no other. */
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import t from 'tap'
import type { KeyPair } from '../../../src/sftp/key-pair.js'
import type { TrustedHostKeys } from '../../../src/sources/host-keys.js'
import { connectSftp } from '../../../src/sources/sftp-connection.js'
import { createSftpFiles, type SftpFiles } from '../../../src/sources/sftp-files.js'
import { fingerprintOfPair } from '../../support/key-fingerprint.js'
import { silent } from '../../support/log.js'
import { testFolder } from '../../support/test-folder.js'
import { startServer, type Teardown, type TestServer } from '../sftp/harness.js'
import { startProxy, type Proxy } from './sftp-proxy.js'

interface Setup { running: TestServer, proxy: Proxy, folder: string, files: (hostKeys: TrustedHostKeys) => SftpFiles }

async function setUp (t: Teardown): Promise<Setup> {
  const folder = testFolder(t)
  const running = await startServer(t, { dir: folder })
  const proxy = await startProxy(t, running.port)
  return {
    running,
    proxy,
    folder,
    files: (hostKeys) => {
      const files = createSftpFiles({
        url: `sftp://catalog-service@127.0.0.1:${proxy.port}/{vendorId}`,
        privateKeyFile: running.serviceKeyFile,
        hostKeys,
        log: silent,
        reconnect: { budgetMs: 5_000, firstDelayMs: 5, maxDelayMs: 50 }
      })
      t.teardown(async () => { await files.close() })
      return files
    }
  }
}

const makers = {
  ed25519: () => ssh2.utils.generateKeyPairSync('ed25519'),
  ecdsa: () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }),
  rsa: () => ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 })
}

/** ssh2 writes one in some hundred so that it cannot be read back (sftp/key-pair). */
function keyPair (type: keyof typeof makers): KeyPair {
  for (;;) {
    const pair = makers[type]()
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair
  }
}
const other = keyPair('ed25519')
const stranger = fingerprintOfPair(other)

t.test('a key that is among the fingerprints is accepted', async (t) => {
  const { running, files } = await setUp(t)
  await files({ fingerprints: [stranger, running.server.hostKeyFingerprint] }).ping()
})

t.test('a key that is not: told with server and fingerprint, by all operations, and not tried again', async (t) => {
  const { running, proxy, files } = await setUp(t)
  const { list, stat, ping, read, remove } = files({ fingerprints: [stranger] })
  const expected = {
    code: 'SERVICE_UNAVAILABLE',
    message: `The host key of the SFTP server 127.0.0.1:${proxy.port}, ssh-ed25519 ${running.server.hostKeyFingerprint}, is not trusted`
  }
  await t.rejects(list('acme'), expected)
  await t.rejects(stat('acme', 'a'), expected)
  await t.rejects(read('acme', 'a', { signal: new AbortController().signal }).toArray(), expected)
  await t.rejects(remove('acme', 'a'), expected)
  await t.rejects(ping(), expected)
  t.equal(proxy.connections(), 5, 'one for each')
  t.notOk(running.logged.some(({ msg }) => msg === 'SFTP login'), 'nothing was said of who asks')
})

t.test('the file that the built-in server writes has its own key, under any name and port', async (t) => {
  const { running, files } = await setUp(t)
  await files({ knownHostsFile: running.knownHostsFile }).ping()
})

t.test('a file with the key of another server', async (t) => {
  const { folder, proxy, files } = await setUp(t)
  const knownHostsFile = join(folder, 'known_hosts')
  await writeFile(knownHostsFile, `[127.0.0.1]:${proxy.port} ${other.public}\n`)
  await t.rejects(files({ knownHostsFile }).ping(), { message: /, is not trusted$/ })
})

t.test('a revoked key is refused, whatever other lines say', async (t) => {
  const { folder, running, files } = await setUp(t)
  const knownHostsFile = join(folder, 'known_hosts')
  const { hostKey } = running
  await writeFile(knownHostsFile, `* ${hostKey}\n* ${other.public}\n@revoked * ${hostKey}\n`)
  await t.rejects(files({ knownHostsFile }).ping(), { message: /, is revoked$/ })
})

for (const [what, content, message] of [
  ['nothing about the server', `elsewhere.example.com ${other.public}\n`, /has no key for \[127\.0\.0\.1\]:\d+$/],
  ['a certificate authority alone', `@cert-authority * ${other.public}\n`, /has no key for .*, only certificate authorities, which are not supported$/],
  ['a revoked key alone', `* ${other.public}\n@revoked * ${other.public}\n`, /has no key for /],
  ['a line that cannot be read', `* ${other.public}\nnonsense\n`, /known_hosts: line 2 holds no host key$/]
] as const) {
  t.test(`a file with ${what} lets nobody connect, and is not tried again`, async (t) => {
    const { folder, proxy, files } = await setUp(t)
    const knownHostsFile = join(folder, 'known_hosts')
    await writeFile(knownHostsFile, content)
    await t.rejects(files({ knownHostsFile }).list('acme'), { kind: 'fatal', message })
    t.equal(proxy.connections(), 0)
  })
}

t.test('a file is read at each connection, and waited for', async (t) => {
  const { folder, running, files } = await setUp(t)
  const knownHostsFile = join(folder, 'known_hosts')
  const listed = files({ knownHostsFile }).list('acme')
  await writeFile(knownHostsFile, `* ${running.hostKey}\n`)
  t.strictSame(await listed, [])
  await writeFile(knownHostsFile, `* ${other.public}\n`)
  await t.rejects(files({ knownHostsFile }).list('acme'), { message: /is not trusted$/ })
  await rm(knownHostsFile)
  await t.rejects(files({ knownHostsFile }).ping(), { message: 'SFTP server cannot be reached' })
})

for (const type of ['rsa', 'ecdsa', 'ed25519'] as const) {
  t.test(`a server that has several keys is asked for the one that is known: ${type}`, async (t) => {
    const pairs = { ed25519: keyPair('ed25519'), ecdsa: keyPair('ecdsa'), rsa: keyPair('rsa') }
    const server = new ssh2.Server({ hostKeys: Object.values(pairs).map((pair) => pair.private) }, (client) => {
      client.on('authentication', (context) => { context.accept() })
      client.on('session', (accept) => { accept().on('sftp', (acceptSftp) => { acceptSftp() }) })
      client.on('error', () => { /* the client has gone */ })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => { server.close() })
    const folder = testFolder(t)
    const knownHostsFile = join(folder, 'known_hosts')
    const privateKeyFile = join(folder, 'key')
    await writeFile(knownHostsFile, `* ${pairs[type].public}\n`)
    await writeFile(privateKeyFile, other.private)
    const { port } = server.address() as AddressInfo
    const connection = await connectSftp({ host: '127.0.0.1', port, user: 'me', privateKeyFile, hostKeys: { knownHostsFile }, readyTimeoutMs: 10_000, log: silent })
    connection.destroy()
  })
}
