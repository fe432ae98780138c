/** Imports in the console: started, followed as they go, found again. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WebSocketRoute } from 'playwright-core'
import t from 'tap'
import { holdLane } from '../support/held-lane.js'
import { testFolder } from '../support/test-folder.js'
import { createVendor } from '../support/vendor.js'
import { openView } from './console/browser.js'
import { importQueue, jsonl, lamp } from './console/shop.js'
import { startConsole } from './console/start-console.js'
import { freePort } from './parts/free-port.js'

// A port of its own, so that it is found again after a restart.
const started = await startConsole(t, { env: { PORT: String(await freePort()) } })
const { service, browser, vendor, owner } = started
const queue = importQueue(started)
await vendor.put('first.jsonl', jsonl([lamp('first')]))
await vendor.runImport({ files: ['first.jsonl'], mode: 'UPDATE' })

t.test('a file that is dropped is followed live to its report', async (t) => {
  const file = join(testFolder(t), 'dropped.jsonl')
  await writeFile(file, `${jsonl([lamp('d1'), lamp('d2')])}\n{"broken\n`)
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
  await vendor.put('own.jsonl', jsonl([lamp('s1')]))
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

t.test('an import that others start appears by itself, and one that waits is cancelled', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  const { file, held } = await queue.queueBehindALongOne(t)
  const row = page.getByRole('row').filter({ hasText: file })
  await row.waitFor()
  await row.getByRole('button', { name: /^Cancel/ }).click()
  await page.getByRole('button', { name: 'Cancel the import', exact: true }).click()
  await row.getByText('Failed').waitFor({ timeout: 30_000 })
  const said = page.locator('[role=status][aria-live=polite]')
  t.equal(await said.innerText(), `Import of ${file} has failed`, 'who listens to the page is told, when they have heard the rest')
  await held.release()
})

t.test('the list is live again after the service was started again', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  await view.open('/imports')
  await service.terminate()
  await view.page.getByText('Not live').waitFor()
  await service.start()
  await view.page.getByText('Not live').waitFor({ state: 'detached', timeout: 60_000 })
  const file = await queue.startAnother()
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
  const { file, jobId, held } = await queue.queueBehindALongOne(t)
  const row = page.getByRole('row').filter({ hasText: file })
  await row.getByText('Queued').waitFor()
  isCut = true
  sockets.forEach(cut)
  await page.getByText('Not live').waitFor()
  await held.release()
  await vendor.ended(jobId)
  isCut = false
  await row.getByText('Done').waitFor({ timeout: 30_000 })
})

t.test('imports are found by a file and by their days, and the address keeps it', async (t) => {
  const view = await openView(t, browser, service.url, { credential: owner })
  const { page } = view
  await view.open('/imports')
  const file = await queue.startAnother()
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
  await vendor.put('dry.jsonl', jsonl([lamp('dry-1')]))
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

t.test('a job says who asked for it, and what it left as it was', async (t) => {
  await vendor.put('twice.jsonl', jsonl([lamp('same-1'), lamp('same-2')]))
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

t.test('an upload goes on where its connection broke', async (t) => {
  const file = join(testFolder(t), 'broken-off.jsonl')
  await writeFile(file, jsonl([lamp('b1')]))
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
