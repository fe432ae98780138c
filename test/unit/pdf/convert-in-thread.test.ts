import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { packageRoot } from '../../../src/package-root.js'
import { eventually } from '../../support/eventually.js'
import { silent } from '../../support/log.js'
import { createThreadedPdfConverter } from '../../../src/pdf/convert-in-thread.js'

const converter = createThreadedPdfConverter({ logLevel: 'silent', log: silent })
t.teardown(async () => { await converter.close() })
const fixture = async (name: string): Promise<Buffer> => await readFile(join(packageRoot(), 'test/fixtures/size-charts', name))
const never = new AbortController().signal

t.test('several PDFs at a time each get their own answer', async (t) => {
  const [ruled, truncated, none] = await Promise.allSettled([
    converter.convert(await fixture('ruled.pdf'), never, 'acme'), converter.convert(await fixture('truncated.pdf'), never, 'acme'), converter.convert(Buffer.alloc(0), never, 'acme')
  ])
  t.match(ruled, { status: 'fulfilled', value: /\|/ })
  t.match(truncated, { status: 'rejected', reason: { name: 'PdfRefused', failure: { code: 'damaged' } } })
  t.match(none, { status: 'rejected', reason: { name: 'PdfRefused' } })
})

t.test('an abort ends the conversion with its reason', async (t) => {
  const abort = new AbortController()
  const converting = converter.convert(await fixture('ruled.pdf'), abort.signal, 'acme')
  abort.abort(new Error('not wanted any more'))
  await t.rejects(converting, { message: 'not wanted any more' })
  await t.rejects(converter.convert(await fixture('ruled.pdf'), abort.signal, 'acme'), { message: 'not wanted any more' })
})

t.test('of one vendor one PDF is converted at a time, and another vendor does not wait for its next', async (t) => {
  const order: string[] = []
  const pdf = await fixture('ruled.pdf')
  const oneByOne = createThreadedPdfConverter({ logLevel: 'silent', log: silent, processes: 1 })
  t.teardown(async () => { await oneByOne.close() })
  const convert = async (vendorId: string, name: string): Promise<void> => {
    await oneByOne.convert(pdf, never, vendorId)
    order.push(name)
  }
  await Promise.all([convert('acme', 'acme 1'), convert('acme', 'acme 2'), convert('acme', 'acme 3'), convert('other', 'other 1')])
  t.strictSame(order, ['acme 1', 'other 1', 'acme 2', 'acme 3'])
})

t.test('one whose thread is lost, and nobody knows over which PDF, is converted by itself', async (t) => {
  const workers: Worker[] = []
  const keep = (worker: Worker): void => { workers.push(worker) }
  process.on('worker', keep)
  const two = createThreadedPdfConverter({ logLevel: 'silent', log: silent, processes: 2 })
  t.teardown(async () => {
    process.off('worker', keep)
    await two.close()
  })
  const pdf = await fixture('ruled.pdf')
  const converting = Promise.all(['acme', 'other'].map(async (vendorId) => await two.convert(pdf, never, vendorId)))
  await eventually('their thread', () => workers.length === 1)
  await workers[0]?.terminate()
  for (const markdown of await converting) t.match(markdown, /\|/)
})

t.test('once it is closed, none is converted any more', async (t) => {
  const closing = createThreadedPdfConverter({ logLevel: 'silent', log: silent })
  const converting = closing.convert(await fixture('ruled.pdf'), never, 'acme')
  const lost = t.rejects(converting, { name: 'ThreadLost' })
  await closing.close()
  await lost
  await t.rejects(closing.convert(await fixture('ruled.pdf'), never, 'acme'), { code: 'SERVICE_UNAVAILABLE' })
})
