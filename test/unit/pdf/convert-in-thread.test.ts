import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../src/api/graphql/schema-text.js'
import { createThreadedPdfConverter } from '../../../src/pdf/convert-in-thread.js'

const converter = createThreadedPdfConverter({ logLevel: 'silent' })
t.teardown(async () => { await converter.close() })
const fixture = async (name: string): Promise<Buffer> => await readFile(join(packageRoot(), 'test/fixtures/size-charts', name))
const never = new AbortController().signal

t.test('several PDFs at a time each get their own answer', async (t) => {
  const [ruled, truncated, none] = await Promise.allSettled([
    converter.convert(await fixture('ruled.pdf'), never), converter.convert(await fixture('truncated.pdf'), never), converter.convert(Buffer.alloc(0), never)
  ])
  t.match(ruled, { status: 'fulfilled', value: /\|/ })
  t.match(truncated, { status: 'rejected', reason: { name: 'PdfRefused', failure: { code: 'damaged' } } })
  t.match(none, { status: 'rejected', reason: { name: 'PdfRefused' } })
})

t.test('an abort ends the conversion with its reason', async (t) => {
  const abort = new AbortController()
  const converting = converter.convert(await fixture('ruled.pdf'), abort.signal)
  abort.abort(new Error('not wanted any more'))
  await t.rejects(converting, { message: 'not wanted any more' })
  await t.rejects(converter.convert(await fixture('ruled.pdf'), abort.signal), { message: 'not wanted any more' })
})

t.test('after the thread has gone the next PDF has another one', async (t) => {
  const converting = converter.convert(await fixture('ruled.pdf'), never)
  const lost = t.rejects(converting, { message: 'the conversion thread has ended' })
  await converter.close()
  await lost
  t.match(await converter.convert(await fixture('ruled.pdf'), never), /\|/)
})
