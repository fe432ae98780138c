/** A whole service on embedded parts for a benchmark, with one vendor, and what it takes to run a job on it. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { uploadFiles } from '../src/cli/upload-files.js'
import type { ImportJob, ImportMode } from '../src/domain/import-job.js'
import { fingerprintOf } from '../src/domain/ssh-public-key.js'
import { generateEd25519KeyPair } from '../src/sftp/key-pair.js'
import { openDatabase, type Database } from '../src/store/database/connection.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { serviceFlags, workerFlags } from '../test/support/service-flags.js'
import type { ServiceLoad, StartedService, StartService, WatchService } from './service-process.js'

export interface BenchVendor {
  apiKey: string
  /** Private key for SFTP. */
  identity: string
  upload (...paths: string[]): Promise<void>
  /** Runs an import of an uploaded file to its end. Rejects when it does not complete, or skips a line. */
  runJob (path: string, mode: ImportMode): Promise<ImportJob>
  /** Gives the job's id as soon as it is accepted. */
  startJob (path: string, mode: ImportMode): Promise<string>
  /** Waits for it. Rejects as runJob does. */
  endOf (jobId: string, lookEveryMs?: number): Promise<ImportJob>
}

/** With a vendor that is there from the start. */
export interface BenchService extends BenchVendor {
  folder: string
  /** `secantusdb`, `secantusd-rs` or `mongod`. */
  databaseServer: string
  database: Database
  url: string
  /** `host:port` */
  sftp: string
  /** Throws when the answer holds errors. */
  graphql (query: string, variables?: object): Promise<Record<string, unknown>>
  /** What /metrics says of this one, labels included in its name. */
  metric (name: string): Promise<number>
  /** Another one. */
  createVendor (vendorId: string): Promise<BenchVendor>
  /** Gives what tells of the service's process, and ends the watch. One at a time. */
  watch (): Promise<() => Promise<ServiceLoad>>
  /** A worker of its own, beside the service. */
  startWorker (): Promise<{ peakMegabytes (): number, stop (): Promise<void> }>
  close (): Promise<void>
}

