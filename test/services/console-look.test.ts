/** How the console looks and is worked with, on every page: themes, widths, accessibility, dialogs, the keyboard, and that nothing of a merchant's runs. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { createVendor } from '../support/vendor.js'
import { openView } from './console/browser.js'
import { fillShop, pagesOf } from './console/shop.js'
import { startConsole } from './console/start-console.js'

const started = await startConsole(t)
const { service, browser, owner, tokenOf } = started
const shop = await fillShop(started)

t.test('every page, in both themes and three widths: accessible, no wider than its window, nothing refused by its policy, nothing of a merchant\'s run', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  for (const path of pagesOf(shop)) {
    await view.open(path)
    for (const width of [360, 1_280, 2_560]) {
      await view.page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await view.page.emulateMedia({ colorScheme })
        await view.page.locator('html.dark').waitFor({ state: colorScheme === 'dark' ? 'attached' : 'detached' })
        t.strictSame(await view.faults(), [], `${path} at ${width}, ${colorScheme}`)
      }
    }
    t.equal(await view.page.locator('.notice.wrong').count(), 0, `${path} shows no failure`)
    t.strictSame(view.complaints, [], path)
    t.equal(await view.page.locator('img[src="x"]').count(), 0, path)
  }
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

t.test('the keyboard goes everywhere: to an area, to the search, out of a dialog', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.getByRole('heading', { name: 'Catalog' }).waitFor()
  await page.keyboard.press('/')
  t.equal(await page.evaluate('document.activeElement.type'), 'search')
  await page.keyboard.press('g')
  t.equal(await page.getByRole('searchbox', { name: 'Search' }).inputValue(), 'g', 'what is typed into a field leads nowhere')
  await page.getByRole('heading', { name: 'Catalog' }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByRole('heading', { name: 'Imports' }).waitFor()
  await page.getByRole('button', { name: 'Start an import' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Start an import')
})

t.test('on a phone the area that one is in stands in view', async (t) => {
  const view = await openView(t, browser, service.url, { width: 360, credential: owner })
  for (const path of ['/access', '/imports']) {
    await view.open(path)
    const { left, right } = await view.page.evaluate<{ left: number, right: number }>("(({ left, right }) => ({ left, right }))(document.querySelector('.nav [aria-current]').getBoundingClientRect())")
    t.ok(left >= 0 && right <= 360, `${path}: ${left} to ${right}`)
  }
})

t.test('numbers, days and money are written as the reader does', async (t) => {
  for (const [locale, { price, day, count }] of [
    ['de-DE', { price: /9,50\s\$/, day: /1\. Jan\. 2026|01\.01\.2026/, count: '12.345' }], ['en-US', { price: /\$9\.50/, day: /Jan 1, 2026/, count: '12,345' }]
  ] as const) {
    const view = await openView(t, browser, service.url, { locale, credential: owner })
    await view.open(`/catalog/${encodeURIComponent(shop.productId)}`)
    t.match(await view.page.getByRole('region', { name: 'Variants' }).innerText(), price, locale)
    await view.page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query ImportJob(') !== true) return await route.continue()
      const answer = await (await route.fetch()).json() as { data: { productImportJob: { createdAt: string, stats: { productsCreated: number } } } }
      answer.data.productImportJob.createdAt = '2026-01-01T12:00:00.000Z'
      answer.data.productImportJob.stats.productsCreated = 12_345
      await route.fulfill({ json: answer })
    })
    await view.open(`/imports/${shop.jobId}`)
    t.match(await view.page.locator('.facts').innerText(), day, locale)
    t.match(await view.page.locator('.legend').innerText(), count, locale)
  }
})

t.test('where there is nothing yet, a page says what to do first', async (t) => {
  const empty = await createVendor(service, 'empty')
  await service.repositories().users.create('beginner', 'beginner@example.com', [{ vendorId: empty.id, role: 'owner', permissions: [] }])
  const view = await openView(t, browser, service.url, { credential: await tokenOf('beginner') })
  const first: Array<[path: string, says: string, does: string]> = [
    ['/imports', 'Nothing has been imported yet', 'Start an import'], ['/catalog', 'No products yet', 'Go to imports'], ['/stores', 'No stores yet', 'Add a store'], ['/fitment', 'No facets yet', 'Add a facet'],
    ['/size-charts', 'No size charts yet', 'Add a size chart'], ['/conversations', 'No conversations yet', `--vendor ${empty.id}`], ['/access?show=own', 'No keys yet', 'Make a key']
  ]
  for (const [path, says, does] of first) {
    await view.open(path)
    const main = await view.page.locator('main').innerText()
    t.match(main, says, path)
    t.match(main, does, path)
    t.strictSame(await view.faults(), [], path)
  }
  t.strictSame(view.complaints, [])
})

t.test('no other site may frame the console', async (t) => {
  const site = createServer((_request, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${service.url}/console/imports"></iframe>`) }).listen(0, '127.0.0.1')
  t.teardown(() => site.close())
  await once(site, 'listening')
  const told: string[] = []
  const { page } = await openView({ teardown: (end) => t.teardown(end), fail: (message) => told.push(message) }, browser, service.url, { credential: owner })
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  // What a frame shows in place of what it may not, it shows after its page has been loaded.
  const shown = await eventually('the frame shows something', () => page.frames()[1]?.url() || null)
  await eventually('why it does not show the console is told', () => told.length > 0)
  t.match(shown, /^chrome-error:/)
  t.match(told, [/frame-ancestors 'none'/])
})

t.test('what the policy of a page refuses fails the test that has the page open', async (t) => {
  const told: string[] = []
  const { page, open } = await openView({ teardown: (end) => t.teardown(end), fail: (message) => told.push(message) }, browser, service.url, { credential: owner })
  await open('/stores')
  const refused = page.waitForEvent('console', (message) => message.type() === 'error')
  await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { textContent: 'ran = true' })); 0")
  await refused
  t.match(told, [/Content Security Policy/])
  t.equal(await page.evaluate('typeof ran'), 'undefined')
})
