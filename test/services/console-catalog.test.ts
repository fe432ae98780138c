/** A vendor's products in the console, and what belongs to them: stock, size charts, what fits. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { listCatalog } from '../../src/console/api/operations.js'
import type { Product } from '../../src/domain/product.js'
import { contentWith } from '../../src/domain/product-content.js'
import { eventually } from '../support/eventually.js'
import { startPdfServer } from '../support/pdf-server.js'
import { corpusPdf } from '../support/size-chart-corpus.js'
import { storeLocation } from '../support/store-location.js'
import { openView } from './console/browser.js'
import { fillCatalog, hostile } from './console/shop.js'
import { startConsole } from './console/start-console.js'

/** Merchants' own sites, from which PDFs are fetched. */
const web = await startPdfServer(t, (path, response) => { response.writeHead(200).end(corpusPdf(path.slice(1))) })
const started = await startConsole(t, { env: { SIZE_CHART_ALLOWED_HOSTS: web.host } })
const { service, browser, vendor, owner } = started
const shop = await fillCatalog(started)

/** As the catalog's own list asks. */
const listed = JSON.stringify({ query: listCatalog, variables: { cursor: null } })

t.test('a search goes on behind pages without a product, and asks after some', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  let [asked, empty] = [0, 3]
  await page.route('**/graphql', async (route) => {
    const field = ['SearchCatalog', 'SiftCatalog'].find((name) => route.request().postData()?.includes(name))
    if (field === undefined) return await route.continue()
    const nodes = ++asked <= empty ? [] : (await (await route.fetch({ postData: listed })).json() as { data: { products: { nodes: object[] } } }).data.products.nodes.slice(0, 1)
    const page = { nodes, totalCount: 1, hasNextPage: nodes.length === 0, endCursor: `cursor-${asked}`, facets: { brands: [], tags: [] } }
    await route.fulfill({ json: { data: field === 'SearchCatalog' ? { searchProducts: page } : { products: page, all: { totalCount: 1_000_000 } } } })
  })
  await view.open('/catalog?store=A')
  await page.getByRole('row').nth(1).waitFor()
  t.equal(asked, 4)
  await page.getByText('1 shown of at least 1 products').waitFor()
  asked = 0
  empty = 25
  await page.getByLabel('Search').fill('rare')
  await page.getByRole('button', { name: 'Search on' }).waitFor()
  t.equal(asked, 21)
  t.strictSame(await view.faults(), [])
  empty = asked
  await page.getByRole('button', { name: 'Search on' }).click()
  await page.getByRole('row').nth(1).waitFor()
})

t.test('the catalog is narrowed down to drafts, to what a store has and to what can be bought, and the address keeps it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  const rows = page.getByRole('region', { name: 'Products' }).getByRole('row')
  await view.open('/catalog')
  await page.getByLabel('Show').selectOption('Published')
  await page.waitForURL(/show=published/)
  await view.settled()
  const published = await rows.allInnerTexts()
  t.ok(published.length > 1 && published.slice(1).every((text) => text.includes('Published')), JSON.stringify(published))
  await page.getByLabel('Show').selectOption('Drafts')
  await page.waitForURL(/show=draft/)
  await view.settled()
  await page.reload()
  await view.settled()
  const drafts = await rows.allInnerTexts()
  t.ok(drafts.length > 1 && drafts.slice(1).every((text) => text.includes('Draft')), JSON.stringify(drafts))
  await view.open('/catalog?store=A')
  t.equal(await rows.count(), 2)
  await page.getByLabel('Show').selectOption('Archived')
  await page.getByText('No product is like that').waitFor()
  t.strictSame(await view.faults(), [])
  await view.open('/catalog?stock=yes&show=published')
  t.equal(await page.getByLabel('Stock', { exact: true }).inputValue(), 'yes')
  await page.getByLabel('Search').fill('brake')
  await page.waitForURL(/text=brake/)
  await view.settled()
  t.equal(await page.getByLabel('Show').inputValue(), 'published')
  t.equal(await rows.count(), 2)
})

t.test('what is typed is looked for among those that are shown; where shoppers find none, drafts are offered', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  const found = page.getByRole('link', { name: 'Paper lantern' })
  await view.open('/catalog')
  await page.getByLabel('Show').selectOption('Drafts')
  await page.getByLabel('Search').fill('lantern')
  await found.waitFor()
  await page.getByText('Drafts, which shoppers do not find').waitFor()
  t.strictSame(await view.faults(), [])
  await page.getByLabel('Show').selectOption('Published')
  await page.getByText('No product is like that').waitFor()
  t.strictSame(await view.faults(), [], 'with nothing found')
  await page.getByRole('button', { name: 'Drafts' }).click()
  await found.waitFor()
  t.equal(await page.getByLabel('Show').inputValue(), 'draft')
  await page.reload()
  await found.waitFor()
  t.equal(await page.getByLabel('Search').inputValue(), 'lantern')
})

