/** `discarding-worker.js FILE…`: once its standard input ends, takes the files through the pipeline, side by side, into nothing. */
import { createReadStream } from 'node:fs'
import { once } from 'node:events'
import { importProductFile } from '../pipelines/product-import.js'

const paths = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.resume()
await once(process.stdin, 'end')
await Promise.all(paths.map(async (path) => {
  await importProductFile({
    source: createReadStream(path),
    name: 'products.jsonl.gz',
    index: 0,
    vendorId: 'bench',
    mode: 'REPLACE',
    links: { fitmentTargetIds: async () => new Map(), sizeChartIds: async () => new Map(), storeLocations: async () => [] },
    onUnknownStoreCode: () => {},
    sink: { write: async () => {}, flush: async () => {} },
    signal: new AbortController().signal
  })
}))
