/** What a product import runs, in which order. */
import type { Readable } from 'node:stream'
import type { ImportMode } from '../src/domain/import-job.js'
import type { BeginLarge, Sink } from '../src/engine/run-pipeline.js'
import { inOrder, type Stage } from '../src/engine/stage.js'
import type { Turn } from '../src/engine/turn.js'
import { coerceMetafields } from '../src/stages/coerce-metafields.js'
import { dedupeImages } from '../src/stages/dedupe-images.js'
import { parseUnlessKnown, type KnownLines } from '../src/stages/parse-unless-known.js'
import { resolveLinks, type LinkLookup, type OnUnknownStoreCode, type ResolvedPatch } from '../src/stages/resolve-links.js'
import { validate } from '../src/stages/validate.js'
import { runRecordFile } from './record-file.js'

export interface ProductStagesOptions {
  vendorId: string
  mode: ImportMode
  links: LinkLookup
  onUnknownStoreCode: OnUnknownStoreCode
}

/** The stages behind the first one, the same for files, upsertProducts and `catalog validate`. */
export const productStages = ({ vendorId, mode, links, onUnknownStoreCode }: ProductStagesOptions): Stage<Record<string, unknown>, ResolvedPatch> =>
  inOrder(
    validate(mode),
    dedupeImages,
    coerceMetafields,
    resolveLinks(links, vendorId, onUnknownStoreCode)
  )

export interface ProductFileOptions extends ProductStagesOptions {
  /** Raw bytes as they lie on the file server. */
  source: Readable
  name: string
  /** The file's place in its job, from 0. */
  index: number
  sink: Sink<ResolvedPatch>
  /** Lines that need not be parsed; when absent, all are. */
  known?: KnownLines
  signal: AbortSignal
  /** Of the run that the file belongs to. */
  turn?: Turn
  beginLarge?: BeginLarge | undefined
  /** Called for every physical line. */
  onLine?: () => void
}

/** Runs one file through the pipeline. Throws a fatal AppError when the file cannot be read to its end. */
export async function importProductFile (options: ProductFileOptions): Promise<void> {
  const { source, name, index, sink, known, signal, turn, beginLarge, onLine } = options
  const parseLines = known === undefined ? undefined : parseUnlessKnown(known)
  await runRecordFile({ source, name, index, parseLines, stages: productStages(options), sink, signal, turn, beginLarge, onLine })
}