/** `more` goes into its environment; it logs to standard error, unless told otherwise. `flags` are Node's, besides those of every service. */
export async function startBenchService (roles: string, more: NodeJS.ProcessEnv = {}, logTo: string | number = 2, flags: readonly string[] = []): Promise<BenchService> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  const env = {
    DATA_DIR: join(folder, 'data'), PORT: '0', SFTP_PORT: '0', LOG_LEVEL: 'warn', ROLES: roles, EMBEDDED_MONGO: process.env['EMBEDDED_MONGO'] ?? '', ...more
  }
  const service = await startProcess({ env, logTo }, flags)
  const database = openDatabase(service.mongodbUrl, { appName: 'catalog-bench' })
  const repositories = createRepositories(database)
  const vendor = await createVendor(repositories, 'bench')
  const vendorOf = (created: Created): BenchVendor => ({
    apiKey: created.apiKey,
    identity: created.privateKey,
    upload: async (...paths) => { await upload(service, created, paths) },
    startJob: async (path, mode) => await startJob(service, created, basename(path), mode),
    endOf: async (jobId, lookEveryMs) => await endOf(repositories, created, jobId, lookEveryMs),
    runJob: async (path, mode) => await endOf(repositories, created, await startJob(service, created, basename(path), mode))
  })
  return {
    folder,
    databaseServer: (JSON.parse(readFileSync(join(env.DATA_DIR, 'mongodb', 'server.json'), 'utf8')) as { kind: string }).kind,
    url: service.url,
    sftp: service.sftp,
    graphql: async (query, variables) => await graphql(service, vendor.apiKey, query, variables),
    metric: async (name) => {
      const line = (await (await fetch(`${service.url}/metrics`)).text()).split('\n').find((line) => line.startsWith(`${name} `))
      return Number(line?.slice(name.length + 1))
    },
    ...vendorOf(vendor),
    database,
    watch: service.watch,
    createVendor: async (vendorId) => vendorOf(await createVendor(repositories, vendorId)),
    startWorker: async () => await startWorker({ ...process.env, ...env, ROLES: 'worker' }),
    async close () {
      await database.close()
      await service.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

interface Service extends StartedService, Pick<BenchService, 'watch' | 'close'> {}

async function startProcess (start: StartService, flags: readonly string[]): Promise<Service> {
  const child = fork(new URL('./service-process.js', import.meta.url), { execArgv: [...serviceFlags, ...flags] })
  const exited = once(child, 'exit')
  const answer = async <T>(): Promise<T> => {
    const [first] = await Promise.race([once(child, 'message'), exited.then(([code, signal]) => { throw new Error(`the service has ended: ${code ?? signal}`) })]) as [T]
    return first
  }
  const say = (what: WatchService): void => { child.send(what) }
  child.send(start)
  return {
    ...await answer<StartedService>(),
    async watch () {
      say('watch')
      return async () => {
        say('tell')
        return await answer<ServiceLoad>()
      }
    },
    async close () {
      if (child.connected) say('close')
      await exited
    }
  }
}

interface Created { vendorId: string, apiKey: string, privateKey: string }

async function createVendor (repositories: Repositories, vendorId: string): Promise<Created> {
  await repositories.vendors.create(vendorId, vendorId)
  const { key } = await repositories.integrationApiKeys.create(vendorId, 'bench', ['PRODUCT_MANAGE', 'SIZE_CHART_MANAGE'])
  const pair = generateEd25519KeyPair(vendorId)
  const [type = '', blob = ''] = pair.public.split(' ')
  await repositories.sftpKeys.add({
    _id: fingerprintOf(Buffer.from(blob, 'base64')), vendorId, publicKey: `${type} ${blob}`, comment: 'bench', createdAt: new Date()
  })
  return { vendorId, apiKey: key, privateKey: pair.private }
}

async function upload (service: Service, { vendorId, privateKey }: Created, paths: string[]): Promise<void> {
  const [host = '', port = ''] = service.sftp.split(':')
  await uploadFiles(
    paths.map((path) => ({ path, name: basename(path), bytes: statSync(path).size })),
    { address: { user: vendorId, host, port: Number(port) }, identity: privateKey },
    { signal: new AbortController().signal }
  )
}

async function graphql (service: Service, apiKey: string, query: string, variables: object = {}): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey },
    body: JSON.stringify({ query, variables })
  })
  const { data, errors } = await response.json() as { data: Record<string, unknown>, errors?: unknown }
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}

async function startJob (service: Service, { apiKey }: Created, file: string, mode: ImportMode): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/products/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey },
    body: JSON.stringify({ files: [file], mode })
  })
  const { jobId } = await response.json() as { jobId: string }
  return jobId
}

/** Seldom: the job tells its own time, and each look costs a slow database some of it. */
async function endOf (repositories: Repositories, { vendorId }: Created, jobId: string, lookEveryMs = 500): Promise<ImportJob> {
  for (;;) {
    const job = await repositories.importJobs.find(vendorId, jobId)
    if (job?.status === 'completed' && job.stats?.errors === 0) return job
    if (job?.status === 'failed' || job?.status === 'completed') throw new Error(`The import of ${job.files.join()} did not go as it should: ${JSON.stringify(job.stats)}`)
    await delay(lookEveryMs)
  }
}

/** The job's own time, from start to end, in seconds. */
export const secondsOf = ({ startedAt, completedAt }: ImportJob): number =>
  ((completedAt?.getTime() ?? NaN) - (startedAt?.getTime() ?? NaN)) / 1_000

async function startWorker (env: NodeJS.ProcessEnv): Promise<{ peakMegabytes (): number, stop (): Promise<void> }> {
  const child = spawn(process.execPath, [...workerFlags, new URL('../src/bin/serve.js', import.meta.url).pathname], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await readyLine(child)
  return {
    /** VmHWM: the most that was ever resident, threads included. */
    peakMegabytes: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    async stop () {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    }
  }
}

async function readyLine (child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the worker has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"ready":true')) {
      child.stdout.resume()
      return
    }
  }
  throw new Error('the worker did not start')
}
