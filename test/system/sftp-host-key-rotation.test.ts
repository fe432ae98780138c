/** One host key takes the other's place, and OpenSSH's client is told before: it knows the next key while the former is shown. Skipped where that client is not installed. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ssh2 from 'ssh2'
import t, { type Test } from 'tap'
import { generateEd25519KeyPair, type KeyPair } from '../../src/sftp/key-pair.js'
import { testFolder } from '../support/test-folder.js'
import { login, startServer, type TestServer } from '../unit/sftp/harness.js'

const skip = spawnSync('sftp', ['-?']).error === undefined ? {} : { skip: 'OpenSSH\'s client is not installed' }

const publicHalf = (pair: KeyPair): string => pair.public.split(' ').slice(0, 2).join(' ')

async function keyFile (folder: string, name: string): Promise<{ pair: KeyPair, file: string }> {
  const pair = generateEd25519KeyPair(name)
  const file = join(folder, name)
  await writeFile(file, pair.private, { mode: 0o600 })
  return { pair, file }
}

interface Client {
  /** Keys that it believes to be the server's. */
  believes (): Promise<string[]>
  /** Lists a folder; rejects where the server shows a key that is not believed. */
  connect (server: TestServer): Promise<unknown>
}

/** The same files each time: `startServer` by itself takes the test's one folder, and empties it. */
const serve = async (t: Test, folder: string, options: { port?: number, hostKeyFiles: string[] }): Promise<TestServer> => await startServer(t, { ...options, dir: await mkdtemp(join(folder, 'server-')) })

/** One that has been told a key by hand, and, as OpenSSH's is by itself, takes what the server announces; or one that does not. */
async function client (parent: string, { port, key, learns = true }: { port: number, key: KeyPair, learns?: boolean }): Promise<Client> {
  const folder = await mkdtemp(join(parent, 'client-'))
  const [known, identity, batch] = [join(folder, 'known_hosts'), join(folder, 'identity'), join(folder, 'batch')]
  await writeFile(known, `[127.0.0.1]:${port} ${publicHalf(key)}\n`)
  await writeFile(batch, 'ls incoming')
  const options = ['-P', String(port), '-i', identity, '-F', 'none', ...['IdentitiesOnly=yes', 'BatchMode=yes', 'StrictHostKeyChecking=yes', `UpdateHostKeys=${learns ? 'yes' : 'no'}`, `UserKnownHostsFile=${known}`, 'GlobalKnownHostsFile=none'].flatMap((option) => ['-o', option])]
  return {
    believes: async () => (await readFile(known, 'utf8')).trim().split('\n').map((entry) => entry.split(' ').slice(1, 3).join(' ')).sort(),
    async connect ({ keys }) {
      await writeFile(identity, keys.acme.private, { mode: 0o600 })
      return await promisify(execFile)('sftp', [...options, '-b', batch, 'acme@127.0.0.1'])
    }
  }
}

t.test('a client that has connected while both keys were given goes on with the next one, and forgets the former', { ...skip, timeout: 120_000 }, async (t) => {
  const folder = testFolder(t)
  const [former, next] = [await keyFile(folder, 'former'), await keyFile(folder, 'next')]
  const during = await serve(t, folder, { hostKeyFiles: [former.file, next.file] })
  const { port } = during
  const [ours, stranger] = [await client(folder, { port, key: former.pair }), await client(folder, { port, key: next.pair })]
  await ours.connect(during)
  t.strictSame(await ours.believes(), [former, next].map(({ pair }) => publicHalf(pair)).sort())
  await t.rejects(stranger.connect(during), { message: /host key/i }, 'the former is still shown')
  await during.server.close()

  const turned = await serve(t, folder, { port, hostKeyFiles: [next.file, former.file] })
  await ours.connect(turned)
  await stranger.connect(turned)
  const late = await client(folder, { port, key: former.pair, learns: false })
  await t.rejects(late.connect(turned), { message: /host key/i }, 'who was told nothing sees another key')
  await turned.server.close()

  const after = await serve(t, folder, { port, hostKeyFiles: [next.file] })
  await ours.connect(after)
  t.strictSame(await ours.believes(), [publicHalf(next.pair)])
})

/** What an ssh2 client has and does not document: it asks for proofs of the announced keys by itself, of servers of every kind where it is told to. */
interface ClientInternals {
  _callbacks: Array<(refused: unknown) => void>
  _protocol: { openssh_hostKeysProve (keys: ssh2.ParsedKey[]): void }
}

t.test('what is announced is what the server has, proved once; keys that it does not have are not, and the connection goes on', async (t) => {
  const folder = testFolder(t)
  const [former, next, foreign] = [await keyFile(folder, 'former'), await keyFile(folder, 'next'), generateEd25519KeyPair('foreign')]
  const server = await serve(t, folder, { hostKeyFiles: [former.file, next.file] })
  const credentials = { host: '127.0.0.1', port: server.port, username: 'acme', privateKey: server.keys.acme.private }
  const told = new ssh2.Client()
  t.teardown(() => told.destroy())
  const announced = new Promise<ssh2.ParsedKey[]>((resolve) => { told.on('hostkeys', resolve) })
  told.connect({ ...credentials, strictVendor: false })
  t.strictSame((await announced).map((key) => `${key.type} ${key.getPublicSSH().toString('base64')}`), [former, next].map(({ pair }) => publicHalf(pair)))

  const client = await login(t, credentials)
  const { _callbacks: callbacks, _protocol: protocol } = client as unknown as ClientInternals
  const asked = async (...pairs: KeyPair[]): Promise<'proved' | 'refused'> => await new Promise((resolve) => {
    callbacks.push((refused) => { resolve(refused ? 'refused' : 'proved') })
    protocol.openssh_hostKeysProve(pairs.map((pair) => ssh2.utils.parseKey(pair.public) as ssh2.ParsedKey))
  })
  t.equal(await asked(former.pair, foreign), 'refused')
  t.equal(await asked(former.pair), 'refused', 'it has been asked once')
  const sftp = await new Promise<ssh2.SFTPWrapper>((resolve, reject) => { client.sftp((error, opened) => { if (error) reject(error); else resolve(opened) }) })
  t.ok(await new Promise<ssh2.Stats>((resolve, reject) => { sftp.stat('incoming', (error, stats) => { if (error) reject(error); else resolve(stats) }) }))
})
