/** Threads that imports run in: how many there are, and what becomes of jobs. Their database is away, so every job waits for it. */
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { createImportThreads, type ImportThreads } from '../../../src/jobs/import-threads.js'
import { eventually } from '../../support/eventually.js'
import { runningJob } from './running-job.js'
import { silent } from '../../support/log.js'

interface Started {
  threads: ImportThreads
  workers: Worker[]
  /** Runs a job, which ends by being aborted at the latest; `ended` gives its error. */
  runJob: (options?: { alone?: boolean }) => { ended: Promise<Error>, abort: () => void }
}

function start (t: Test, size: number): Started {
  const workers: Worker[] = []
  const keep = (worker: Worker): void => { workers.push(worker) }
  process.on('worker', keep)
  const data = { mongodbUrl: 'mongodb://127.0.0.1:1/', sftp: { url: 'sftp://user@127.0.0.1:1/{vendorId}', privateKeyFile: '/nowhere', hostKeys: { fingerprints: [] } }, logLevel: 'silent' }
  const threads = createImportThreads({ data, log: silent, threads: size })
  const jobs: Array<() => void> = []
  t.teardown(async () => {
    for (const abort of jobs) abort()
    await threads.close()
    process.off('worker', keep)
  })
  return {
    threads,
    workers,
    runJob ({ alone = false } = {}) {
      const controller = new AbortController()
      const abort = (): void => { controller.abort() }
      jobs.push(abort)
      const running = threads.run({ job: runningJob(`vendor-${jobs.length}`), attempt: 1, alone, signal: controller.signal, onProgress: () => {} })
      return { ended: running.then(() => new Error('it has not failed'), (error: unknown) => error as Error), abort }
    }
  }
}

t.test('the first thread is there before there is a job', async (t) => {
  const { workers } = start(t, 2)
  await eventually('a thread', () => workers.length > 0)
  t.equal(workers.length, 1)
})

t.test('there are as many threads as jobs, up to a bound, beyond which jobs share them', async (t) => {
  const { workers, runJob } = start(t, 2)
  for (let jobs = 0; jobs < 5; jobs++) runJob()
  await eventually('both threads', () => workers.length === 2)
  await new Promise((resolve) => { setImmediate(resolve) })
  t.equal(workers.length, 2)
})

t.test('a thread that dies takes its own job with it and no other, and the next job has a new one', async (t) => {
  const { workers, runJob } = start(t, 2)
  const first = runJob()
  const second = runJob()
  await eventually('both threads', () => workers.length === 2)
  let isSecondOver = false
  void second.ended.then(() => { isSecondOver = true })

  await workers[0]?.terminate()
  t.match(await first.ended, { name: 'ThreadLost', reason: 'ended' })
  t.notOk(isSecondOver)
  runJob()
  await eventually('a new thread', () => workers.length === 3)
})

t.test('a job that is aborted ends, and its thread stays', async (t) => {
  const { workers, runJob } = start(t, 1)
  const aborted = runJob()
  const other = runJob()
  let isOtherOver = false
  void other.ended.then(() => { isOtherOver = true })
  aborted.abort()
  t.match(await aborted.ended, { message: 'aborted' })
  t.notOk(isOtherOver)
  t.equal(workers.length, 1)
})

t.test('a job that is to run by itself takes no thread but a process; it ends as others do', async (t) => {
  const { workers, runJob } = start(t, 2)
  const others = [runJob(), runJob()]
  await eventually('both threads', () => workers.length === 2)
  const { ended, abort } = runJob({ alone: true })
  t.equal(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length, 1)
  abort()
  t.match(await ended, { message: 'aborted' })
  t.equal(workers.length, 2)
  t.equal(others.length, 2)
})

t.test('closing ends the threads', async (t) => {
  const { threads, workers, runJob } = start(t, 1)
  const { ended, abort } = runJob()
  abort()
  // It has come up by then; one that is still coming up when its time is over is ended from outside.
  t.match(await ended, { message: 'aborted' })
  const exited = new Promise((resolve) => { workers[0]?.once('exit', resolve) })
  await threads.close()
  t.equal(await exited, 0)
})
