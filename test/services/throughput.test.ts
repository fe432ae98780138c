/**
 * How fast the given servers are loaded: a catalog for the first time, again without a change, and a delta of a tenth of it. What is asserted is what became of the lines; how long it took goes to
 * the file that `TEST_FIGURES_FILE` names, for the report of services/certify.
 */
import { appendFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { inventoryDelta, sampleCatalog } from '../../src/cli/sample-catalog.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import type { Figure } from './certify/figure.js'

const sample = { products: Number(process.env['THROUGHPUT_LINES'] ?? 20_000), seed: 11 }
const service = await startServiceProcess(t)
const vendor = await createVendor(service, 'throughput')

async function measure (what: Figure['what'], name: string, mode: 'REPLACE' | 'UPDATE', expected: { productsCreated?: number, productsUpdated?: number }): Promise<void> {
  await t.test(what, async (t) => {
    const { jobId, status, stats } = await vendor.runImport({ files: [name], mode })
    t.equal(status, 'completed')
    t.match(stats, { errors: 0, productsArchived: 0, ...expected })
    const { startedAt, completedAt } = await service.repositories().importJobs.find(vendor.id, jobId) ?? {}
    if (startedAt == null || completedAt == null) throw new Error('the job has no times')
    const figure: Figure = { what, lines: stats?.productsProcessed ?? 0, seconds: (completedAt.getTime() - startedAt.getTime()) / 1_000 }
    t.comment(JSON.stringify(figure))
    const file = process.env['TEST_FIGURES_FILE']
    if (file !== undefined) await appendFile(file, `${JSON.stringify(figure)}\n`)
  })
}

const delta = [...inventoryDelta({ ...sample, share: 0.1 })]
await vendor.put('full.jsonl.gz', gzipSync(`${[...sampleCatalog(sample)].join('\n')}\n`))
await vendor.put('delta.jsonl.gz', gzipSync(`${delta.join('\n')}\n`))
await measure('first load', 'full.jsonl.gz', 'REPLACE', { productsCreated: sample.products })
await measure('load again, unchanged', 'full.jsonl.gz', 'REPLACE', { productsUpdated: sample.products })
await measure('delta of inventory', 'delta.jsonl.gz', 'UPDATE', { productsUpdated: delta.length })
