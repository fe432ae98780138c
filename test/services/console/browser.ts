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
  /** To a page of the console, and until it is there. */
  open (path: string): Promise<void>
  /** Problems of accessibility, and of a page that is wider than its window. */
  faults (): Promise<string[]>
  /** What the page holds once its garbage is collected. */
  measure (): Promise<{ heapBytes: number, domNodes: number }>
}

export interface ViewOptions { width?: number, theme?: 'light' | 'dark', credential?: string | null }

export async function startBrowser (t: Test): Promise<Browser> {
  // No sandbox: as root, in containers, Chromium has none.
  const browser = await chromium.launch({ executablePath: await chromiumProgram(), args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  t.teardown(async () => { await browser.close() })
  return browser
}

/** `credential`: signed in with it; null: at the form. */
export async function openView (t: Test, browser: Browser, url: string, { width = 1_280, theme = 'light', credential = null }: ViewOptions = {}): Promise<View> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme, locale: 'en-GB', acceptDownloads: true })
  t.teardown(async () => { await context.close() })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()) })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  if (credential !== null) await keepSignedIn(context, credential)
  const settled = async (): Promise<void> => {
    await page.locator('h1').first().waitFor()
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached', timeout: 60_000 })
  }
  return {
    page,
    complaints,
    settled,
    async open (path) {
      await page.goto(`${url}/console${path}`)
      await settled()
    },
    async faults () {
      const session = await context.newCDPSession(page)
      // Not a script of the page's own, which its policy would refuse.
      const { result } = await session.send('Runtime.evaluate', {
        expression: `${axe.source}; axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200))))`,
        awaitPromise: true
      })
      const width = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      const tooWide = width > 0 ? [`the page is wider than its window by ${width}`] : []
      return [...JSON.parse(String(result.value)) as string[], ...tooWide]
    },
    async measure () {
      const session = await context.newCDPSession(page)
      await session.send('HeapProfiler.collectGarbage')
      const [{ usedSize }, { nodes }] = await Promise.all([session.send('Runtime.getHeapUsage'), session.send('Memory.getDOMCounters')])
      await session.detach()
      return { heapBytes: usedSize, domNodes: nodes }
    }
  }
}

async function keepSignedIn (context: BrowserContext, credential: string): Promise<void> {
  // Not in the frames of the browser's PDF viewer, which have none.
  await context.addInitScript(`if (self === top) sessionStorage.setItem('console.credential', ${JSON.stringify(credential)})`)
}
