/** What the console tells of conversations: figures, and the conversations behind them. */
import t from 'tap'
import { writeRecords } from '../support/analytics-check.js'
import { openView } from './console/browser.js'
import { addMember, fillConversations } from './console/shop.js'
import { startConsole } from './console/start-console.js'

const started = await startConsole(t)
const { service, browser, vendor, owner, tokenOf } = started
const shop = await fillConversations(started)
await addMember(started)

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
  await writeRecords(service.repositories().analytics.writer, vendor.id, 'conversation-events', [
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

t.test('who may not see personal data is told so, where it would be', async (t) => {
  const view = await openView(t, browser, service.url, { credential: await tokenOf('member') })
  const { page } = view
  await view.open(`/conversations/${shop.conversationId}`)
  await page.getByText('This needs the permission VIEW_PII').first().waitFor()
  t.notMatch(await page.locator('main').innerText(), shop.email)
  // What else needs more than the member has is not in the navigation.
  t.strictSame(await view.areas(), ['Assistant', 'Analytics', 'Access'])
})
