/**
 * Which functions of the service's V8 compiles again and again while 20 vendors load their catalogs, and then send deltas (docs/performance.md, "What is compiled once"). Those that are made
 * for a batch, or for a line, and called for every line are compiled anew after each collection of the old heap. `BENCH_ROUNDS` for other than four rounds; of each function it counts the
 * compilations behind the first round, in all threads, and names those of which there are more than two a round.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBenchService } from './bench-service.js'
import { note, print } from './figure.js'
import { load, many, vendorsOf } from './vendors.js'

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 4)
/** A function of the service's that was compiled for good, by its name and place in dist/. */
const compiled = /^code-creation,.*,(\S* \S*\/dist\/(?:src|pipelines)\/\S+:\d+:\d+),.*,\*$/gm

export async function benchCompiledAnew (): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-compiled-'))
  const log = join(folder, 'v8.log')
  const bench = await startBenchService('api,worker,sftp', {}, 2, ['--log-code', `--logfile=${log}`, '--no-logfile-per-isolate'])
  try {
    note(`compiled-anew: ${rounds} rounds of ${many} vendors' first loads and deltas, on ${bench.databaseServer}`)
    let before = new Map<string, number>()
    for (let round = 0; round <= rounds; round++) {
      const loaded = await vendorsOf(bench, round, many)
      await load(bench, loaded, 'first', 1)
      await load(bench, loaded, 'delta', 10)
      if (round === 0) before = await compilations(log)
    }
    const counts = [...await compilations(log)].map(([name, count]): [string, number] => [name, count - (before.get(name) ?? 0)]).sort(([, a], [, b]) => b - a)
    const often = counts.filter(([, count]) => count > 2 * rounds)
    for (const [name, count] of often) note(`${count} times: ${name}`)
    print({
      bench: 'compiled-anew', database: bench.databaseServer, figure: 'functions compiled more than twice a round', value: often.length, unit: 'functions', rounds,
      most: counts[0]?.[1] ?? 0, compilations: counts.reduce((sum, [, count]) => sum + count, 0)
    })
  } finally {
    await bench.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compilations (log: string): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const [, name = ''] of (await readFile(log, 'latin1')).matchAll(compiled)) times.set(name, (times.get(name) ?? 0) + 1)
  return times
}
