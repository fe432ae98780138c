/** What is on a page of the console while data is waited for, and that nothing on it jumps when that comes, or changes later. */
import t, { type Test } from 'tap'
import { holdLane } from '../support/held-lane.js'
import { createVendor } from '../support/vendor.js'
import { openView, type View } from './console/browser.js'
import { holdAnswers, lookAtSkeletons } from './console/held-answers.js'
import { fillShop, jsonl, lamp, pagesOf } from './console/shop.js'
import { startConsole } from './console/start-console.js'
import { openToldList } from './console/told-list.js'

const started = await startConsole(t)
const { service, browser, owner } = started
const shop = await fillShop(started)

/** What is said of it in "Web Vitals": up to this is good. That is for what changes while it is looked at; data that comes late moves nothing. */
const goodShift = 0.1
const lateShift = 0.01
const patienceMs = 200
/** They load nothing before they are asked. */
const loadsNothing = ['/assistant']
const pages = pagesOf(shop).filter((path) => !loadsNothing.includes(path))

async function holdStill (t: Test, { shifts }: View, what: string, most = goodShift): Promise<void> {
  const { sum, moved } = await shifts()
  t.ok(sum <= most, `${what}: ${sum.toFixed(4)}`, { moved })
  if (sum > 0) t.comment(what, sum, moved)
}

t.test('who waits to be signed in sees a skeleton after 200 ms', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const answers = await holdAnswers(view, () => true)
  await view.page.goto(`${service.url}/console/imports`)
  await answers.asked()
  t.strictSame(await lookAtSkeletons(view.page), [{ delayMs: patienceMs, before: 0, after: 1 }])
  await answers.letGo()
  await view.page.getByRole('row').nth(1).waitFor()
})

/** A click that is no reader's: what moves after one of theirs is not counted. */
const click = async ({ page }: View, name: string): Promise<void> => {
  await page.evaluate(`[...document.querySelectorAll('button')].find(({ textContent }) => textContent === ${JSON.stringify(name)}).click()`)
}

const widths = [360, 1_280, 2_560]

for (const width of widths) {
  t.test(`at ${width} px each page shows a skeleton once 200 ms have been waited, then what it waited for, and nothing jumps`, async (t) => {
    const view = await openView(t, browser, service.url, { width, credential: owner })
    const { page } = view
    await view.open('/access')
    const answers = await holdAnswers(view)
    for (const path of pages) {
      await view.go(path)
      await answers.asked()
      const looks = await lookAtSkeletons(page)
      t.ok(looks.length > 0 && looks.every(({ delayMs, before, after }) => delayMs <= patienceMs && (before === 0 || (before === null && delayMs <= 0)) && after === 1), `${path}: a skeleton, not before its time`, { looks })
      t.equal(await page.locator('tbody, .facts, .chart').count(), 0, `${path}: no data yet`)
      await answers.letGo()
      t.equal(await page.locator('.skeleton').count(), 0, `${path}: no skeleton any more`)
      t.ok(await page.locator('tbody, .facts, .chart, .lines, .markdown, .empty, main > .quiet').count() > 0, `${path}: the data`)
      await holdStill(t, view, path, lateShift)
    }
  })
}

t.test('the assistant shows a skeleton once it was asked, then its answer', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/assistant')
  t.equal(await page.locator('.skeleton').count(), 0)
  const answers = await holdAnswers(view)
  await page.getByLabel('As a shopper would say it').fill('brake pads for my honda')
  await click(view, 'Ask')
  await answers.asked()
  t.match(await lookAtSkeletons(page), [{ before: 0, after: 1 }])
  await answers.letGo()
  await page.getByRole('button', { name: '2020', exact: true }).waitFor()
  await holdStill(t, view, 'the first answer')
})

t.test('what is asked for again fades after 200 ms, until it comes', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/catalog')
  const answers = await holdAnswers(view)
  await page.getByLabel('Show').selectOption('Published')
  await answers.letGo()
  await page.getByLabel('Show').selectOption('Drafts')
  await answers.asked()
  t.match(await lookAtSkeletons(page, '[aria-busy=true]'), [{ delayMs: patienceMs, before: 1, after: 0.5 }])
  await answers.letGo()
  t.equal(await page.locator('[aria-busy=true]').count(), 0)
})

