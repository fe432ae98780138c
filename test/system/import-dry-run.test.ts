/** A dry run judges every line and writes nothing; its stats are those of the run that it stands for. */
import t from 'tap'
import { catalogOf } from '../support/catalog-contents.js'
import { file, line, lines } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'

const service = await startServiceProcess(t)

for (const mode of ['REPLACE', 'UPDATE'] as const) {
  t.test(mode, async (t) => {
    const vendor = await createVendor(service, mode.toLowerCase())
    await vendor.put('before.jsonl', file(...lines(10)))
    await vendor.put('a.jsonl', file(
      line('P1', { name: 'new name' }),
      '{"externalId":"nonsense"',
      // Bad unless the line before has made what it needs, which a dry run must imagine.
      line('new', { variants: [{ externalId: 'v', name: 'V' }] }),
      mode === 'UPDATE' ? JSON.stringify({ externalId: 'new', variants: [{ externalId: 'v', inventory: 1 }] }) : line('new', { variants: [{ externalId: 'v', inventory: 1 }] }),
      line('P2', { archived: true }),
      JSON.stringify({ externalId: 'nameless' })
    ))
    await vendor.runImport({ files: ['before.jsonl'], mode: 'UPDATE' })
    const before = await catalogOf(service.database(), vendor.id)

    const dry = await vendor.runImport({ files: ['a.jsonl'], mode, dryRun: true })
    t.equal(dry.status, 'completed')
    t.strictSame(await catalogOf(service.database(), vendor.id), before, 'nothing is written')

    const real = await vendor.runImport({ files: ['a.jsonl'], mode })
    t.strictSame(dry.stats, real.stats)
    t.strictSame(dry.errorDetails, real.errorDetails)
    t.match(real.stats, { productsProcessed: 6, productsCreated: 1, productsUpdated: 3, productsArchived: mode === 'REPLACE' ? 8 : 0, errors: 2 })
  })
}
