/**
 * The service as it runs in production: a process of its own, on a DATA_DIR of its own and free ports. It can be killed
 * and started again on what it has left behind.
 *
 * `TEST_MONGODB_URL`, `TEST_KAFKA_BROKERS` and `TEST_SFTP_URL` (with what belongs to it) put real servers in the place of the
 * embedded ones (`test/services/certify`, which says how they are handed on). Each service has a database and a folder of its own there; a Kafka is shared, topic and group included, so with
 * a real one services must not run side by side: a hint could end with a service that has another database. A test that is about
 * an embedded part asks for it with an empty `MONGODB_URL`, `KAFKA_BROKERS` or `SFTP_URL`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { isRunning, type ProcessIdentity } from '../../src/embedded/process-identity.js'
import { openDatabase, type Database } from '../../src/store/database/connection.js'
import { createRepositories, type Repositories } from '../../src/store/repositories.js'
import { eventually } from './eventually.js'
import { createIncoming } from './incoming.js'
import { givenServiceEnvironment, ownDatabaseName } from './own-names.js'
import { recordedEnvironment } from './recorded-environment.js'
import { makeRemoteFolders, removeRemoteFile, removeRemoteFolder, sftpLoginOf, writeRemoteFile, type SftpLogin } from './remote-files.js'
import { serviceFlags, workerFlags } from './service-flags.js'

export interface Exit { code: number | null, signal: NodeJS.Signals | null }

export interface ServiceProcess {
  readonly url: string
  /** `host:port` */
  readonly sftp: string
  readonly mongodbUrl: string
  /** `host:port` */
  readonly kafka: string
  readonly pid: number
  readonly dataDir: string
  /** Where a vendor's files lie, built in or not; made when it is not there. Rejects where that is no folder of this machine. */
  incoming (vendorId: string): Promise<string>
  /** Into it, wherever it is, by another way than a merchant's. Gives the file's path there. */
  putFile (vendorId: string, name: string, content: string | Buffer): Promise<string>
  removeFile (vendorId: string, name: string): Promise<void>
  /** Everything that the service has logged, over all its starts. */
  readonly logs: ReadonlyArray<Record<string, unknown>>
  /** What it has printed that is no log: on stderr, or before it could log. */
  readonly output: string
  /** The database that the service uses, seen from outside of it. Asked for again after a restart: the address may be new. */
  database (): Database
  repositories (): Repositories
  /** SIGKILL: nothing is drained, nothing is cleaned up. */
  kill9 (): Promise<void>
  /** SIGTERM. */
  terminate (): Promise<Exit>
  /** After either: again, on the same DATA_DIR and the same database. */
  start (): Promise<void>
}

export interface ServiceProcessOptions {
  /** Above what the support chooses. */
  env?: NodeJS.ProcessEnv
  /** A database to use instead of a new one at `TEST_MONGODB_URL`; null: the embedded one, whatever that says. */
  mongodbUrl?: string | null
  /** An SFTP server to use instead of the one at `TEST_SFTP_URL`, or the built-in one. */
  files?: GivenFiles
  /** Puts something under (a folder of) the DATA_DIR before anything is there, and gives what takes it away again. */
  mount?: (dataDir: string) => Promise<() => Promise<void>>
}

/** How the service is told of an SFTP server, and the folder that has its vendors' folders: on this machine, or as seen over SFTP. */
export type GivenFiles = LocalFiles | RemoteFiles
export interface LocalFiles { env: NodeJS.ProcessEnv, root: string }
interface RemoteFiles { env: NodeJS.ProcessEnv, remote: { login: SftpLogin, root: string } }

interface Running {
  child: ChildProcess
  exited: Promise<Exit>
  ready: ReadyLine
}

interface ReadyLine { ready: true, url: string, sftp: string, mongodb: string, kafka: string }

/** A first start may have to fetch the embedded database. */
const startTimeoutMs = 120_000
/** Longer than the service allows itself. */
const exitTimeoutMs = 60_000

