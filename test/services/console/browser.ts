/** A browser that looks at the console as a person would, and tells of what a person would not see. */
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { chromiumProgram } from '../parts/chromium.js'

/** What WCAG 2.2 AA asks for, as far as a program can tell. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface View {
  page: Page
  /** What the browser has complained about: errors, and what the content security policy refused. */
  complaints: string[]
  /** Waits until nothing is being loaded. */
  settled (): Promise<void>
  /** Until what has changed last is on the screen. */
  painted (): Promise<void>
  /** To a page of the console, and until it is there. */
  open (path: string): Promise<void>
  /** To another page, or the same from its beginning, as a link leads there: nothing but its data is loaded. Does not wait for it. */
  go (path: string): Promise<void>
  /** Problems of accessibility, and of a page that is wider than its window. */
  faults (): Promise<string[]>
  /** What the navigation leads to. */
  areas (): Promise<string[]>
  /** How far what stands on the page has moved since it was gone to without the reader's doing, as browsers add it up (0.1 and less is good), and what it was. */
  shifts (): Promise<{ sum: number, moved: string[] }>
  /** What the page holds once its garbage is collected. */
  measure (): Promise<{ heapBytes: number, domNodes: number }>
}

export interface ViewOptions { width?: number, theme?: 'light' | 'dark', locale?: string, credential?: string | null }

/** Put into each page before all else. */
const watchShifts = `
  globalThis.shifts = [];
  globalThis.shiftObserver = new PerformanceObserver((list) => { shifts.push(...list.getEntries()) });
  shiftObserver.observe({ type: 'layout-shift', buffered: true });`
const shiftsNow = `(() => {
  shifts.push(...shiftObserver.takeRecords());
  const own = shifts.filter(({ hadRecentInput }) => !hadRecentInput);
  const told = ({ node, previousRect: from, currentRect: to }) => (node?.outerHTML ?? node?.textContent ?? '').slice(0, 80) + ': ' + [from, to].map(({ x, y, width, height }) => [x, y, width, height].map(Math.round)).join(' to ');
  return { sum: own.reduce((sum, { value }) => sum + value, 0), moved: own.flatMap(({ sources }) => sources.map(told)) };
})()`

export async function startBrowser (t: Test): Promise<Browser> {
  // No sandbox: as root, in containers, Chromium has none.
  // With scrollbars, as a person's has them: what appears with them moves the rest.
  const browser = await chromium.launch({ executablePath: await chromiumProgram(), args: ['--no-sandbox', '--disable-dev-shm-usage'], ignoreDefaultArgs: ['--hide-scrollbars'] })
  t.teardown(async () => { await browser.close() })
  return browser
}

/** `credential`: signed in with it; null: at the form. Whatever the page's policy refuses fails the test. */
export async function openView (t: Pick<Test, 'teardown'> & { fail (message: string): unknown }, browser: Browser, url: string, { width = 1_280, theme = 'light', locale = 'en-GB', credential = null }: ViewOptions = {}): Promise<View> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme, locale, acceptDownloads: true })
  t.teardown(async () => { await context.close() })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    complaints.push(message.text())
    if (message.text().includes('Content Security Policy')) t.fail(`refused: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (credential !== null) await keepSignedIn(context, credential)
  await context.addInitScript(watchShifts)
  const session = await context.newCDPSession(page)
  // Not a script of the page's own, which its policy would refuse.
  const evaluate = async (expression: string): Promise<unknown> => (await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result.value
  const painted = async (): Promise<void> => { await page.evaluate('new Promise((resolve) => { requestAnimationFrame(() => { requestAnimationFrame(() => { setTimeout(resolve) }) }) })') }
  const settled = async (): Promise<void> => {
    await page.locator('h1').first().waitFor()
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached', timeout: 60_000 })
  }
  return {
    page,
    complaints,
    settled,
    painted,
    async open (path) {
      await page.goto(`${url}/console${path}`)
      await settled()
    },
    async go (path) {
      for (const each of ['/nowhere', path]) {
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${each}`)}); dispatchEvent(new PopStateEvent('popstate')); 0`)
        await painted()
      }
      await page.evaluate('shiftObserver.takeRecords(); shifts.length = 0')
    },
    async faults () {
      if (await evaluate('typeof axe') === 'undefined') await evaluate(`${axe.source}; 0`)
      const violations = await evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      const tooWide = width > 0 ? [`the page is wider than its window by ${width}`] : []
      return [...violations as string[], ...tooWide]
    },
    areas: async () => await page.getByRole('navigation', { name: 'Areas' }).getByRole('link').allInnerTexts(),
    async shifts () {
      await painted()
      return await page.evaluate<{ sum: number, moved: string[] }>(shiftsNow)
    },
    async measure () {
      await session.send('HeapProfiler.collectGarbage')
      const [{ usedSize }, { nodes }] = await Promise.all([session.send('Runtime.getHeapUsage'), session.send('Memory.getDOMCounters')])
      return { heapBytes: usedSize, domNodes: nodes }
    }
  }
}

async function keepSignedIn (context: BrowserContext, credential: string): Promise<void> {
  // Not in the frames of the browser's PDF viewer, which have none.
  await context.addInitScript(`if (self === top) sessionStorage.setItem('console.credential', ${JSON.stringify(credential)})`)
}
