/**
 * What one vendor's uploads cost another's reads: OpenSSH's `sftp` uploads at full speed, alone and four at once (`SFTP_UPLOAD_SECONDS` each),
 * while another vendor reads a product every 10 ms. The reader and the uploads are processes of their own.
 */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { sampleProduct } from '../src/cli/sample-product.js'
import { startBenchService, type BenchService, type BenchVendor } from './bench-service.js'
import { note, print } from './figure.js'
import type { HostileClient, HostileReport } from './hostile-client.js'

const seconds = Number(process.env['SFTP_UPLOAD_SECONDS'] ?? 10)
const uploadMegabytes = 256
const catalog = { products: 1_000, seed: 3 }

export async function benchSftpUploads (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    note(`sftp uploads of ${uploadMegabytes} MB, on ${bench.databaseServer}`)
    const reader = await bench.createVendor('reader')
    const full = join(bench.folder, 'full.jsonl.gz')
    await writeSampleFile(full, sampleCatalog(catalog))
    await reader.upload(full)
    await reader.runJob(full, 'UPDATE')
    const big = join(bench.folder, 'big.jsonl')
    const file = await open(big, 'w')
    await file.truncate(uploadMegabytes * 1e6)
    await file.close()

    // The first upload and the first reads warm up the compiler.
    await measured(bench, reader, 1, big, 3)
    const idle = await measured(bench, reader, 0, big)
    print({ bench: 'sftp-uploads', figure: 'reads alone, p99', value: idle.p99Ms, unit: 'ms', longestMs: idle.longestMs, loopHeldUpMs: idle.loopHeldUpMs, loopBusyPercent: idle.loopBusyPercent })
    for (const uploads of [1, 4]) {
      const beside = await measured(bench, reader, uploads, big)
      print({
        bench: 'sftp-uploads',
        figure: `reads of another vendor beside ${uploads} at full speed, p99`,
        value: beside.p99Ms / idle.p99Ms,
        unit: 'ratio',
        against: 'the same alone',
        ...beside,
        database: bench.databaseServer
      })
    }
  } finally {
    await bench.close()
  }
}

/** Of the service's event loop: how long it was held up at most, and for how much of the time it was at work. */
interface Loop { loopHeldUpMs: number, loopBusyPercent: number }
interface Measured extends Loop { p99Ms: number, longestMs: number, megabytesPerSecond: number }

async function measured (bench: BenchService, reader: BenchVendor, uploads: number, path: string, lastsSeconds = seconds): Promise<Measured> {
  const stopUploads = await startUploads(bench, uploads, path)
  if (uploads > 0) await delay(1_000)
  const read = fork(new URL('./hostile-client.js', import.meta.url), { serialization: 'advanced' })
  const report = once(read, 'message') as Promise<[HostileReport]>
  read.send({ role: 'reads', url: bench.url, apiKey: reader.apiKey, externalId: sampleProduct(catalog.seed, 0).externalId } satisfies HostileClient)
  const tellLoad = await bench.watch()
  await delay(lastsSeconds * 1_000)
  const { loopMaxMs, loopBusy } = await tellLoad()
  read.send('stop')
  const [{ tookMs }] = await report
  const megabytesPerSecond = await stopUploads()
  const sorted = [...tookMs].sort((a, b) => a - b)
  return {
    p99Ms: round(sorted[Math.floor(0.99 * sorted.length)] ?? NaN),
    longestMs: round(sorted.at(-1) ?? NaN),
    loopHeldUpMs: round(loopMaxMs),
    loopBusyPercent: round(loopBusy * 100),
    megabytesPerSecond: Math.round(megabytesPerSecond)
  }
}

/** Gives what ends them, which tells how quick they were all together. */
async function startUploads (bench: BenchService, count: number, path: string): Promise<() => Promise<number>> {
  const identity = join(bench.folder, 'identity')
  await writeFile(identity, bench.identity, { mode: 0o600 })
  const [host = '', port = ''] = bench.sftp.split(':')
  const stop = new AbortController()
  const startMs = performance.now()
  let bytes = 0
  const running = Array.from({ length: count }, async (_, n) => {
    const batch = join(bench.folder, `batch-${n}`)
    await writeFile(batch, `put ${path} incoming/big-${n}.jsonl\n`)
    const options = ['-P', port, '-i', identity, '-F', 'none', '-b', batch, ...['BatchMode=yes', 'IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'].flatMap((option) => ['-o', option])]
    while (!stop.signal.aborted) {
      await promisify(execFile)('sftp', [...options, `bench@${host}`])
      bytes += uploadMegabytes * 1e6
    }
  })
  const all = Promise.all(running)
  // Told by what ends them.
  all.catch(() => {})
  return async () => {
    stop.abort()
    await all
    return bytes / 1e3 / (performance.now() - startMs)
  }
}

const round = (value: number): number => Number(value.toPrecision(3))