/** What a service is given to choose from; what the test process has been given beyond that is none of its business. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'XDG_CACHE_HOME', 'LD_LIBRARY_PATH', 'EMBEDDED_MONGO']

export const serveProgram = fileURLToPath(new URL('../../src/bin/serve.js', import.meta.url))

export function serviceEnvironment (dataDir: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kafkaBrokers = process.env['TEST_KAFKA_BROKERS']
  return recordedEnvironment({
    ...Object.fromEntries(inherited.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]])),
    PORT: '0',
    SFTP_PORT: '0',
    DATA_DIR: dataDir,
    MIGRATE: 'auto',
    // What goes with a Kafka that was given means nothing to another one.
    ...kafkaBrokers === undefined || env['KAFKA_BROKERS'] !== undefined ? {} : { ...givenServiceEnvironment(), KAFKA_BROKERS: kafkaBrokers },
    ...env
  })
}

/** Starts a service and waits until it is ready. Ended, by its pid, in the teardown. */
export async function startServiceProcess (t: Test, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
  const dataDir = await dataDirectory(t, options.mount)
  const given = options.mongodbUrl === undefined ? ownDatabase() : options.mongodbUrl ?? undefined
  const files = options.files ?? (options.env?.['SFTP_URL'] === undefined ? await givenFiles(t) : undefined)
  const env = serviceEnvironment(dataDir, { ...given === undefined ? {} : { MONGODB_URL: given }, ...files?.env, ...options.env })
  const logs: Array<Record<string, unknown>> = []
  const databases = new Map<string, Database>()
  let output = ''
  let running: Running

  async function start (): Promise<void> {
    const flags = env['ROLES'] === 'worker' ? workerFlags : serviceFlags
    const child = spawn(process.execPath, [...flags, serveProgram], { env, cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = (once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => ({ code, signal }))
    child.stderr.on('data', (piece: Buffer) => { output += piece.toString() })
    const ready = new Promise<ReadyLine>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const record = parseRecord(line)
        if (record === null) output += `${line}\n`
        else logs.push(record)
        if (record?.['ready'] === true) resolve(record as unknown as ReadyLine)
      })
    })
    t.teardown(async () => { await end(child, exited) })
    const ended = exited.then(({ code, signal }) => { throw new Error(`The service ended with ${String(code ?? signal)}: ${tail()}`) })
    running = {
      child,
      exited,
      ready: await within(startTimeoutMs, Promise.race([ready, ended]), () => `The service did not become ready: ${tail()}`)
    }
  }

  const tail = (): string => `${output}\n${logs.slice(-10).map((record) => JSON.stringify(record)).join('\n')}`

  // The ready line leaves credentials out.
  const mongodbUrl = (): string => given ?? running.ready.mongodb

  function database (): Database {
    const url = mongodbUrl()
    const known = databases.get(url)
    if (known !== undefined) return known
    const opened = openDatabase(url, { appName: 'catalog-test' })
    databases.set(url, opened)
    t.teardown(async () => { await opened.close() })
    return opened
  }

  async function incoming (vendorId: string): Promise<string> {
    if (files !== undefined && 'remote' in files) throw new Error('Files are on an SFTP server elsewhere, whose folders are not to be seen here')
    if (files !== undefined) return await createIncoming(files.root, vendorId)
    const folder = join(dataDir, 'sftp', 'vendors', vendorId, 'incoming')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return folder
  }
  const remotely = (vendorId: string, name: string): { login: SftpLogin, path: string } | null =>
    files !== undefined && 'remote' in files ? { login: files.remote.login, path: posix.join(files.remote.root, vendorId, 'incoming', name) } : null

  if (given !== undefined && options.mongodbUrl === undefined) {
    t.teardown(async () => {
      const opened = openDatabase(given, { appName: 'catalog-test' })
      await opened.db.dropDatabase()
      await opened.close()
    })
  }
  await start()
  return {
    get url () { return running.ready.url },
    get sftp () { return running.ready.sftp },
    get mongodbUrl () { return mongodbUrl() },
    get kafka () { return running.ready.kafka },
    get pid () { return running.child.pid as number },
    dataDir,
    incoming,
    async putFile (vendorId, name, content) {
      const remote = remotely(vendorId, name)
      if (remote === null) {
        const path = join(await incoming(vendorId), name)
        await writeFile(path, content)
        return path
      }
      await makeRemoteFolders(remote.login, dirname(remote.path))
      await writeRemoteFile(remote.login, remote.path, content)
      return remote.path
    },
    async removeFile (vendorId, name) {
      const remote = remotely(vendorId, name)
      if (remote === null) await rm(join(await incoming(vendorId), name))
      else await removeRemoteFile(remote.login, remote.path)
    },
    logs,
    get output () { return output },
    database,
    repositories: () => createRepositories(database()),
    async kill9 () {
      running.child.kill('SIGKILL')
      await running.exited
    },
    async terminate () {
      running.child.kill('SIGTERM')
      return await within(exitTimeoutMs, running.exited, () => `The service did not end: ${tail()}`)
    },
    start
  }
}

