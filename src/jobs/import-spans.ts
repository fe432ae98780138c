/**
 * What a job's trace tells of its files and bulks. A job of a million lines writes two thousand bulks: the first of them have a span each, and so has the last of each
 * file; of all there is a sum on their file's span.
 */
import type { BulkSize, InTurn } from '../store/catalog/commit-products.js'
import { traced, type Attributes, type Span } from '../tracing/span.js'

export const maxBulkSpans = 20

export interface ImportSpans {
  /** `inTurn`, with a look at the clock around it. */
  inTurn: InTurn
  /** The file's bulks are those that are written meanwhile. `told` is asked at its end. */
  file (index: number, read: () => Promise<void>, told: () => Attributes): Promise<void>
}

interface Bulk { askedMs: number, begunMs: number, endMs: number, size: BulkSize, isDone: boolean }

const direct: InTurn = async (write) => await write()
const unknownSize: BulkSize = { inserts: 0, updates: 0 }

export function createImportSpans (job: Span, inTurn: InTurn = direct): ImportSpans {
  let bulkSpans = 0
  let bulks = createBulks()

  return {
    async inTurn (write, size = unknownSize) {
      const askedMs = Date.now()
      const clockMs = performance.now()
      let waitedMs = 0
      let isDone = false
      try {
        const written = await inTurn(async () => {
          waitedMs = performance.now() - clockMs
          return await write()
        }, size)
        isDone = true
        return written
      } finally {
        bulks.add({ askedMs, begunMs: askedMs + waitedMs, endMs: askedMs + performance.now() - clockMs, size, isDone })
      }
    },
    async file (index, read, told) {
      await traced(job, 'import file', async (span) => {
        bulks = createBulks((bulk) => {
          if (bulkSpans >= maxBulkSpans) return false
          bulkSpans += 1
          tellBulk(span, bulk)
          return true
        })
        try {
          await read()
        } finally {
          const { last, sum } = bulks
          if (last !== null) tellBulk(span, last)
          span.set({ ...told(), ...sum() })
        }
      }, { 'catalog.file.index': index })
    }
  }
}

interface Bulks {
  add (bulk: Bulk): void
  /** Where it has not been told. */
  readonly last: Bulk | null
  sum (): Attributes
}

function createBulks (tell: (bulk: Bulk) => boolean = () => false): Bulks {
  let last: Bulk | null = null
  const sum = { count: 0, failed: 0, documents: 0, waitedMs: 0, longestMs: 0 }
  return {
    add (bulk) {
      const { askedMs, begunMs, endMs, size: { inserts, updates }, isDone } = bulk
      sum.count += 1
      sum.documents += inserts + updates
      sum.waitedMs += begunMs - askedMs
      sum.longestMs = Math.max(sum.longestMs, endMs - begunMs)
      if (!isDone) sum.failed += 1
      last = tell(bulk) ? null : bulk
    },
    get last () { return last },
    sum: () => ({
      'catalog.bulks.count': sum.count,
      'catalog.bulks.failed': sum.failed,
      'catalog.bulks.documents': sum.documents,
      'catalog.bulks.waited_ms': Math.round(sum.waitedMs),
      'catalog.bulks.longest_ms': Math.round(sum.longestMs)
    })
  }
}

function tellBulk (file: Span, { askedMs, begunMs, endMs, size: { inserts, updates }, isDone }: Bulk): void {
  const span = file.child('write products', {
    startMs: begunMs,
    attributes: { 'catalog.bulk.inserts': inserts, 'catalog.bulk.updates': updates, 'catalog.bulk.waited_ms': Math.round(begunMs - askedMs) }
  })
  if (!isDone) span.fail('threw')
  span.end(endMs)
}
