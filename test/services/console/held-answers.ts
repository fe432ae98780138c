/** Answers of the API that come as late as a test wants, one after the other, and what stands on a page in the place of what they bring. */
import type { Page, Request, Route } from 'playwright-core'
import { eventually } from '../../support/eventually.js'
import type { View } from './browser.js'

export interface HeldAnswers {
  /** Of the addresses that are held; for page.unroute. */
  pattern: RegExp
  /** Until something is asked for. */
  asked (): Promise<void>
  /** Each in the order in which it was asked for, and shown before the next; also those that are asked for then. Until nothing is waited for. */
  letGo (): Promise<void>
}

/** `isHeld`: of which questions; of all when left out, but for who is signed in. */
export async function holdAnswers ({ page, painted }: View, isHeld = (request: Request): boolean => request.postData()?.includes('query Viewer') !== true): Promise<HeldAnswers> {
  const held: Route[] = []
  const pattern = /\/graphql$|\/api\/v1\/files$/
  await page.route(pattern, async (route) => {
    if (isHeld(route.request())) held.push(route)
    else await route.continue()
  })
  const isWaiting = async (): Promise<boolean> => await page.locator('.skeleton, [aria-busy=true]').count() > 0
  return {
    pattern,
    async asked () { await eventually('the API is asked', () => held.length > 0) },
    async letGo () {
      for (;;) {
        const next = held.shift() ?? await eventually('the next question', async () => held.shift() ?? (!await isWaiting() && 'none'))
        if (next === 'none') return
        // One that the page does not wait for any more is no longer under way.
        if (next.request().failure() !== null) continue
        await Promise.all([page.waitForEvent('requestfinished', (request) => request === next.request()), next.continue()])
        await painted()
      }
    }
  }
}

export interface SkeletonLook {
  /** Of its animation, in ms. */
  delayMs: number
  /** Opacity, a moment before it is to be seen (null: the reader has waited for so long already) and when it is. */
  before: number | null
  after: number
}

/** What each skeleton of the page looks like over its time, which is set here: nothing is waited for. All of them are to be seen then. */
export async function lookAtSkeletons (page: Page, selector = '.skeleton'): Promise<SkeletonLook[]> {
  return await page.evaluate<SkeletonLook[]>(`[...document.querySelectorAll('${selector}')].map((skeleton) => {
    const [animation] = skeleton.getAnimations()
    const { delay: delayMs, duration } = animation.effect.getComputedTiming()
    const opacityAt = (ms) => {
      animation.currentTime = ms
      return Number(getComputedStyle(skeleton).opacity)
    }
    animation.pause()
    const look = { delayMs, before: delayMs > 0 ? opacityAt(delayMs - 1) : null, after: opacityAt(Math.max(0, delayMs + duration)) }
    animation.finish()
    return look
  })`)
}
