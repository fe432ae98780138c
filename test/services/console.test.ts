/** The console in a browser, over the service as it runs, with what is embedded. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, WebSocketRoute } from 'playwright-core'
import t from 'tap'
import { listCatalog } from '../../src/console/api/operations.js'
import type { Product } from '../../src/domain/product.js'
import { contentWith } from '../../src/domain/product-content.js'
import { writeRecords } from '../support/analytics-check.js'
import { eventually } from '../support/eventually.js'
import { holdLane } from '../support/held-lane.js'
import { startPdfServer } from '../support/pdf-server.js'
import { corpusPdf } from '../support/size-chart-corpus.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'
import { openView, type View } from './console/browser.js'
import { fillShop } from './console/shop.js'
import { sshKey } from './console/ssh-key.js'
import { startConsole } from './console/start-console.js'
import { freePort } from './parts/free-port.js'

/** In everything that a merchant names: what is put in as HTML anywhere would run. */
const hostile = '<img src=x onerror="alert(1)">'

/** Merchants' own sites, from which PDFs are fetched. */
const web = await startPdfServer(t, (path, response) => { response.writeHead(200).end(corpusPdf(path.slice(1))) })
// A port of its own, so that it is found again after a restart.
const started = await startConsole(t, { PORT: String(await freePort()), SIZE_CHART_ALLOWED_HOSTS: web.host })
const { service, browser, owner, tokenOf } = started
const shop = await fillShop(started, hostile)

const jsonl = (products: object[]): string => products.map((product) => JSON.stringify(product)).join('\n')
/** As the catalog's own list asks. */
const listed = JSON.stringify({ query: listCatalog, variables: { cursor: null } })
const product = (id: string): object => ({ externalId: id, name: `Lamp ${id}`, brandName: 'Acme', externalUrl: `https://example.com/${id}` })

const pages = [
  '/imports', `/imports/${shop.jobId}`, '/catalog', '/catalog?text=img', `/catalog/${encodeURIComponent(shop.productId)}`, '/stores', '/fitment', '/size-charts',
  `/size-charts/${shop.chartId}`, '/assistant', '/analytics?from=2025-01-01&to=2025-12-31', '/conversations', '/conversations?start=2025-01-01T00:00:00.000Z&end=2026-01-01T00:00:00.000Z&day=0&hour=9&zone=UTC', `/conversations/${shop.conversationId}`,
  '/access', '/access?show=sftp', '/access?show=users', '/access?show=audit', '/access?show=audit&actor=USER&from=2025-01-01'
]

t.test('every page, in both themes and three widths: accessible, no wider than its window, nothing refused by its policy, nothing of a merchant\'s run', async (t) => {
  for (const [width, theme] of [360, 1_280, 2_560].flatMap((width) => [[width, 'light'], [width, 'dark']] as const)) {
    const view = await openView(t, browser, service.url, { width, theme, credential: owner })
    for (const path of pages) {
      await view.open(path)
      t.strictSame(await view.faults(), [], `${path} at ${width}, ${theme}`)
      t.equal(await view.page.locator('.notice.wrong').count(), 0, `${path} shows no failure`)
    }
    t.strictSame(view.complaints, [], `at ${width}, ${theme}`)
    t.equal(await view.page.locator('img[src="x"]').count(), 0)
  }
})

t.test('a wrong key is told at the form; the right one signs in, and a reload asks for it again unless it was to be kept', async (t) => {
  const { page, faults } = await openView(t, browser, service.url)
  await page.goto(`${service.url}/console/stores`)
  t.strictSame(await faults(), [])
  await page.getByLabel('Key or access token').fill('svc_of_nobody')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The API key is not valid').waitFor()
  await page.getByLabel('Key or access token').fill(owner)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Stores' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in to the catalog' }).waitFor()
})

t.test('a file that is dropped is followed live to its report', async (t) => {
  const file = join(testFolder(t), 'dropped.jsonl')
  await writeFile(file, `${jsonl([product('d1'), product('d2')])}\n{"broken\n`)
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  await page.getByRole('button', { name: 'Start an import' }).click()
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Uploaded', { exact: true }).waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByRole('button', { name: 'Start the import' }).click()
  await page.getByText('Done, with errors').waitFor({ timeout: 60_000 })
  await page.getByText('Write one complete JSON object per line').waitFor()
  t.match(await page.locator('.legend').innerText(), /Created 2/)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download all issues' }).click()
  t.match((await download).suggestedFilename(), /^issues-.*\.jsonl$/)
})

