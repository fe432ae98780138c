/**
 * What one vendor's hostile input costs the others: while it is sent as a file and as a request, again and again for 30 s (`HOSTILE_SECONDS`),
 * a second vendor imports deltas of 1,000 lines and a third reads a product; those who attack come last, being other machines' in life. One line a shape (`HOSTILE_SHAPES`: a regular expression of names).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { sampleProduct } from '../src/cli/sample-product.js'
import { startBenchService, type BenchService, type BenchVendor } from './bench-service.js'
import { inventoryOf } from './fairness.js'
import { median, note, print } from './figure.js'
import type { HostileClient, HostileReport } from './hostile-client.js'
import type { HostileFiles } from './hostile-files.js'
import { shapes, type HostileShape } from './hostile-shapes.js'
import type { LoopHoldUps } from './loop-hold-ups.js'

const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 30)
const wanted = new RegExp(process.env['HOSTILE_SHAPES'] ?? '')
const catalog = { products: 1_000, seed: 3 }
/** Beyond it a shape has held the service up for good. */
const stopMs = 120_000

/** How long, and what; test/services/hostile-shapes does the same for a shorter time. */
export interface HostileRun {
  shape: HostileShape
  seconds: number
  /** Of the others alone, before. */
  idleSeconds: number
  /** Of those who attack. Where what is not part of the run keeps the cores busy, 19 is never. */
  niceness: number
}

export interface HostileOutcome {
  idleDeltas: HostileReport
  idleReads: HostileReport
  /** Infinity where one did not come back. */
  deltas: HostileReport
  reads: HostileReport
  attacks: HostileReport[]
  loopHeldUpMs: number
  /** Of these, what the loop worked itself. */
  loopHoldUps: LoopHoldUps
  /** The same beside the others alone: what of it is the machine's. */
  loopIdleMs: number
  loopIdleHoldUps: LoopHoldUps
  /** The most that the service's process held, and the most beside the others alone. */
  peakBytes: number
  idleBytes: number
}

/** Each shape in a process of its own: one that ends it, or fills database and memory, says nothing about the next one. */
export async function benchHostile (): Promise<void> {
  const named = shapes.filter(({ name }) => wanted.test(name))
  const [only] = named
  if (only !== undefined && process.send !== undefined) return await benchShape(only)
  for (const { name } of named) {
    const child = fork(process.argv[1] ?? '', ['hostile'], { env: { ...process.env, HOSTILE_SHAPES: `^${escaped(name)}$` } })
    const [code] = await once(child, 'exit') as [number | null]
    if (code === 0) continue
    note(`hostile: ${name} was not measured to its end`)
    process.exitCode = 1
  }
}

async function benchShape (shape: HostileShape): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    note(`hostile: ${shape.name}, on ${bench.databaseServer}`)
    tell(bench, shape, await runHostile(bench, { shape, seconds, idleSeconds: 8, niceness: 19 }))
  } finally {
    await bench.close()
  }
}

export async function runHostile (bench: BenchService, { shape, seconds, idleSeconds, niceness }: HostileRun): Promise<HostileOutcome> {
  const [hostile, small, reader] = [await bench.createVendor('hostile'), await bench.createVendor('small'), await bench.createVendor('reader')]
  const [first, second] = [join(bench.folder, 'delta-1.jsonl.gz'), join(bench.folder, 'delta-2.jsonl.gz')]
  const full = join(bench.folder, 'full.jsonl.gz')
  await writeSampleFile(full, sampleCatalog(catalog))
  await writeSampleFile(first, inventoryOf(catalog, 1))
  await writeSampleFile(second, inventoryOf(catalog, 2))
  await load(reader, full)
  await load(small, full)
  for (const path of [first, second]) await small.upload(path)
  const made = await makeFiles(bench, shape)
  if (made.before !== undefined) await load(hostile, made.before)
  if (made.file !== undefined) await hostile.upload(made.file)

  const runMs = (idleSeconds + seconds) * 1_000
  const others = (): Client[] => [
    start(bench, small, { role: 'deltas', files: ['delta-1.jsonl.gz', 'delta-2.jsonl.gz'] }, runMs),
    start(bench, reader, { role: 'reads', externalId: sampleProduct(catalog.seed, 0).externalId }, runMs)
  ]
  const tellIdle = await bench.watch()
  const idle = others()
  await delay(idleSeconds * 1_000)
  const [idleDeltas, idleReads] = await Promise.all(idle.map(async ({ stop }) => await stop())) as [HostileReport, HostileReport]
  const { loopMaxMs: loopIdleMs, loopHoldUps: loopIdleHoldUps, peakBytes: idleBytes } = await tellIdle()

  const attackers: Client[] = []
  if (shape.file !== undefined) attackers.push(start(bench, hostile, { role: 'imports', file: shape.file.name, mode: 'UPDATE' }, runMs, niceness))
  if (made.request !== undefined) attackers.push(start(bench, hostile, { role: 'requests', bodyFile: made.request, callers: shape.callers ?? 2 }, runMs, niceness))
  await Promise.all(attackers.map(async ({ begun }) => { await begun }))
  await delay(500)
  const beside = others()
  const tellLoad = await bench.watch()
  await delay(seconds * 1_000)
  const { loopMaxMs, loopHoldUps, peakBytes } = await tellLoad()
  const [deltas, reads] = await Promise.all(beside.map(async ({ stop }) => await stop())) as [HostileReport, HostileReport]
  const attacks = await Promise.all(attackers.map(async ({ stop }) => await stop()))

  return { idleDeltas, idleReads, deltas, reads, attacks, loopHeldUpMs: loopMaxMs, loopHoldUps, loopIdleMs, loopIdleHoldUps, peakBytes, idleBytes }
}

