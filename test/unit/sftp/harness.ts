/** A server of the test's own on a free port, its vendors `acme` and `other`, and a client for each. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import ssh2, { type ConnectConfig, type FileEntryWithStats, type SFTPWrapper, type Stats } from 'ssh2'
import { generateEd25519KeyPair, type KeyPair } from '../../../src/sftp/key-pair.js'
import type { FindKeyOwners } from '../../../src/sftp/key-watch.js'
import type { SftpLimits } from '../../../src/sftp/limits.js'
import { createSftpServer, type SftpServer } from '../../../src/sftp/server.js'
import { fingerprintOfPair } from '../../support/key-fingerprint.js'
import { testFolder } from '../../support/test-folder.js'
import { recordingLog } from '../../support/log.js'

export type Teardown = Pick<Test, 'teardown' | 'testdir'>

export interface TestServer {
  server: SftpServer
  port: number
  rootDir: string
  serviceKeyFile: string
  /** Of the server's own clients. */
  knownHostsFile: string
  /** Type and base64. */
  hostKey: string
  keys: Record<'acme' | 'other', KeyPair>
  /** What is registered: fingerprints by vendor. */
  registered: Map<string, string>
  logged: Array<Record<string, unknown>>
  /** Every line of the log, as written. */
  logText (): string
}

export async function startServer (t: Teardown, { limits, findVendorKey, findKeyOwners, dir = testFolder(t), port = 0, hostKeyFiles }: {
  limits?: Partial<SftpLimits>
  findVendorKey?: (username: string, fingerprint: string) => Promise<boolean>
  findKeyOwners?: FindKeyOwners
  dir?: string
  port?: number
  /** Of keys that are given; one is made otherwise. */
  hostKeyFiles?: readonly string[]
} = {}): Promise<TestServer> {
  const keys = { acme: generateEd25519KeyPair('acme'), other: generateEd25519KeyPair('other') }
  const registered = new Map(Object.entries(keys).map(([vendorId, pair]) => [vendorId, fingerprintOfPair(pair)]))
  const { log, text, entries } = recordingLog()
  const rootDir = join(dir, 'files')
  const serviceKeyFile = join(dir, 'service-key')
  const knownHostsFile = join(dir, 'known-hosts')
  const server = await createSftpServer({
    host: '127.0.0.1',
    port,
    rootDir,
    hostKeys: hostKeyFiles === undefined ? { made: join(dir, 'host-key') } : { given: hostKeyFiles },
    serviceKeyFile,
    knownHostsFile,
    findVendorKey: findVendorKey ?? (async (username, fingerprint) => registered.get(username) === fingerprint),
    findKeyOwners: findKeyOwners ?? (async () => new Map([...registered].map(([vendorId, fingerprint]) => [fingerprint, vendorId]))),
    ...limits === undefined ? {} : { limits },
    log
  })
  t.teardown(async () => await server.close())
  return {
    server,
    port: server.address.port,
    rootDir,
    serviceKeyFile,
    knownHostsFile,
    hostKey: (await readFile(knownHostsFile, 'utf8')).replace(/^\S+ /, '').trim(),
    keys,
    registered,
    logged: entries,
    logText: text
  }
}

/** Logs in; rejects with ssh2's error when that fails. */
export async function login (t: Teardown, config: ConnectConfig): Promise<ssh2.Client> {
  const client = new ssh2.Client()
  t.teardown(() => client.destroy())
  client.connect({ host: '127.0.0.1', ...config })
  await new Promise<void>((resolve, reject) => {
    client.on('ready', resolve).on('error', reject).on('close', () => reject(new Error('Connection closed')))
  })
  return client
}

