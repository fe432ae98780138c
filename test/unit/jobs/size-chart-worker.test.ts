/** Conversions from hint to READY or FAILED, on the real database, with a converter that the test holds in its hand. */
import { createHash, randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createSizeChartConversion, type ConvertSizeChart } from '../../../pipelines/size-chart-conversion.js'
import { PdfRefused } from '../../../src/domain/conversion-failure.js'
import type { SizeChartRecord } from '../../../src/domain/size-chart.js'
import { createSizeChartWorker, type SizeChartWorkerOptions } from '../../../src/jobs/size-chart-worker.js'
import type { ConvertPdf } from '../../../src/pdf/convert-pdf.js'
import type { Originals } from '../../../src/pdf/conversion-steps.js'
import { createPdfFetcher } from '../../../src/pdf/fetch-pdf.js'
import { createSizeChartPdfs } from '../../../src/store/size-charts/size-chart-pdfs.js'
import { testDatabase } from '../../support/database.js'
import { createGate, eventually } from '../../support/eventually.js'
import { startPdfServer } from '../../support/pdf-server.js'
import { silent as log } from '../../support/log.js'
import { recordingTracer } from '../../support/recorded-spans.js'

const { repositories, database } = await testDatabase(t)
const { sizeCharts, sizeChartPdfs } = repositories
const fast = { beatMs: 20, leaseMs: 500 }

/** What the server gives at each path; a path that is not there is 404. */
const contents = new Map<string, { body: string, etag?: string }>()
const server = await startPdfServer(t, (path, response, request) => {
  const content = contents.get(path)
  if (content === undefined) response.writeHead(404).end()
  else if (content.etag !== undefined && request.headers['if-none-match'] === content.etag) response.writeHead(304).end()
  else response.writeHead(200, content.etag === undefined ? {} : { etag: content.etag }).end(content.body)
})

interface Bench {
  vendorId: string
  /** What the converter was given, in order. */
  converted: string[]
  convert: ConvertSizeChart
  worker (options?: Partial<SizeChartWorkerOptions>): ReturnType<typeof createSizeChartWorker>
  create (path: string): Promise<SizeChartRecord>
  again (chart: SizeChartRecord, path: string): Promise<void>
  find (chart: SizeChartRecord): Promise<SizeChartRecord>
  counts (): Promise<Record<string, number>>
}

function bench (t: Test, convertPdf?: ConvertPdf, originals: Originals = sizeChartPdfs): Bench {
  const vendorId = `v${randomBytes(4).toString('hex')}`
  const fetcher = createPdfFetcher({ allowedHosts: [server.host] })
  t.teardown(fetcher.close)
  const converted: string[] = []
  const metrics = new Registry()
  const convert = createSizeChartConversion({
    fetchPdf: fetcher.fetch,
    originals,
    convertPdf: async (bytes, signal) => {
      converted.push(bytes.toString())
      return await (convertPdf?.(bytes, signal) ?? `# ${bytes.toString()}`)
    }
  })
  let registered: Registry = metrics
  return {
    vendorId,
    converted,
    convert,
    worker (options = {}) {
      const worker = createSizeChartWorker({ repositories, convert, metrics: registered, log, ...fast, ...options })
      // A second worker of a test is another process, with metrics of its own.
      registered = new Registry()
      t.teardown(async () => { await worker.stop() })
      return worker
    },
    create: async (path) => await sizeCharts.create(vendorId, { externalId: path, name: path, origin: { sourceUrl: server.url(path) } }),
    again: async ({ _id }, path) => { await sizeCharts.update(vendorId, _id, { origin: { sourceUrl: server.url(path) } }) },
    async find ({ _id }) {
      const chart = await sizeCharts.find(vendorId, _id)
      if (chart === null) throw new Error('the chart has gone')
      return chart
    },
    async counts () {
      const { values } = await metrics.getSingleMetric('size_chart_conversions_total')?.get() ?? { values: [] }
      return Object.fromEntries(values.filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels['outcome']), value]))
    }
  }
}

t.test('PENDING becomes READY with the markdown, and the original is kept', async (t) => {
  const { worker, create, find, vendorId } = bench(t)
  contents.set('/a', { body: 'A' })
  const chart = await create('/a')
  await worker().wake(vendorId)
  const ready = await find(chart)
  t.match(ready, { status: 'READY', body: '# A', failure: null, pdf: { sha256: createHash('sha256').update('A').digest('hex'), bytes: 1 } })
  if (ready.pdf !== null) t.equal((await sizeChartPdfs.read(ready.pdf))?.toString(), 'A')
})