/**
 * A folder of the service's own on the SFTP server of `TEST_SFTP_URL`, which is known by `TEST_SFTP_KNOWN_HOSTS_FILE` or `TEST_SFTP_HOST_KEY_FINGERPRINT`. `TEST_SFTP_ROOT` is where the folder
 * that the URL leads to is on this machine; without it files go over SFTP.
 */
export async function givenFiles (t: Test): Promise<GivenFiles | undefined> {
  const variable = (name: string): string | undefined => process.env[`TEST_${name}`]
  const [url, parent] = [variable('SFTP_URL'), variable('SFTP_ROOT')]
  if (url === undefined) return undefined
  const name = `service_${randomBytes(6).toString('hex')}`
  const names = ['SFTP_PRIVATE_KEY_FILE', 'SFTP_KNOWN_HOSTS_FILE', 'SFTP_HOST_KEY_FINGERPRINT']
  const env = { ...Object.fromEntries(names.map((each) => [each, variable(each)])), SFTP_URL: url.replace('/{vendorId}', `/${name}/{vendorId}`) }
  if (parent !== undefined) {
    const root = join(parent, name)
    t.teardown(async () => { await rm(root, { recursive: true, force: true }) })
    return { env, root }
  }
  const { login, folder } = sftpLoginOf(env)
  t.teardown(async () => { await removeRemoteFolder(login, folder) })
  return { env, remote: { login, root: folder } }
}

/** A folder that is removed when everything in it has ended: register it first. */
export async function dataDirectory (t: Test, mount?: ServiceProcessOptions['mount']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-service-'))
  const unmount = await mount?.(folder)
  t.teardown(async () => {
    const server = await serverOf(folder)
    if (server !== undefined) await eventually('the embedded database ends', () => !isRunning(server), 20_000)
    await unmount?.()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}

async function serverOf (dataDir: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'mongodb', 'server.json'), 'utf8')) as ProcessIdentity
  } catch {
    return undefined // it has none
  }
}

/** A database of the service's own on the server of `TEST_MONGODB_URL`. */
function ownDatabase (): string | undefined {
  const server = process.env['TEST_MONGODB_URL']
  return server === undefined ? undefined : withDatabase(server, ownDatabaseName('service'))
}

export function withDatabase (url: string, name: string): string {
  const [address = '', query] = url.split('?')
  const server = address.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+).*$/, '$1')
  return `${server}/${name}${query === undefined ? '' : `?${query}`}`
}

function parseRecord (line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

async function within<T> (timeoutMs: number, promise: Promise<T>, message: () => string): Promise<T> {
  const giveUp = new AbortController()
  try {
    return await Promise.race([
      promise,
      delay(timeoutMs, undefined, { signal: giveUp.signal }).then(() => { throw new Error(message()) })
    ])
  } finally {
    giveUp.abort()
  }
}

/** In good order, which is also the quickest for its children; by force where it does not. */
async function end (child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const giveUp = new AbortController()
  const overdue = delay(15_000, undefined, { signal: giveUp.signal }).then(() => { child.kill('SIGKILL') }, () => { /* it has ended */ })
  await exited
  giveUp.abort()
  await overdue
}
