/**
 * How the console pages through much: a list of conversations and the report of an import, with as many as `CONSOLE_ROWS` says (3,000; with 200,000 the list and half of it
 * the report, it is the measurement in docs/console.md). That a page costs one request is held; how long each took, as the browser's own clock has it, is told.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { sampleKinds, sampleYear } from '../../src/cli/sample-conversations.js'
import { conversationCount, conversations as conversationsQuery, importJob } from '../../src/console/api/operations.js'
import { writeRecords } from '../support/analytics-check.js'
import { eventually } from '../support/eventually.js'
import { openView } from './console/browser.js'
import { startConsole } from './console/start-console.js'

const rows = Number(process.env['CONSOLE_ROWS'] ?? 3_000)
const issues = Math.ceil(rows / 2)
const pageSize = 50
const pagesTurned = 10
const batchSize = 500

const { service, browser, vendor, owner } = await startConsole(t)
const { analytics, importJobs } = service.repositories()

for (const kind of sampleKinds.filter((each) => ['experts', 'smart-tags', 'conversations'].includes(each))) {
  let batch: unknown[] = []
  for (const record of sampleYear(kind, { conversations: rows, seed: 3 })) {
    batch.push(record)
    if (batch.length < batchSize) continue
    await writeRecords(analytics.writer, vendor.id, kind, batch)
    batch = []
  }
  await writeRecords(analytics.writer, vendor.id, kind, batch)
}
await vendor.put('bad.jsonl', Array.from({ length: issues }, (_, n) => JSON.stringify({ externalId: `bad-${n}`, name: 'No brand' })).join('\n'))
const jobId = await vendor.startImport({ files: ['bad.jsonl'], mode: 'UPDATE' })
await eventually('the import has ended', async () => (await importJobs.find(vendor.id, jobId))?.completedAt, 10 * 60_000)

/** Milliseconds: until the answer was there, from then until the page showed it and had painted, and how often the API was asked. */
interface Looked { answerMs: number, shownMs: number, requests: number }

/** Put into the page before it is acted upon: when it has changed last, as far as that has been painted. */
const watch = `
  globalThis.watched = { from: performance.now(), changed: 0, painted: 0 };
  globalThis.watching?.disconnect();
  globalThis.watching = new MutationObserver(() => {
    watched.changed = performance.now();
    requestAnimationFrame(() => setTimeout(() => { watched.painted = performance.now() }));
  });
  watching.observe(document.querySelector('main') ?? document.body, { subtree: true, childList: true, characterData: true, attributes: true });`
const told = `(() => {
  const asked = performance.getEntriesByType('resource').filter(({ name, startTime }) => name.endsWith('/graphql') && startTime >= watched.from);
  const [begun, came] = [Math.min(...asked.map(({ startTime }) => startTime)), Math.max(...asked.map(({ responseEnd }) => responseEnd))];
  return { answerMs: came - begun, shownMs: Math.max(0, watched.painted - came), requests: asked.length, isPainted: watched.painted >= watched.changed };
})()`

async function lookDuring (page: Page, act: () => Promise<void>): Promise<Looked> {
  await page.evaluate(watch)
  await act()
  return await eventually('the page has been painted', async () => {
    const looked = await page.evaluate<Looked & { isPainted: boolean }>(told)
    return looked.isPainted && looked
  })
}

/** The same question, without a browser. */
async function askMs (query: string, variables: object): Promise<number> {
  const startedMs = performance.now()
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }, body: JSON.stringify({ query, variables }) })
  await response.text()
  return performance.now() - startedMs
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN
const word = (what: string, looks: Looked[], alone: number[]): string =>
  `${what}: the API alone ${median(alone).toFixed(0)} ms; in the browser its answer ${median(looks.map(({ answerMs }) => answerMs)).toFixed(0)} ms, shown ${median(looks.map(({ shownMs }) => shownMs)).toFixed(0)} ms after it (medians of ${looks.length})`

t.test(`of ${rows} conversations each page is one request, and each is on one page`, async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/conversations')
  await page.getByText(`${pageSize} shown of ${rows.toLocaleString('en-GB')} conversations`).waitFor({ timeout: 120_000 })
  const links = page.getByRole('region', { name: 'Conversations' }).getByRole('row').getByRole('link')
  const idsNow = async (): Promise<string[]> => await links.evaluateAll((all) => all.map((each) => String((each as unknown as { href: string }).href)))
  const seen = await idsNow()
  const [looks, alone]: [Looked[], number[]] = [[], []]
  for (let turned = 1; turned <= pagesTurned; turned++) {
    const first = seen.at(-pageSize)
    looks.push(await lookDuring(page, async () => {
      await page.getByRole('button', { name: 'Next page' }).click()
      await eventually('the next page is there', async () => (await idsNow())[0] !== first)
      await view.settled()
    }))
    seen.push(...await idsNow())
    const cursor = new URL(page.url()).searchParams.get('after')
    alone.push(await askMs(conversationsQuery, { vendorId: vendor.id, cursor, filter: null, sort: [{ field: 'created', direction: 'desc' }], start: null, end: null, hour: null }))
  }
  t.equal(new Set(seen).size, pageSize * (pagesTurned + 1))
  t.equal(median(looks.map(({ requests }) => requests)), 1)
  t.comment(word(`a page of ${rows} conversations`, looks, alone))
  t.comment(`all of them are counted in ${(await askMs(conversationCount, { vendorId: vendor.id, filter: null, start: null, end: null, hour: null })).toFixed(0)} ms, once a list`)
})

t.test(`the report of an import with ${issues} issues is one request, and says exactly how many there are`, async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  const [looks, alone]: [Looked[], number[]] = [[], []]
  for (let opened = 0; opened < pagesTurned; opened++) {
    looks.push(await lookDuring(page, async () => {
      await page.getByRole('link', { name: 'bad.jsonl' }).click()
      await page.getByText(`${issues.toLocaleString('en-GB')} bad lines`).waitFor()
      await view.settled()
    }))
    alone.push(await askMs(importJob, { jobId }))
    t.equal(await page.getByRole('list', { name: 'Examples' }).first().getByRole('listitem').count(), 5)
    await page.getByRole('link', { name: 'Imports' }).first().click()
    await page.getByRole('link', { name: 'bad.jsonl' }).waitFor()
    await view.settled()
  }
  t.equal(median(looks.map(({ requests }) => requests)), 1)
  t.comment(word(`the report of ${issues} issues`, looks, alone))
})

t.test('each area shows what has come, and can be used, without asking further', async (t) => {
  const shown: number[] = []
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/access')
  for (const area of ['Imports', 'Catalog', 'Stores', 'Fitment', 'Size charts', 'Assistant', 'Analytics', 'Access']) {
    const looked = await lookDuring(page, async () => {
      await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area, exact: true }).click()
      await page.getByRole('heading', { name: area, level: 1 }).waitFor()
      await view.settled()
    })
    t.ok(looked.requests <= 3, `${area}: ${looked.requests} requests`)
    if (looked.requests > 0) shown.push(looked.shownMs)
    if (looked.requests > 0) t.comment(`${area}: ${looked.requests} requests, answered in ${looked.answerMs.toFixed(0)} ms, shown ${looked.shownMs.toFixed(0)} ms after`)
  }
  t.comment(`of ${shown.length} areas each was shown, with the browser free for its reader, ${Math.max(...shown).toFixed(0)} ms after its data at most`)
  t.strictSame(view.complaints, [])
})