t.test('a vendor that has imported nothing is told the lines that do, with the address of this very SFTP server', async (t) => {
  const vendor = await createVendor(service, 'empty')
  const { page, open } = await openView(t, browser, service.url, { credential: vendor.apiKey })
  await open('/imports')
  const { hostname, port } = new URL(`sftp://${service.sftp}`)
  await page.getByText(`sftp -P ${port} ${vendor.id}@${hostname} <<<`).waitFor()
  await page.getByText(`--sftp ${vendor.id}@${hostname}:${port} --identity`).waitFor()
})

t.test('how fast an import was is drawn for whoever did not watch it, and what it reads next is added', async (t) => {
  const vendor = await createVendor(service, 'measured')
  await vendor.put('own.jsonl', jsonl([product('s1')]))
  const { jobId } = await vendor.runImport({ files: ['own.jsonl'], mode: 'UPDATE' })
  const view = await openView(t, browser, service.url, { credential: vendor.apiKey })
  const drawn = view.page.getByRole('img', { name: /^Lines per second/ })
  await view.open(`/imports/${jobId}`)
  await view.page.getByText('Every line was good.').waitFor()
  t.equal(await drawn.count(), 0, 'it ended too soon')

  const speed = [{ ms: 1_000, linesRead: 500 }, { ms: 2_000, linesRead: 2_500 }, { ms: 3_000, linesRead: 3_000 }]
  const { importJobs } = service.repositories()
  await importJobs.progress(vendor.id, jobId, { bytesRead: 10, bytesTotal: 10, linesRead: 3_000 }, speed)
  await view.open(`/imports/${jobId}`)
  t.match(await drawn.getAttribute('aria-label'), /^Lines per second, at most 2.000, last 500$/)
  t.strictSame(await view.faults(), [])

  const busy = await createVendor(service, 'busy')
  const held = await holdLane(t, service.repositories(), busy.id)
  const { page, open } = await openView(t, browser, service.url, { credential: busy.apiKey })
  await open(`/imports/${held.jobId}`)
  await importJobs.progress(busy.id, held.jobId, { bytesRead: 5, bytesTotal: 10, linesRead: 2_500 }, speed.slice(0, 2))
  await page.getByRole('img', { name: /last 2.000$/ }).waitFor()
  await importJobs.progress(busy.id, held.jobId, { bytesRead: 6, bytesTotal: 10, linesRead: 3_000 }, speed)
  await page.getByRole('img', { name: /last 500$/ }).waitFor()
  await held.release()
})

t.test('each number of a period leads to conversations, unless it is nothing or there can be none, which is said', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/analytics?from=2025-01-01&to=2025-12-31')
  for (const details of await page.locator('details').all()) await details.locator('summary').click()
  const numbers = page.locator('.facts > div, .cards tbody td.number')
  t.ok(await numbers.count() > 200)
  const without = await numbers.filter({ hasNot: page.getByRole('link') }).allInnerTexts()
  t.strictSame(without.filter((text) => !/^\D*0(?:\.00)?$/.test(text)).map((text) => text.split('\n')[0]), ['Others who order', 'Others\' average order'])
  await page.getByText('there are no conversations behind their figures').waitFor()
})

t.test('a top product leads to the conversations whose orders hold it, and to those that recommended it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  const top = page.getByRole('region', { name: 'Top products' }).locator('tbody tr').first()
  await view.open('/analytics?from=2025-01-01&to=2025-12-31')
  const externalId = await top.locator('td').first().innerText()
  await writeRecords(service.repositories().analytics.writer, shop.vendor.id, 'conversation-events', [
    { id: 'recommending', conversationId: shop.conversationId, created: '2025-06-01T00:00:00Z', type: 'Recommendation', recommendations: [{ product: { externalId } }] }
  ])
  await view.open('/analytics?from=2025-01-01&to=2025-12-31')
  await top.locator('a[href*="recommended="]').click()
  await page.getByText(`With a recommendation of ${externalId}`).waitFor()
  await page.locator(`a[href$="/conversations/${shop.conversationId}"]`).waitFor()
  t.strictSame(await view.faults(), [])
  await page.goBack()
  await view.settled()
  await top.locator('a[href*="product="]').first().click()
  await page.getByText('With an attributed order of').waitFor()
  const rows = page.getByRole('region', { name: 'Conversations' }).locator('tbody tr')
  await rows.first().waitFor()
  for (const row of await rows.all()) t.equal(await row.locator('td').last().innerText(), 'Attributed')
  t.strictSame(await view.faults(), [])
  await page.getByRole('button', { name: 'All products' }).click()
  await page.getByText('With an attributed order of').waitFor({ state: 'detached' })
})

