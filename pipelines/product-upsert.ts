/** What upsertProducts runs: the stages of a file import over the products of one request, and the same writer. */
import type { UpsertedProduct, UpsertProducts } from '../src/domain/upsert-products.js'
import { defaultBatchLimits } from '../src/engine/batching.js'
import { Envelope } from '../src/engine/envelope.js'
import { inOrder } from '../src/engine/stage.js'
import { createTurn } from '../src/engine/turn.js'
import { adopt } from '../src/stages/parse.js'
import type { Collections } from '../src/store/database/connection.js'
import { createLanes } from '../src/store/jobs/lanes.js'
import { createLinks } from '../src/store/catalog/links.js'
import { createProductWriter } from '../src/store/catalog/product-writer.js'
import { createProducts } from '../src/store/catalog/products.js'
import { markChanged } from '../src/store/search/search-vocabularies.js'
import { toWritableLine, type WritableLine } from '../src/store/catalog/writable-line.js'
import { productStages } from './product-import.js'

export function createUpsertProducts (collections: Collections): UpsertProducts {
  const links = createLinks(collections)
  const products = createProducts(collections)
  const lanes = createLanes(collections)

  return async (vendorId, records, onApplied) => {
    const stages = inOrder(adopt, productStages({ vendorId, mode: 'UPDATE', links, onUnknownStoreCode: () => {} }))
    const turn = createTurn(new AbortController().signal)
    const lines: WritableLine[] = []
    let isFoundOtherwise = false
    for (let from = 0; from < records.length; from += defaultBatchLimits.maxRecords) {
      const batch = await stages(records.slice(from, from + defaultBatchLimits.maxRecords)
        .map((record, index) => new Envelope<unknown>({ file: 0, line: from + index + 1 }, record)), turn)
      const next = batch.map((envelope) => toWritableLine(envelope, vendorId))
      const writer = createProductWriter(collections, {
        vendorId, mode: 'UPDATE', jobId: null, runningJobId: async () => (await lanes.find(vendorId)).running?.job.jobId ?? null, turn
      })
      await writer.write(next.filter(({ patch }) => patch !== null))
      isFoundOtherwise ||= writer.changesWhatIsFound()
      lines.push(...next)
    }
    onApplied?.()
    const applied = lines.filter(({ faults }) => faults.length === 0).map(({ externalId }) => externalId)
    const [found] = await Promise.all([products.findByExternalIds(vendorId, applied), isFoundOtherwise ? markChanged(collections, vendorId) : undefined])
    return lines.map(({ externalId, faults }): UpsertedProduct => {
      const product = faults.length === 0 ? found.get(externalId) : undefined
      return product === undefined ? { faults } : { product }
    })
  }
}