t.test('PENDING becomes FAILED with the reason, and stays so', async (t) => {
  const { worker, create, find, vendorId, counts } = bench(t, async () => { throw new PdfRefused('no-text') })
  contents.set('/scan', { body: 'scan' })
  const [scan, missing] = [await create('/scan'), await create('/missing')]
  await worker().wake(vendorId)
  t.match(await find(scan), { status: 'FAILED', failure: { code: 'no-text' }, pdf: { bytes: 4 } })
  t.match(await find(missing), { status: 'FAILED', failure: { code: 'http-status', detail: 404 }, pdf: null })
  t.strictSame(await counts(), { failed: 2 })
})

t.test('a PDF that the quota has no room for makes its chart FAILED with that reason, and one that takes its old one\'s place is kept', async (t) => {
  const { worker, create, again, find, vendorId } = bench(t, undefined, createSizeChartPdfs(database, { pdfBytes: 10 }))
  contents.set('/first', { body: '12345678' })
  contents.set('/second', { body: '123' })
  const first = await create('/first')
  const working = worker()
  await working.wake(vendorId)
  const second = await create('/second')
  contents.set('/first', { body: '1234567890' })
  await again(first, '/first')
  await working.wake(vendorId)
  t.match(await find(first), { status: 'READY', pdf: { bytes: 10 } })
  t.match(await find(second), { status: 'FAILED', failure: { code: 'over-quota', detail: 10 }, pdf: null })
})

t.test('the same bytes from the same source are not converted again', async (t) => {
  const { worker, create, again, find, vendorId, converted, counts } = bench(t)
  contents.set('/same', { body: 'same' })
  const chart = await create('/same')
  const working = worker()
  await working.wake(vendorId)
  const first = await find(chart)
  await again(chart, '/same')
  t.equal((await find(chart)).status, 'PENDING')
  await working.wake(vendorId)
  t.match(await find(chart), { status: 'READY', body: '# same', pdf: first.pdf })
  t.strictSame(converted, ['same'])
  t.strictSame(await counts(), { converted: 1, unchanged: 1 })
  contents.set('/same', { body: 'other' })
  await again(chart, '/same')
  await working.wake(vendorId)
  t.match(await find(chart), { status: 'READY', body: '# other' })
  if (first.pdf !== null) t.equal(await sizeChartPdfs.read(first.pdf), null, 'the old original is removed')
})

t.test('where the server validates, unchanged bytes are not even sent', async (t) => {
  const { worker, create, again, find, vendorId, converted } = bench(t)
  contents.set('/etag', { body: 'validated', etag: '"1"' })
  const chart = await create('/etag')
  const working = worker()
  for (let round = 0; round < 3; round++) {
    await working.wake(vendorId)
    t.match(await find(chart), { status: 'READY', body: '# validated' })
    await again(chart, '/etag')
  }
  t.strictSame(converted, ['validated'])
  t.strictSame(server.requests.filter(({ path }) => path === '/etag').map(({ headers }) => headers['if-none-match']), [undefined, '"1"', '"1"'])
})

t.test('an upload that is the same again is not converted again; its conversion needs no network', async (t) => {
  const { worker, find, vendorId, converted } = bench(t)
  const working = worker()
  for (let round = 0; round < 2; round++) {
    const pdf = await sizeChartPdfs.write(vendorId, [Buffer.from('upload')], null)
    await sizeCharts.upsertAll(vendorId, [{ externalId: 'U', name: 'U', origin: { pdf } }])
    await working.wake(vendorId)
    const chart = await sizeCharts.findByExternalId(vendorId, 'U')
    if (chart === null) throw new Error('no chart')
    t.match(await find(chart), { status: 'READY', body: '# upload', pdf })
  }
  t.strictSame(converted, ['upload'])
})

t.test('a newer update wins over the conversion that is running', async (t) => {
  const gate = createGate()
  const { worker, create, again, find, vendorId, converted } = bench(t, async (bytes) => {
    if (bytes.toString() === 'old') await gate.passed
    return `# ${bytes.toString()}`
  })
  contents.set('/old', { body: 'old' }).set('/new', { body: 'new' })
  const chart = await create('/old')
  const done = worker({ beatMs: 60_000, leaseMs: 120_000 }).wake(vendorId)
  await eventually('the old one is being converted', () => converted.includes('old'))
  await again(chart, '/new')
  gate.open()
  await done
  t.match(await find(chart), { status: 'READY', body: '# new', sourceUrl: server.url('/new') })
})