export interface TestClient {
  client: ssh2.Client
  raw: SFTPWrapper
  open (path: string, flags: string | number): Promise<Buffer>
  write (handle: Buffer, text: string | Buffer, position?: number): Promise<void>
  read (handle: Buffer, length?: number, position?: number): Promise<Buffer>
  close (handle: Buffer): Promise<void>
  put (path: string, content: string | Buffer): Promise<void>
  get (path: string): Promise<string>
  stat (path: string): Promise<Stats>
  lstat (path: string): Promise<Stats>
  fstat (handle: Buffer): Promise<Stats>
  opendir (path: string): Promise<Buffer>
  readdir (path: string): Promise<FileEntryWithStats[]>
  realpath (path: string): Promise<string>
  rename (from: string, to: string): Promise<void>
  unlink (path: string): Promise<void>
  mkdir (path: string): Promise<void>
  rmdir (path: string): Promise<void>
}

export async function openSftp (t: Teardown, config: ConnectConfig): Promise<TestClient> {
  const client = await login(t, config)
  const raw = await promisify(client.sftp.bind(client))()
  raw.on('error', () => {})
  return promised(client, raw)
}

export const asVendor = async (t: Teardown, { port, keys }: TestServer, vendorId: 'acme' | 'other' = 'acme'): Promise<TestClient> =>
  await openSftp(t, { port, username: vendorId, privateKey: keys[vendorId].private })

function promised (client: ssh2.Client, raw: SFTPWrapper): TestClient {
  const call = async <T> (start: (done: (error?: unknown, value?: T) => void) => void): Promise<T> =>
    await new Promise<T>((resolve, reject) => start((error, value) => {
      if (error === undefined || error === null) resolve(value as T)
      else reject(error instanceof Error ? error : new Error('SFTP request failed'))
    }))
  const one: TestClient = {
    client,
    raw,
    open: async (path, flags) => await call((done) => raw.open(path, flags as 'r', done)),
    write: async (handle, text, position = 0) => {
      const data = Buffer.from(text)
      await call((done) => raw.write(handle, data, 0, data.length, position, done))
    },
    read: async (handle, length = 1024, position = 0) => {
      const buffer = Buffer.alloc(length)
      const count = await call<number>((done) => raw.read(handle, buffer, 0, length, position, done))
      return buffer.subarray(0, count)
    },
    close: async (handle) => await call((done) => raw.close(handle, done)),
    put: async (path, content) => {
      const handle = await one.open(path, 'w')
      if (content.length > 0) await one.write(handle, content)
      await one.close(handle)
    },
    get: async (path) => {
      const handle = await one.open(path, 'r')
      const data = await one.read(handle, 1024 * 1024)
      await one.close(handle)
      return data.toString()
    },
    stat: async (path) => await call((done) => raw.stat(path, done)),
    lstat: async (path) => await call((done) => raw.lstat(path, done)),
    fstat: async (handle) => await call((done) => raw.fstat(handle, done)),
    opendir: async (path) => await call((done) => raw.opendir(path, done)),
    readdir: async (path) => await call((done) => raw.readdir(path, done)),
    realpath: async (path) => await call((done) => raw.realpath(path, done)),
    rename: async (from, to) => await call((done) => raw.rename(from, to, done)),
    unlink: async (path) => await call((done) => raw.unlink(path, done)),
    mkdir: async (path) => await call((done) => raw.mkdir(path, done)),
    rmdir: async (path) => await call((done) => raw.rmdir(path, done))
  }
  return one
}

export const status = { noSuchFile: 2, permissionDenied: 3, failure: 4, badMessage: 5, unsupported: 8 }

/** What a vendor's folder of unfinished uploads holds on the disk. */
export const unfinished = async ({ rootDir }: TestServer, vendorId = 'acme'): Promise<string[]> =>
  await readdir(join(rootDir, vendorId, '.uploading'))

/** The vendor's incoming/ on the disk, made by hand. */
export async function incomingOf ({ rootDir }: { rootDir: string }, vendorId = 'acme'): Promise<string> {
  const path = join(rootDir, vendorId, 'incoming')
  await mkdir(path, { recursive: true })
  return path
}

/** Waits for something that is about to become true, with a deadline that only a failure meets. */
export async function eventually (isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until;) {
    if (await isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('It did not become true')
}
