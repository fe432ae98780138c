/** A file of products, from its bytes to batches of records: what it is packed in, and how its records are told apart. */
import type { Readable, Transform } from 'node:stream'
import { isJsonArrayFile } from '../domain/import-job.js'
import { gunzipIfGzip } from './gunzip.js'
import { jsonArray } from './json-array.js'
import { lines } from './lines.js'

export interface ProductFileDecoder {
  /** Batches of text (lines) or of JSON values (elements of an array). */
  streams: Transform[]
  /** To be called when everything was read; throws when the file was not read to its end after all. */
  verify: () => void
  /** An error of the pipeline as what it means for the file. */
  explain: (error: unknown) => unknown
}

/** `index` is the file's place in the job. `onRecord` is called for every physical line or element. */
export async function decodeProductFile (
  source: Readable, name: string, index: number, onRecord?: () => void
): Promise<ProductFileDecoder> {
  const gzip = await gunzipIfGzip(source, name)
  if (!isJsonArrayFile(name)) {
    return { ...gzip, streams: [...gzip.streams, ...lines(index, onRecord)] }
  }
  const array = jsonArray(index, name, onRecord)
  return {
    streams: [...gzip.streams, ...array.streams],
    verify: gzip.verify,
    explain: (error) => array.explain(gzip.explain(error))
  }
}