t.test('an import that others start appears by itself, and one that waits is cancelled', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  const { file, held } = await shop.queueBehindALongOne(t)
  const row = page.getByRole('row').filter({ hasText: file })
  await row.waitFor()
  await row.getByRole('button', { name: /^Cancel/ }).click()
  await page.getByRole('button', { name: 'Cancel the import', exact: true }).click()
  await row.getByText('Failed').waitFor({ timeout: 30_000 })
  await held.release()
})

t.test('the list is live again after the service was started again', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/imports')
  await service.terminate()
  await view.page.getByText('Not live').waitFor()
  await service.start()
  await view.page.getByText('Not live').waitFor({ state: 'detached', timeout: 60_000 })
  const file = await shop.startAnother()
  await view.page.getByRole('row').filter({ hasText: file }).waitFor({ timeout: 30_000 })
})

t.test('an import that ended while the connection was gone is shown as it ended', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  const sockets: WebSocketRoute[] = []
  let isCut = false
  const cut = (socket: WebSocketRoute): void => { void socket.close({ code: 1012 }) }
  await page.routeWebSocket('**/graphql', (socket) => {
    if (isCut) return cut(socket)
    socket.connectToServer()
    sockets.push(socket)
  })
  await view.open('/imports')
  const { file, jobId, held } = await shop.queueBehindALongOne(t)
  const row = page.getByRole('row').filter({ hasText: file })
  await row.getByText('Queued').waitFor()
  isCut = true
  sockets.forEach(cut)
  await page.getByText('Not live').waitFor()
  await held.release()
  await shop.vendor.ended(jobId)
  isCut = false
  await row.getByText('Done').waitFor({ timeout: 30_000 })
})

t.test('imports are found by a file and by their days, and the address keeps it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  const file = await shop.startAnother()
  await page.getByRole('row').filter({ hasText: file }).waitFor({ timeout: 30_000 })
  await page.getByLabel('File').fill('first.jsonl')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: file }).waitFor({ state: 'detached' })
  t.equal(await page.getByRole('row').filter({ hasText: 'first.jsonl' }).count(), 1)
  await page.reload()
  await view.settled()
  t.equal(await page.getByLabel('File').inputValue(), 'first.jsonl')
  t.strictSame(await view.faults(), [])
  await page.getByLabel('To').fill('2020-01-01')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('row').filter({ hasText: file }).waitFor()
})

t.test('a dry run writes nothing and leads to the import', async (t) => {
  await shop.vendor.put('dry.jsonl', jsonl([product('dry-1')]))
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  await page.getByRole('button', { name: 'Start an import' }).click()
  await page.getByLabel(/dry\.jsonl/).check()
  await page.getByLabel(/Dry run/).check()
  await page.getByRole('button', { name: 'Start the dry run' }).click()
  await page.getByText('What would happen; nothing was written').waitFor({ timeout: 60_000 })
  await view.settled()
  t.strictSame(await view.faults(), [])
  await page.getByRole('button', { name: 'Import it now' }).click()
  t.equal(await page.getByLabel(/dry\.jsonl/).isChecked(), true)
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByRole('button', { name: 'Start the import' }).click()
  await page.getByText('What happened to the products').waitFor({ timeout: 60_000 })
  await view.open('/catalog/dry-1')
  await page.getByText(/^Line 1 of/).waitFor()
  await page.getByRole('link', { name: 'dry.jsonl' }).click()
  await page.getByRole('heading', { name: 'dry.jsonl' }).waitFor()
})

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
    await repositories.storeLocations.create(shop.vendor.id, { storeCode, name: `Store ${storeCode}`, isActive, phone: null, latitude: null, longitude: null, streetAddress: null, streetAddress2: null, city: null, region: null, country: null, postalCode: null })
  }
  const stored = async (): Promise<Product> => await eventually('the product is there', async () => await repositories.products.findByExternalId(shop.vendor.id, shop.productId))
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

