/**
 * What the console's list of imports holds after many changes, as a browser's own counters tell it: `CONSOLE_MINUTES` says for how long it is told 1,000 a minute, in true time
 * (half a minute, after 6,000 at once). The changes come over a websocket of the test's own, as an API would tell them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openView, type View } from './console/browser.js'
import { startConsole } from './console/start-console.js'
import { openToldList } from './console/told-list.js'

const changesAMinute = 1_000
const minutes = Number(process.env['CONSOLE_MINUTES'] ?? 0.5)
const atOnce = 6_000
/** Before the first is measured: by then the list is full. */
const first = 1_000
/** What may come and go with when a page's garbage is collected; an hour that kept a byte of each line that is shown would pass it. */
const spreadBytes = 1_000_000

const { service, browser, owner } = await startConsole(t)

/** Each tenth is of another job, so that the list is full, and goes on. */
const changedJob = (number: number): object => ({
  jobId: `told-${Math.floor(number / 10)}`, status: 'processing', mode: 'UPDATE', files: [`told-${Math.floor(number / 10)}.jsonl`], dryRun: false, queuePosition: null,
  createdAt: new Date(Date.UTC(2999, 0, 1) + Math.floor(number / 10)).toISOString(), startedAt: new Date(Date.UTC(2026, 0, 1)).toISOString(), completedAt: null, stats: null,
  progress: { bytesRead: number, bytesTotal: 1_000_000, linesRead: number + 1, percent: number / 10_000 % 100 }
})

interface ChangingList {
  view: View
  told (): number
  /** One change more. */
  tell (): void
  /** Until the list shows the last of them. */
  shown (): Promise<void>
}

async function openList (t: Test): Promise<ChangingList> {
  const view = await openView(t, browser, service.url, { credential: owner })
  const list = await openToldList(view)
  let told = 0
  return {
    view,
    told: () => told,
    tell () { list.tell(changedJob(told++)) },
    shown: async () => { await view.page.getByText(`${told.toLocaleString('en-GB')} lines read`).first().waitFor() }
  }
}

async function tellAtOnce ({ told, tell, shown }: ChangingList, count: number): Promise<void> {
  for (const last = told() + count; told() < last;) {
    tell()
    if (told() % 100 === 0) await shown()
  }
}

async function tellForAMinute ({ tell, shown }: ChangingList, share: number): Promise<void> {
  const startedMs = performance.now()
  for (let count = 0; count < changesAMinute * share; count++) {
    await delay(Math.max(0, startedMs + count * 60_000 / changesAMinute - performance.now()))
    tell()
  }
  await shown()
}

function holdFlat (t: Test, before: Measured, after: Measured): void {
  t.ok(after.heapBytes < before.heapBytes + spreadBytes, `${before.heapBytes} bytes, then ${after.heapBytes}`)
  t.ok(after.domNodes < before.domNodes * 1.1, `${before.domNodes} nodes, then ${after.domNodes}`)
}

type Measured = Awaited<ReturnType<View['measure']>>

t.test('a list that is told thousands of changes is no larger than one that was told a few', async (t) => {
  const list = await openList(t)
  await tellAtOnce(list, first)
  const before = await list.view.measure()
  await tellAtOnce(list, atOnce)
  const after = await list.view.measure()
  t.comment(`after ${first} changes ${JSON.stringify(before)}, after ${list.told()} ${JSON.stringify(after)}`)
  holdFlat(t, before, after)
  t.strictSame(list.view.complaints, [])
})

t.test(`a list that is told 1,000 changes a minute holds no more in the end than in the beginning (${minutes} minutes)`, async (t) => {
  const list = await openList(t)
  await tellAtOnce(list, first)
  const before = await list.view.measure()
  let after = before
  for (let minute = 0; minute < minutes; minute++) {
    await tellForAMinute(list, Math.min(1, minutes - minute))
    after = await list.view.measure()
    t.comment(`minute ${minute + 1}: ${JSON.stringify(after)} after ${list.told()} changes`)
  }
  t.comment(`in the beginning ${JSON.stringify(before)}`)
  holdFlat(t, before, after)
  t.strictSame(list.view.complaints, [])
})
