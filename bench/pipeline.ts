/**
 * Parse and stages without a sink, against the floor: gunzip + split2 + JSON.parse of the same file, in turn, several
 * times, in one process. The ratio is what counts; the machine's speed drops out of it.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import split2 from 'split2'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { discardFile } from './discard-file.js'
import { median, note, print } from './figure.js'

const products = 50_000
const rounds = 5

async function floor (path: string): Promise<number> {
  let lines = 0
  await pipeline(createReadStream(path), createGunzip(), split2('\n'), new Writable({
    objectMode: true,
    write (line: string, _encoding, done) {
      JSON.parse(line)
      lines += 1
      done()
    }
  }))
  return lines
}

async function linesPerSecond (run: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const lines = await run()
  return lines / (performance.now() - startedAt) * 1_000
}

export async function benchPipeline (): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  try {
    const path = join(folder, 'products.jsonl.gz')
    note(`pipeline: ${products} products, ${rounds} rounds`)
    await writeSampleFile(path, sampleCatalog({ products, seed: 1 }))
    const floors: number[] = []
    const all: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const pair = [await linesPerSecond(async () => await floor(path)), await linesPerSecond(async () => await discardFile(path))] as const
      // The first round warms up the compiler.
      if (round === 0) continue
      floors.push(pair[0])
      all.push(pair[1])
    }
    const against = 'gunzip + split2 + JSON.parse'
    print({ bench: 'pipeline', figure: 'floor', value: median(floors), unit: 'lines/s' })
    print({ bench: 'pipeline', figure: 'parse + stages, no sink', value: median(all), unit: 'lines/s' })
    print({ bench: 'pipeline', figure: 'ratio', value: median(all.map((value, round) => value / (floors[round] ?? NaN))), unit: 'ratio', against })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