t.test('a figure leads to the conversations behind it, of its period alone, and so do an hour and a bucket', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/analytics?from=2025-01-01&to=2025-06-30')
  const all = Number((await page.locator('.facts .large').first().innerText()).replaceAll(',', ''))
  t.ok(all > 0 && all < 80, `${all} of the year's`)
  for (const [label, rating] of [['NPS of 9 and 10', 'Positive'], ['NPS of 6 and less', 'Negative']] as const) {
    const rated = page.locator('.facts > div').filter({ hasText: label })
    t.match(await rated.getByRole('link').getAttribute('href'), new RegExp(`npsRating=${rating}`))
    t.match(await rated.innerText(), /\d/)
  }
  for (const details of await page.locator('details').all()) await details.locator('summary').click()
  t.strictSame(await view.faults(), [], 'with the tables open')
  const hours = page.getByRole('region', { name: 'Busiest hours' }).getByRole('link')
  const counts = (await hours.allInnerTexts()).map(Number)
  t.equal(counts.reduce((sum, count) => sum + count, 0), all)
  await hours.first().click()
  await view.settled()
  await page.getByText(`${counts[0]} shown of ${counts[0]} conversations`).waitFor()
  t.equal(await page.getByRole('region', { name: 'Conversations' }).getByRole('row').count(), (counts[0] ?? 0) + 1)
  await page.goBack()
  await view.settled()
  await page.locator('.facts .large a').first().click()
  await view.settled()
  await page.getByText(`of ${all} conversations`).waitFor()
  t.equal(await page.getByLabel('Begun from').inputValue(), '2025-01-01')
  t.equal(await page.getByLabel('To', { exact: true }).inputValue(), '2025-06-30')
  t.strictSame(await view.faults(), [])
  await page.getByRole('button', { name: 'All times' }).click()
  await page.getByText('of 80 conversations').waitFor()
})