t.test('a chart that is deleted or written by hand meanwhile stays so', async (t) => {
  const gate = createGate()
  const { worker, create, vendorId, converted, find } = bench(t, async () => {
    await gate.passed
    return '# late'
  })
  contents.set('/late', { body: 'late' }).set('/gone', { body: 'gone' })
  const [byHand, gone] = [await create('/late'), await create('/gone')]
  const done = worker().wake(vendorId)
  await eventually('both are being converted', () => converted.length === 2)
  await sizeCharts.update(vendorId, byHand._id, { origin: { body: 'by hand' } })
  await sizeCharts.delete(vendorId, gone._id)
  gate.open()
  await done
  t.match(await find(byHand), { status: 'READY', body: 'by hand', pdf: null })
  t.equal(await sizeCharts.find(vendorId, gone._id), null)
})

t.test('a chart whose worker died in the middle is taken over when its claim has stood still', async (t) => {
  const { worker, create, find, vendorId } = bench(t)
  contents.set('/dead', { body: 'dead' })
  const chart = await create('/dead')
  await sizeCharts.claim(vendorId, chart, 'a worker that was killed')
  await worker().wake(vendorId)
  t.match(await find(chart), { status: 'READY', body: '# dead', conversion: { attempts: 2 } })
})

for (const [clock, until] of Object.entries({ behind: new Date(0), ahead: new Date('2100-01-01') })) {
  t.test(`a worker whose clock is ${clock} keeps its claim while it beats, and loses it when it is dead`, async (t) => {
    const { worker, create, find, vendorId } = bench(t)
    contents.set(`/clock/${clock}`, { body: clock })
    const chart = await create(`/clock/${clock}`)
    // Claims as an earlier version wrote them.
    const charts = database.db.collection<{ _id: string }>('size_charts')
    await charts.updateOne({ _id: chart._id }, { $set: { 'conversion.attempts': 1, 'conversion.claim': { token: 'another', until } }, $inc: { revision: 1 } })
    const beats = 8
    let looks = 0
    await worker({
      repositories: {
        ...repositories,
        sizeCharts: {
          ...sizeCharts,
          async unclaimed (...args) {
            looks += 1
            if (looks <= beats) await charts.updateOne({ _id: chart._id }, { $inc: { revision: 1 } })
            return await sizeCharts.unclaimed(...args)
          }
        }
      },
      beatMs: 100
    }).wake(vendorId)
    t.ok(looks > beats, `${looks} looks`)
    t.match(await find(chart), { status: 'READY', body: `# ${clock}`, conversion: { attempts: 2 } })
  })
}

for (const step of ['fetching', 'keeping the original', 'converting', 'writing the result'] as const) {
  t.test(`a worker that dies while ${step} leaves a chart that the next one completes, and at most an orphan that the sweep removes`, async (t) => {
    const { worker, create, find, vendorId } = bench(t)
    const path = `/dies/${step.length}`
    contents.set(path, { body: step })
    const chart = await create(path)
    const claimed = await sizeCharts.claim(vendorId, chart, 'a worker that was killed')
    if (claimed === null) throw new Error('not claimed')
    const dies = (): never => { throw new Error('killed') }
    const fetcher = createPdfFetcher({ allowedHosts: [server.host] })
    t.teardown(fetcher.close)
    const killed = createSizeChartConversion({
      fetchPdf: step === 'fetching' ? dies : fetcher.fetch,
      originals: step === 'keeping the original'
        ? { ...sizeChartPdfs, write: async (...args) => { await sizeChartPdfs.write(...args); return dies() } }
        : sizeChartPdfs,
      convertPdf: step === 'converting' ? dies : async () => '# lost'
    })
    await killed(claimed, new AbortController().signal).catch(() => {})
    await worker().wake(vendorId)
    const ready = await find(chart)
    t.match(ready, { status: 'READY', body: `# ${step}` })
    const files = async (): Promise<number> => await database.db.collection('size_chart_pdfs.files').countDocuments({})
    const before = await files()
    const orphans = await sizeChartPdfs.sweep(sizeCharts.heldPdfs, -10_000)
    t.equal(await files(), before - orphans)
    t.ok(ready.pdf !== null && await sizeChartPdfs.read(ready.pdf) !== null, 'the original of the chart is still there')
  })
}

t.test('a conversion that breaks is tried three times, then FAILED; the others are not held up', async (t) => {
  const { worker, create, find, vendorId, converted } = bench(t, async (bytes) => {
    if (bytes.toString() === 'broken') throw new Error('a fault of ours')
    return '# fine'
  })
  contents.set('/broken', { body: 'broken' }).set('/fine', { body: 'fine' })
  const [broken, fine] = [await create('/broken'), await create('/fine')]
  await worker({ leaseMs: 200 }).wake(vendorId)
  t.match(await find(broken), { status: 'FAILED', failure: { code: 'given-up' } })
  t.equal((await find(fine)).status, 'READY')
  t.equal(converted.filter((bytes) => bytes === 'broken').length, 3)
})