function tell (bench: BenchService, shape: HostileShape, outcome: HostileOutcome): void {
  const { idleDeltas, idleReads, deltas, reads, attacks, loopHeldUpMs, loopHoldUps, loopIdleMs, loopIdleHoldUps, peakBytes, idleBytes } = outcome
  const idleP99 = percentile(idleReads.tookMs, 0.99)
  print({
    bench: 'hostile',
    figure: shape.name,
    value: median(deltas.tookMs) / median(idleDeltas.tookMs),
    unit: 'ratio',
    against: 'a delta of 1,000 lines of another vendor, alone',
    database: bench.databaseServer,
    deltas: deltas.tookMs.length,
    deltaIdleMs: round(median(idleDeltas.tookMs)),
    readsP99Ratio: Number((percentile(reads.tookMs, 0.99) / idleP99).toPrecision(3)),
    readsP99IdleMs: round(idleP99),
    readsLongestMs: round(Math.max(...reads.tookMs)),
    loopHeldUpMs: round(loopHeldUpMs),
    loopAtWorkMs: round(loopHoldUps.atWorkMs),
    loopWithoutCoreMs: round(loopHoldUps.withoutCoreMs),
    loopExceptCoresMs: round(loopHoldUps.exceptCoresMs),
    loopIdleMs: round(loopIdleMs),
    loopIdleExceptCoresMs: round(loopIdleHoldUps.exceptCoresMs),
    cancelMs: round(attacks.find(({ cancelMs }) => cancelMs !== null)?.cancelMs ?? NaN),
    megabytes: Math.round(peakBytes / 1e6),
    megabytesIdle: Math.round(idleBytes / 1e6),
    attacksAnswered: attacks.reduce((sum, { tookMs }) => sum + tookMs.length, 0),
    refused: JSON.stringify(Object.assign({}, ...attacks.map(({ refused }) => refused)))
  })
}

interface Client {
  /** Its first request is on its way, or it has not got that far in time, which stop tells. */
  begun: Promise<unknown>
  stop (): Promise<HostileReport>
}

type Role = HostileClient extends infer C ? C extends unknown ? Omit<C, 'url' | 'apiKey'> : never : never

/** `runMs`: for how long it is meant to run. By `nice`, for all threads of the process are to have it. */
function start ({ url }: BenchService, { apiKey }: BenchVendor, role: Role, runMs: number, niceness = 0): Client {
  const child = fork(new URL('./hostile-client.js', import.meta.url), {
    serialization: 'advanced', execPath: 'nice', execArgv: ['-n', String(niceness), process.execPath]
  })
  child.send({ url, apiKey, ...role })
  const signal = AbortSignal.timeout(stopMs + runMs)
  const told = async (): Promise<unknown> => (await once(child, 'message', { signal }) as unknown[])[0]
  const begun = told()
  const report = begun.then(told)
  // Told in stop.
  report.catch(() => {})
  return {
    begun: begun.catch(() => {}),
    async stop () {
      child.send('stop')
      try {
        return await report as HostileReport
      } catch {
        child.kill('SIGKILL')
        return { tookMs: [Infinity], cancelMs: Infinity, refused: {} }
      }
    }
  }
}

/** In a process of its own: what making them leaves behind is not the service's memory. */
async function makeFiles ({ folder }: BenchService, { name }: HostileShape): Promise<HostileFiles> {
  const child = fork(new URL('./hostile-files.js', import.meta.url), [name, folder], { serialization: 'advanced' })
  const [made] = await once(child, 'message') as [HostileFiles]
  return made
}

async function load (vendor: BenchVendor, path: string): Promise<void> {
  await vendor.upload(path)
  await vendor.runJob(path, 'UPDATE')
}

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const round = (value: number): number => Number(value.toPrecision(3))

function percentile (values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