t.test('an SFTP key is added, may log in, and is revoked', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=sftp')
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByLabel('Public key').fill('nonsense')
  await page.getByRole('button', { name: 'Add the key' }).click()
  await page.getByText('publicKey is not an OpenSSH public key').waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  const { publicKey, fingerprint } = sshKey(hostile)
  await page.getByLabel('Public key').fill(publicKey)
  await page.getByRole('button', { name: 'Add the key' }).click()
  const row = page.getByRole('row').filter({ hasText: fingerprint })
  await row.waitFor()
  t.equal(await service.repositories().sftpKeys.isRegistered(shop.vendor.id, fingerprint), true)
  await row.getByRole('button').click()
  await page.getByRole('dialog').waitFor()
  t.strictSame(await view.faults(), [], 'the question')
  await page.getByRole('button', { name: 'Remove the key', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  t.equal(await service.repositories().sftpKeys.isRegistered(shop.vendor.id, fingerprint), false)
  t.strictSame(view.complaints.filter((text) => !text.includes('400')), [])
})

t.test('a user is added, changed and removed; an admin is offered no owners, and a key nothing', async (t) => {
  const { users } = service.repositories()
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=users')
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByLabel('E-mail').fill('new@example.com')
  await page.getByLabel('Id').fill('member')
  await page.getByRole('button', { name: 'Add the user' }).click()
  await page.getByText('User member belongs to this vendor already').waitFor()
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByLabel('Id').fill('new')
  await page.getByLabel('VIEW_NPS').check()
  await page.getByRole('button', { name: 'Add the user' }).click()
  const row = page.getByRole('row').filter({ hasText: 'new@example.com' })
  await row.getByText('VIEW_NPS').waitFor()
  await row.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Role').selectOption('Admin')
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Everything').waitFor()
  t.match((await users.find('new'))?.memberships, [{ vendorId: shop.vendor.id, role: 'admin' }])

  const asAdmin = await openView(t, browser, service.url, { width: 360, theme: 'dark', credential: await tokenOf('new') })
  await asAdmin.open('/access?show=users')
  const ofOwner = asAdmin.page.getByRole('row').filter({ hasText: 'owner@example.com' })
  t.equal(await ofOwner.getByRole('button').count(), 0)
  await asAdmin.page.getByRole('button', { name: 'Add a user' }).click()
  t.strictSame(await asAdmin.page.getByLabel('Role').getByRole('option').allInnerTexts(), ['Member', 'Admin'])
  t.strictSame(await asAdmin.faults(), [])
  const { key, record } = await service.repositories().userApiKeys.create('owner', 'a script', null)
  const byKey = await openView(t, browser, service.url, { credential: key })
  await byKey.open('/access?show=users')
  t.equal(await byKey.page.getByRole('button', { name: /^(?:Add a user|Change|Remove)/ }).count(), 0)
  await service.repositories().userApiKeys.revoke('owner', record._id)

  const made = await service.repositories().integrationApiKeys.create(shop.vendor.id, 'made by new', ['VIEW_NPS'], { createdBy: 'new' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').waitFor()
  t.strictSame(await view.faults(), [], 'the question')
  await page.getByRole('button', { name: 'Remove the user', exact: true }).click()
  await page.getByRole('dialog').getByText('made by new').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await row.waitFor({ state: 'detached' })
  await service.repositories().integrationApiKeys.revoke(shop.vendor.id, made.record._id)
  const last = page.getByRole('row').filter({ hasText: 'owner@example.com' })
  await last.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove the user', exact: true }).click()
  await page.getByText('The vendor has no other owner').waitFor()
})

t.test('the audit log is narrowed down, and the address keeps it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access?show=audit')
  await page.getByLabel('What').fill('createSizeChart')
  await page.keyboard.press('Enter')
  await page.waitForURL(/action=createSizeChart/)
  await view.settled()
  await page.reload()
  await view.settled()
  const rows = await page.getByRole('region', { name: 'Audit log' }).getByRole('row').allInnerTexts()
  t.ok(rows.length > 1)
  t.ok(rows.slice(1).every((text) => text.includes('createSizeChart')))
  await page.getByLabel('Kind').selectOption('OPERATOR')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('row').filter({ hasText: 'createFitmentFacet' }).first().waitFor()
})

t.test('the service as a whole is shown to whoever started it, in both themes and on a phone; to others it is refused', async (t) => {
  const repositories = service.repositories()
  await repositories.users.create('local-operator', 'operator@localhost', [{ vendorId: shop.vendor.id, role: 'owner', permissions: [] }]).catch(() => { /* The link has been used. */ })
  const operator = await tokenOf('local-operator')
  for (const [width, theme] of [[360, 'dark'], [1_280, 'light'], [2_560, 'dark']] as const) {
    const view = await openView(t, browser, service.url, { width, theme, credential: operator })
    await view.open('/service')
    await view.page.getByText('Kafka').waitFor()
    await view.page.getByRole('region', { name: 'Workers' }).getByText('Alive').waitFor()
    t.strictSame(await view.faults(), [], `${width}, ${theme}`)
    t.strictSame(view.complaints, [])
  }
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/service')
  await view.page.getByText('This is for whoever runs the service').waitFor()
  t.notMatch(await view.page.locator('main').innerText(), shop.vendor.id)
})

t.test('a job says who asked for it, and what it left as it was', async (t) => {
  await shop.vendor.put('twice.jsonl', jsonl([product('same-1'), product('same-2')]))
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  for (const expected of [/Created 2[^]*Unchanged 0/, /Created 0[^]*Updated 0[^]*Unchanged 2/]) {
    await view.open('/imports')
    await page.getByRole('button', { name: 'Start an import' }).click()
    await page.getByLabel(/twice\.jsonl/).check()
    await page.getByRole('button', { name: 'Start the import' }).click()
    await page.getByText('What happened to the products').waitFor({ timeout: 60_000 })
    await view.settled()
    t.match(await page.locator('.legend').innerText(), expected)
    t.match(await page.locator('.facts').innerText(), /By\s+owner/)
    t.strictSame(await view.faults(), [])
  }
  await view.open('/imports')
  await page.getByRole('row').filter({ hasText: 'twice.jsonl' }).first().getByText('owner').waitFor()
})

t.test('a key is made, used and revoked', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByLabel('Name').fill('made in a browser')
  t.strictSame(await view.faults(), [], 'the dialog')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = (await page.locator('.key code').innerText()).trim()
  await page.getByRole('button', { name: 'Done' }).click()
  const status = async (): Promise<number> => (await fetch(`${service.url}/api/v1/files`, { headers: { 'x-vendor-api-key': key } })).status
  t.equal(await status(), 200)
  await page.getByRole('button', { name: 'Revoke made in a browser' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByRole('row').filter({ hasText: 'made in a browser' }).getByText('Revoked').waitFor()
  t.equal(await status(), 401)
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

t.test('dialogs about what a merchant has named: accessible on a phone, and nothing of it is run', async (t) => {
  const view = await openView(t, browser, service.url, { width: 360, theme: 'dark', credential: owner })
  const { page } = view
  for (const [path, button, title] of [
    ['/stores', /^Change/, /^Change </], ['/stores', /^Delete/, /^Delete the store/], ['/fitment', /^Change make/, /^Change make/], ['/fitment', /^Delete make/, /^Delete the facet/],
    ['/fitment', /^Delete honda-2019/, /^Delete the target/], [`/size-charts/${shop.chartId}`, 'Change', /^Change </], [`/size-charts/${shop.chartId}`, 'Delete', /^Delete the size chart/],
    [`/catalog/${encodeURIComponent(shop.productId)}`, 'Change stock', /^Stock of/], ['/access', /^Revoke <img/, /^Revoke the key/], ['/imports', 'Start an import', /^Start an import/]
  ] as const) {
    await view.open(path)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').getByRole('heading', { name: title }).first().waitFor()
    await page.getByRole('dialog').locator('.skeleton').waitFor({ state: 'detached' })
    t.strictSame(await view.faults(), [], `${path}: ${String(button)}`)
    t.equal(await page.locator('img[src="x"]').count(), 0)
  }
  t.strictSame(view.complaints, [])
})

t.test('an upload goes on where its connection broke', async (t) => {
  const file = join(testFolder(t), 'broken-off.jsonl')
  await writeFile(file, jsonl([product('b1')]))
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  let sent = 0
  await page.route('**/api/v1/files/*', async (route) => {
    if (route.request().method() === 'PATCH' && ++sent === 1) await route.abort('connectionreset')
    else await route.continue()
  })
  await view.open('/imports')
  await page.getByRole('button', { name: 'Start an import' }).click()
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Uploaded', { exact: true }).waitFor()
  t.ok(sent > 1, `${sent} times sent`)
  t.equal(await page.getByLabel(/broken-off\.jsonl/).isChecked(), true)
})

t.test('no page shows a member what takes a permission, and each says so', async (t) => {
  const view = await openView(t, browser, service.url, { credential: await tokenOf('member') })
  for (const path of pages) {
    await view.open(path)
    const text = await view.page.locator('main').innerText()
    t.notMatch(text, shop.email, path)
    t.strictSame(await view.faults(), [], path)
    if (!/^\/(?:assistant|conversations(?:$|\?)|access|catalog\?)/.test(path)) t.match(text, /needs the permission|permission/, path)
  }
  t.strictSame(view.complaints, [])
})

t.test('who may not see personal data is told so, where it would be', async (t) => {
  const view = await openView(t, browser, service.url, { credential: await tokenOf('member') })
  const { page } = view
  await view.open(`/conversations/${shop.conversationId}`)
  await page.getByText('This needs the permission VIEW_PII').first().waitFor()
  t.notMatch(await page.locator('main').innerText(), shop.email)
  // What else needs more than the member has is not in the navigation.
  t.strictSame(await areasOf(view), ['Assistant', 'Analytics', 'Access'])
})

t.test('the keyboard goes everywhere: to an area, to the search, out of a dialog', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'Catalog' }).waitFor()
  await page.keyboard.press('/')
  t.equal(await page.evaluate('document.activeElement.type'), 'search')
  await page.goBack()
  await page.getByRole('button', { name: 'Start an import' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Start an import')
})

const areasOf = async ({ page }: View): Promise<string[]> => await page.getByRole('navigation', { name: 'Areas' }).getByRole('link').allInnerTexts()

t.test('an owner is led everywhere', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/imports')
  t.strictSame(await areasOf(view), ['Imports', 'Catalog', 'Stores', 'Fitment', 'Size charts', 'Assistant', 'Analytics', 'Access'])
})
