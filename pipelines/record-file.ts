/** One file of records, from its bytes to a sink: what every import of a file runs around its own stages. */
import type { Readable } from 'node:stream'
import { isJsonArrayFile } from '../src/domain/import-job.js'
import { runPipeline, type BeginLarge, type Sink } from '../src/engine/run-pipeline.js'
import { inOrder, type Stage } from '../src/engine/stage.js'
import type { Turn } from '../src/engine/turn.js'
import { decodeProductFile } from '../src/sources/product-file.js'
import { adopt, parse } from '../src/stages/parse.js'

export interface RecordFileOptions<T> {
  /** Raw bytes: JSON Lines, or one JSON array in a `.json` file; gzipped or not. */
  source: Readable
  name: string
  /** The file's place in its job, from 0. */
  index: number
  /** Makes records of lines, before all other stages; `parse` when absent. The elements of an array are records as they come. */
  parseLines?: Stage<string, Record<string, unknown>> | undefined
  /** The stages behind the first one, which makes records of what the file holds. */
  stages: Stage<Record<string, unknown>, T>
  sink: Sink<T>
  signal: AbortSignal
  turn?: Turn | undefined
  beginLarge?: BeginLarge | undefined
  /** Called for every physical line, or element of an array. */
  onLine?: (() => void) | undefined
}

/** Runs the file through the pipeline. Throws a fatal AppError when it cannot be read to its end. */
export async function runRecordFile<T> ({ source, name, index, parseLines = parse, stages, sink, signal, turn, beginLarge, onLine }: RecordFileOptions<T>): Promise<void> {
  const decoder = await decodeProductFile(source, name, index, onLine)
  const all = isJsonArrayFile(name) ? inOrder(adopt, stages) : inOrder(parseLines, stages)
  try {
    await runPipeline({ source, decode: decoder.streams, stages: all as Stage<unknown, T>, sink, signal, turn, beginLarge })
  } catch (error) {
    throw decoder.explain(error)
  }
  decoder.verify()
}
