import { createReadStream } from 'node:fs'
import { importProductFile } from '../pipelines/product-import.js'

/** Takes a gzipped file of products through parse and all stages, into nothing. Gives its lines. */
export async function discardFile (path: string): Promise<number> {
  let lines = 0
  await importProductFile({
    source: createReadStream(path),
    name: 'products.jsonl.gz',
    index: 0,
    vendorId: 'bench',
    mode: 'REPLACE',
    links: { fitmentTargetIds: async () => new Map(), sizeChartIds: async () => new Map(), stockLocations: async () => [] },
    onUnknownStoreCode: () => {},
    sink: { write: async (batch) => { lines += batch.length }, flush: async () => {} },
    signal: new AbortController().signal
  })
  return lines
}