t.test('dialogs do not jump when what they choose from comes', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  for (const [path, name] of [['/imports', 'Start an import'], [`/catalog/${encodeURIComponent(shop.productId)}`, 'Change stock']] as const) {
    await view.open(path)
    const answers = await holdAnswers(view)
    await click(view, name)
    await answers.asked()
    await view.painted()
    await answers.letGo()
    await holdStill(t, view, name)
    await view.page.unroute(answers.pattern)
  }
})

const told = { jobId: 'told', status: 'queued', mode: 'REPLACE', files: ['products-full.jsonl.gz'], dryRun: false, queuePosition: 12, createdAt: new Date().toISOString(), startedAt: null, completedAt: null, stats: null, progress: null, startedBy: null }
const stats = { productsProcessed: 123_456, productsCreated: 1, productsUpdated: 1, productsArchived: 0, productsSkipped: 0, errors: 0 }
const [startedAt, completedAt] = [new Date(), new Date(Date.now() + 400)].map((time) => time.toISOString())
const runs = { status: 'processing', queuePosition: null, startedAt }
const done = { ...runs, status: 'completed', completedAt }
/** One job's life, and what is to be read of it then. */
const lives: Array<[changes: object, text: string]> = [
  [{ queuePosition: 1 }, 'Queued, next'],
  [{ ...runs, progress: { bytesRead: 1, bytesTotal: 9, linesRead: 7, percent: 1 } }, '7 lines read'],
  [{ ...runs, progress: { bytesRead: 8, bytesTotal: 9, linesRead: 123_456, percent: 90 } }, '123,456 lines read'],
  [{ ...done, stats: { ...stats, errors: 1_234 } }, 'Done, with errors'],
  [{ ...done, stats }, '123,456 lines']
]

for (const width of widths) {
  t.test(`at ${width} px the list of imports makes room for a new one, and stays where it is whatever becomes of that`, async (t) => {
    const view = await openView(t, browser, service.url, { width, credential: owner })
    const list = await openToldList(view)
    const row = view.page.getByRole('row').filter({ hasText: told.files[0] as string })
    list.tell(told)
    await row.waitFor()
    await holdStill(t, view, 'a new import')
    if (width >= 1_280) t.equal(await view.page.evaluate('document.querySelector(".table").scrollWidth - document.querySelector(".table").clientWidth'), 0, 'nothing to scroll to')
    // A number that stands on the right begins elsewhere when it is longer, and is counted; nothing around it may move.
    const elements = async (): Promise<string[]> => (await view.shifts()).moved.filter((each) => each.startsWith('<'))
    const before = await elements()
    for (const [changes, text] of lives) {
      list.tell({ ...told, ...changes })
      await row.getByText(text).waitFor()
      t.strictSame(await elements(), before, text)
    }
    await list.cut()
    await view.page.getByText('Not live').waitFor()
    t.strictSame(await elements(), before, 'not live')
    await holdStill(t, view, 'all of it')
  })

  t.test(`at ${width} px an import's page stays where it is from its queue to its report`, async (t) => {
    const busy = await createVendor(service, `busy-${width}`)
    const held = await holdLane(t, service.repositories(), busy.id)
    await busy.put('behind.jsonl', `${jsonl([lamp('b1'), lamp('b2')])}\n{"broken\n`)
    const behind = await busy.startImport({ files: ['behind.jsonl'], mode: 'UPDATE' })
    const { importJobs } = service.repositories()
    const speed = [{ ms: 1_000, linesRead: 500 }, { ms: 2_000, linesRead: 2_500 }, { ms: 3_000, linesRead: 3_000 }]
    const [first, second] = [await openView(t, browser, service.url, { width, credential: busy.apiKey }), await openView(t, browser, service.url, { width, credential: busy.apiKey })]
    await first.open(`/imports/${held.jobId}`)
    await second.open(`/imports/${behind}`)
    for (const [read, samples] of [1, 2, 3].map((count) => [500 * 3 ** count, speed.slice(0, count)] as const)) {
      await importJobs.progress(busy.id, held.jobId, { bytesRead: read, bytesTotal: 20_000, linesRead: read }, samples)
      await first.page.getByText(`${read.toLocaleString('en-GB')} lines read`).waitFor()
      await holdStill(t, first, `${read} lines`)
    }
    await held.release()
    await first.page.getByText('No line was read.').waitFor()
    await second.page.getByText('Write one complete JSON object per line').waitFor()
    await holdStill(t, first, 'an import that ran')
    await holdStill(t, second, 'an import that waited')
  })
}
