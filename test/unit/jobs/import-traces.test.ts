/** Which trace a job goes on with, and what is told of each attempt. */
import t from 'tap'
import { cancelledReason, ImportCancelled, type RunImport } from '../../../src/jobs/run-import.js'
import { createImportQueue } from '../../../src/jobs/import-queue.js'
import { emptyStats } from '../../../src/domain/import-job.js'
import { unavailable } from '../../../src/errors.js'
import { testDatabase } from '../../support/database.js'
import { createGate } from '../../support/eventually.js'
import { neverTakesOver, request, startWorker } from '../../support/import-workers.js'
import { recordingLog, silent } from '../../support/log.js'
import { recordingTracer, testTraceId } from '../../support/recorded-spans.js'

const { repositories } = await testDatabase(t)
const hinted = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let vendors = 0
const completed: RunImport = async () => ({ status: 'completed', stats: { ...emptyStats(), productsProcessed: 7 } })

/** A job that was accepted in a trace, and a worker that has not heard of it. */
async function bench (t: Parameters<typeof startWorker>[0], run: RunImport = completed) {
  const vendorId = `traced-${++vendors}`
  const tracer = recordingTracer()
  const { log, entries } = recordingLog()
  const { traceparent } = tracer.root
  const accept = async (): Promise<string> => (await createImportQueue(repositories, () => {}, silent).start(vendorId, request(), null, { span: { ...tracer.root, traceparent } }))._id
  const worker = startWorker(t, { workerId: `w-${vendorId}`, repositories, run, tracer, log, ...neverTakesOver })
  return { vendorId, accept, traceparent, worker, entries, imports: () => tracer.spans.filter(({ name }) => name === 'import') }
}

t.test('the job of a hint goes on with the trace of the hint', async (t) => {
  const { vendorId, accept, worker, imports, entries } = await bench(t)
  const jobId = await accept()
  await worker.wake(vendorId, { vendorId, jobId, traceparent: hinted })
  t.match(imports(), [{
    parent: hinted,
    kind: 'consumer',
    failed: undefined,
    endMs: Number,
    attributes: {
      'catalog.vendor.id': vendorId, 'catalog.job.id': jobId, 'catalog.import.hinted': true, 'catalog.import.attempt': 1, 'catalog.import.run': 1,
      'catalog.import.outcome': 'completed', 'catalog.import.products_processed': 7
    }
  }])
  t.match(entries.filter(({ msg }) => /^import /.test(String(msg))), [{ msg: 'import started', trace_id: testTraceId }, { msg: 'import ended', trace_id: testTraceId }])
})

t.test('the job of a hint that was lost goes on with the trace that it was accepted in', async (t) => {
  const { vendorId, accept, traceparent, worker, imports } = await bench(t)
  await accept()
  await worker.wake(vendorId)
  t.match(imports(), [{ parent: traceparent, attributes: { 'catalog.import.hinted': false } }])
})

t.test('a hint\'s trace is its own job\'s, and no other\'s of the lane', async (t) => {
  const { vendorId, accept, traceparent, worker, imports } = await bench(t)
  const [first, second] = [await accept(), await accept()]
  await worker.wake(vendorId, { vendorId, jobId: second, traceparent: hinted })
  t.match(imports(), [
    { parent: traceparent, attributes: { 'catalog.job.id': first, 'catalog.import.hinted': false } },
    { parent: hinted, attributes: { 'catalog.job.id': second, 'catalog.import.hinted': true } }
  ])
})

t.test('each attempt is a span of its own in the same trace', async (t) => {
  let runs = 0
  const { vendorId, accept, worker, imports } = await bench(t, async (options) => {
    runs += 1
    if (runs === 1) throw new Error('s3cret')
    if (runs === 2) throw unavailable('s3cret')
    return await completed(options)
  })
  const jobId = await accept()
  await worker.wake(vendorId, { vendorId, jobId, traceparent: hinted })
  t.match(imports(), [
    { parent: hinted, failed: 'broke', attributes: { 'catalog.import.attempt': 1, 'catalog.import.outcome': 'broke' } },
    { parent: hinted, failed: undefined, attributes: { 'catalog.import.attempt': 2, 'catalog.import.run': 2, 'catalog.import.outcome': 'interrupted', 'catalog.import.alone': true } },
    { parent: hinted, failed: undefined, attributes: { 'catalog.import.attempt': 2, 'catalog.import.run': 3, 'catalog.import.outcome': 'completed' } }
  ])
  t.notMatch(JSON.stringify(imports()), 's3cret')
})

t.test('a job that is given up, handed back or cancelled says so', async (t) => {
  const givenUp = await bench(t, async () => { throw new Error('broke') })
  await givenUp.accept()
  await givenUp.worker.wake(givenUp.vendorId)
  t.strictSame(givenUp.imports().map(({ attributes }) => attributes['catalog.import.outcome']), ['broke', 'broke', 'broke', 'given up'])

  const running = createGate()
  const handedBack = await bench(t, async ({ signal }) => await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason as Error) })
    running.open()
  }))
  await handedBack.accept()
  const working = t.rejects(handedBack.worker.wake(handedBack.vendorId))
  await running.passed
  await handedBack.worker.stop()
  await working
  t.match(handedBack.imports(), [{ failed: undefined, endMs: Number, attributes: { 'catalog.import.outcome': 'handed back' } }])

  const cancelled = await bench(t, async ({ signal }) => await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => { reject(new ImportCancelled()) })
  }))
  const jobId = await cancelled.accept()
  const cancelling = cancelled.worker.wake(cancelled.vendorId)
  await repositories.importJobs.requestCancel(cancelled.vendorId, jobId)
  await cancelling
  t.match(cancelled.imports(), [{ attributes: { 'catalog.import.outcome': 'cancelled' } }])

  const ended = await bench(t, async () => ({ status: 'failed', stats: emptyStats(), reason: cancelledReason }))
  await ended.accept()
  await ended.worker.wake(ended.vendorId)
  t.match(ended.imports(), [{ attributes: { 'catalog.import.outcome': 'cancelled' } }], 'also one that ends by itself')
})

t.test('without a tracer jobs run as they are', async (t) => {
  const { vendorId, accept } = await bench(t)
  const { log, entries } = recordingLog()
  const worker = startWorker(t, { workerId: 'untraced', repositories, run: completed, log, ...neverTakesOver })
  const jobId = await accept()
  await worker.wake(vendorId, { vendorId, jobId, traceparent: hinted })
  t.match(await repositories.importJobs.find(vendorId, jobId), { status: 'completed' })
  t.notMatch(JSON.stringify(entries), /trace_id/)
})
