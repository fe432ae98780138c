/** The console for a user of two vendors. */
import t from 'tap'
import { createVendor } from '../support/vendor.js'
import { openView } from './console/browser.js'
import { startConsole } from './console/start-console.js'

const { service, browser, vendor, tokenOf } = await startConsole(t)

t.test('a user of several vendors chooses among them, and sees what is of the chosen one alone', async (t) => {
  const other = await createVendor(service, 'other')
  for (const { id, put, runImport } of [vendor, other]) {
    await put(`of-${id}.jsonl`, JSON.stringify({ externalId: 'p', name: `Lamp of ${id}`, brandName: 'Acme', externalUrl: 'https://example.com/p' }))
    await runImport({ files: [`of-${id}.jsonl`], mode: 'UPDATE' })
  }
  await service.repositories().users.create('both', 'both@example.com', [vendor, other].map(({ id }) => ({ vendorId: id, role: 'owner', permissions: [] })))
  const view = await openView(t, browser, service.url, { credential: await tokenOf('both') })
  const { page } = view
  await view.open('/imports')
  for (const [chosen, left] of [[other, vendor], [vendor, other]] as const) {
    await page.getByLabel('Vendor').selectOption(chosen.id)
    await page.getByText(`of-${chosen.id}.jsonl`).first().waitFor()
    t.equal(await page.getByText(`of-${left.id}.jsonl`).count(), 0, 'no import of the other one')
    await page.locator('nav').getByRole('link', { name: 'Catalog' }).last().click()
    await page.getByText(`Lamp of ${chosen.id}`).waitFor()
    t.equal(await page.getByText(`Lamp of ${left.id}`).count(), 0, 'and no product')
    t.strictSame(await view.faults(), [])
  }
  t.strictSame(view.complaints, [])
})
