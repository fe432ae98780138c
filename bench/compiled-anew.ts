/**
 * Which functions of the service's V8 compiles again and again while 20 vendors load their catalogs, and then send deltas (docs/performance.md, "What is compiled once"). Those that are made
 * for a batch, or for a line, and called for every line are compiled anew after each collection of the old heap. `BENCH_ROUNDS` for other than four rounds; of each function it counts the
 * compilations behind the first round, in all threads, and names those of which there are more than three a round.
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

interface Recompiled {
  database: string
  /** Of all functions that were compiled at all, those that were most often first. */
  functions: Array<{ name: string, times: number }>
  /** Of them, those that were compiled more than three times a round. */
  often: Array<{ name: string, times: number }>
}

export async function benchCompiledAnew (): Promise<void> {
  note(`compiled-anew: ${rounds} rounds of ${many} vendors' first loads and deltas`)
  const { database, functions, often } = await compiledAnew(rounds)
  for (const { name, times } of often) note(`${times} times: ${name}`)
  print({
    bench: 'compiled-anew', database, figure: 'functions compiled more than three times a round', value: often.length, unit: 'functions', rounds,
    most: functions[0]?.times ?? 0, compilations: functions.reduce((sum, { times }) => sum + times, 0)
  })
}

/** Behind a first round, in which all code is cold. */
export async function compiledAnew (rounds: number): Promise<Recompiled> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-compiled-'))
  const log = join(folder, 'v8.log')
  const bench = await startBenchService('api,worker,sftp', {}, 2, ['--log-code', `--logfile=${log}`, '--no-logfile-per-isolate'])
  try {
    let cold = new Map<string, number>()
    for (let round = 0; round <= rounds; round++) {
      const loaded = await vendorsOf(bench, round, many)
      await load(bench, loaded, 'first', 1)
      await load(bench, loaded, 'delta', 10)
      if (round === 0) cold = await compilations(log)
    }
    const functions = [...await compilations(log)].map(([name, count]) => ({ name, times: count - (cold.get(name) ?? 0) })).sort((a, b) => b.times - a.times)
    return { database: bench.databaseServer, functions, often: functions.filter(({ times }) => times > 3 * rounds) }
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