t.test('stock is changed at one store, by the keyboard alone; what the API refuses is shown, and nothing else of the product is another', async (t) => {
  const repositories = service.repositories()
  for (const [storeCode, isActive] of [['B', true], ['closed', false]] as const) {
    await repositories.storeLocations.create(vendor.id, storeLocation(storeCode, { isActive }))
  }
  const stored = async (): Promise<Product> => await eventually('the product is there', async () => await repositories.products.findByExternalId(vendor.id, shop.productId))
  const before = await stored()
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open(`/catalog/${encodeURIComponent(shop.productId)}`)
  await page.getByRole('button', { name: 'Change stock' }).press('Enter')
  await page.getByLabel('Where').getByRole('option', { name: 'Store B' }).waitFor({ state: 'attached' })
  t.equal(await page.getByLabel('Where').getByRole('option', { name: 'Store closed' }).count(), 0)
  const units = page.getByRole('dialog').getByRole('spinbutton')
  t.equal(await units.inputValue(), '3', 'in all')
  await page.getByLabel('Where').focus()
  await page.keyboard.type('Store B')
  await page.keyboard.press('Tab')
  t.equal(await units.inputValue(), '0', 'at the store')
  await page.keyboard.type('-1')
  await page.keyboard.press('Enter')
  await page.getByText(/inventoryByLocation.*B/).waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  await units.fill('7')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Variants' }).locator('td').filter({ hasText: 'Store B 7' }).waitFor()
  t.strictSame(await view.faults(), [])
  const after = await stored()
  const withoutLevels = (product: Product): object => contentWith(product, product.variants.map((variant) => ({ ...variant, locationQuantities: [] })))
  t.strictSame(after.variants[0]?.locationQuantities.map(({ quantity }) => quantity).sort((a, b) => a - b), [3, 7])
  t.strictSame(withoutLevels(after), withoutLevels(before))
})

t.test('the search box follows the address, also back', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/catalog')
  await page.getByLabel('Search').fill('nothing is called like this')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('row').nth(1).waitFor()
  t.equal(await page.getByLabel('Search').inputValue(), '')
  await view.open('/catalog?text=brake')
  t.equal(await page.getByLabel('Search').inputValue(), 'brake')
  await page.getByLabel('Brand').selectOption('Acme')
  await page.waitForURL(/brand=Acme/)
  await view.settled()
  t.equal(await page.getByRole('link', { name: 'Brake pads' }).count(), 1)
})

t.test('a size chart that is written is shown as a table', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/size-charts')
  await page.getByRole('button', { name: 'Add a size chart' }).first().click()
  await page.getByLabel('Name').fill('Gloves')
  await page.getByLabel('Id', { exact: true }).fill('gloves')
  await page.getByLabel('Markdown', { exact: true }).last().fill(`| Size | cm |\n|---|---|\n| S | 18 |\n\n${hostile}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Gloves' }).click()
  await page.getByRole('cell', { name: '18' }).waitFor()
  t.match(await page.locator('.markdown').innerText(), hostile)
  t.strictSame(view.complaints, [])
})

/** How a PDF comes, and where the link to it leads: what is on the web is linked there, and shown from this service's own copy. */
const pdfs: Array<[how: string, externalId: string, link: RegExp, choose: (page: Page) => Promise<void>]> = [
  ['dropped', 'dropped-pdf', /\/api\/v1\/size-charts\/[^/]+\/pdf$/, async (page) => {
    await page.getByLabel('A PDF of mine').check()
    await page.locator('input[type=file]').setInputFiles({ name: 'shirts.pdf', mimeType: 'application/pdf', buffer: corpusPdf('continued-on-next-page') })
  }],
  ['on the web', 'web-pdf', new RegExp(`^${web.url('/continued-on-next-page')}$`), async (page) => {
    await page.getByLabel('A PDF on the web').check()
    await page.getByLabel('Address of the PDF').fill(web.url('/continued-on-next-page'))
  }]
]

for (const [how, externalId, link, choose] of pdfs) {
  t.test(`a PDF that is ${how} becomes a chart, and stands beside it where there is room`, async (t) => {
    const view = await openView(t, browser, service.url, { credential: owner })
    const { page } = view
    await view.open('/size-charts')
    await page.getByRole('button', { name: 'Add a size chart' }).first().click()
    await page.getByLabel('Name').fill(`Shirts, ${externalId}`)
    await page.getByLabel('Id', { exact: true }).fill(externalId)
    await choose(page)
    t.strictSame(await view.faults(), [], 'the dialog')
    await page.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row').filter({ hasText: externalId })
    await row.getByText('Ready').waitFor({ timeout: 120_000 })
    await row.getByRole('link').click()
    await page.getByRole('cell', { name: '82-86' }).waitFor()
    const frame = page.locator('iframe')
    await frame.waitFor()
    t.match(await frame.getAttribute('src'), /^\/api\/v1\/size-charts\/[^/]+\/pdf#/)
    // The browser's own viewer is a page in the frame, which has the PDF in a frame again.
    await eventually('the PDF is shown', async () => page.frames().some((each) => each.url().includes('/pdf') && each.parentFrame()?.url().startsWith('chrome-extension:') === true))
    t.strictSame(await view.faults(), [])
    await page.setViewportSize({ width: 360, height: 800 })
    await frame.waitFor({ state: 'detached' })
    t.match(await page.getByRole('link', { name: 'Open the PDF' }).getAttribute('href'), link)
    t.strictSame(await view.faults(), [])
    t.strictSame(view.complaints, [])
  })
}

t.test('the assistant asks for what is open, and takes the answer', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/assistant')
  await page.getByLabel('As a shopper would say it').fill('brake pads for my honda')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('button', { name: '2020' }).click()
  await page.getByText('All facets are known').waitFor()
  t.strictSame(await view.faults(), [])
})