t.test('a worker that shuts down hands its charts back without counting the attempt', async (t) => {
  const { worker, create, find, vendorId, converted } = bench(t, async (_bytes, signal) =>
    await new Promise((_resolve, reject) => { signal.addEventListener('abort', () => { reject(signal.reason as Error) }) }))
  contents.set('/slow', { body: 'slow' })
  const chart = await create('/slow')
  const working = worker()
  const waking = working.wake(vendorId)
  await eventually('it is being converted', () => converted.length === 1)
  await working.stop()
  await t.rejects(waking)
  t.match(await find(chart), { status: 'PENDING', conversion: { attempts: 0, claim: null } })
})

t.test('two workers share a vendor\'s charts, and convert each once', async (t) => {
  const { worker, create, find, vendorId, converted } = bench(t)
  const charts: SizeChartRecord[] = []
  for (let index = 0; index < 12; index++) {
    contents.set(`/shared/${index}`, { body: `shared ${index}` })
    charts.push(await create(`/shared/${index}`))
  }
  const calm = { beatMs: 100, leaseMs: 60_000 }
  await Promise.all([worker(calm), worker(calm)].map(async (working) => { await working.wake(vendorId) }))
  for (const chart of charts) t.equal((await find(chart)).status, 'READY')
  t.equal(converted.length, 12)
})

t.test('a hundred charts of one vendor do not hold up another\'s', async (t) => {
  const many = bench(t)
  const other = `v${randomBytes(4).toString('hex')}`
  contents.set('/many', { body: 'many' })
  await sizeCharts.upsertAll(many.vendorId, Array.from({ length: 100 }, (_, index) => (
    { externalId: `C${index}`, name: 'C', origin: { sourceUrl: server.url('/many') } })))
  const { _id } = await sizeCharts.create(other, { externalId: 'C', name: 'C', origin: { sourceUrl: server.url('/many') } })
  const working = many.worker({ slots: 1 })
  const all = working.wake(many.vendorId)
  await working.wake(other)
  t.equal((await sizeCharts.find(other, _id))?.status, 'READY')
  t.ok((await sizeCharts.unclaimed(many.vendorId, 100)).length > 50)
  await working.stop()
  await t.rejects(all)
})

t.test('a vendor whose conversions take long leaves others their slots', async (t) => {
  const { worker, vendorId, convert } = bench(t)
  const other = `v${randomBytes(4).toString('hex')}`
  const gate = createGate()
  let begun = 0
  const working = worker({
    async convert (chart, signal) {
      if (chart.vendorId !== vendorId) return await convert(chart, signal)
      begun += 1
      await gate.passed
      throw new Error('it took too long')
    }
  })
  // Before the worker stops, which waits for what is being converted.
  t.teardown(gate.open)
  contents.set('/long', { body: 'long' })
  await sizeCharts.upsertAll(vendorId, Array.from({ length: 8 }, (_, index) => ({ externalId: `C${index}`, name: 'C', origin: { sourceUrl: server.url('/long') } })))
  const { _id } = await sizeCharts.create(other, { externalId: 'C', name: 'C', origin: { sourceUrl: server.url('/long') } })
  const all = working.wake(vendorId)
  all.catch(() => {})
  await eventually('as many as there may be', () => begun > 1)
  await working.wake(other)
  t.equal((await sizeCharts.find(other, _id))?.status, 'READY')
  t.equal(begun, 2, 'one that is converted, and the next')
})

t.test('the conversion of a hint goes on with its trace, and any other begins one', async (t) => {
  const { vendorId, create, worker } = bench(t)
  const tracer = recordingTracer()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  contents.set('/traced', { body: 'traced' })
  const hinted = await create('/traced')
  const other = await create('/not-there')
  await worker({ tracer }).wake(vendorId, { vendorId, jobId: hinted._id, traceparent })
  const spanOf = ({ _id }: SizeChartRecord) => tracer.spans.find(({ attributes }) => attributes['catalog.size_chart.id'] === _id)
  t.match(spanOf(hinted), { name: 'convert size chart', parent: traceparent, kind: 'consumer', endMs: Number, attributes: { 'catalog.vendor.id': vendorId, 'catalog.size_chart.outcome': 'converted', 'catalog.size_chart.attempt': 1 } })
  t.match(spanOf(other), { parent: undefined, endMs: Number, attributes: { 'catalog.size_chart.outcome': 'failed' } })
})
