/**
 * `discarding-worker.js FILE…`: once its standard input ends, takes the files through the pipeline, side by side, into nothing: in one
 * import thread, as a worker would have it.
 */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { importThreadLimits } from '../src/jobs/import-threads.js'
import { startThread } from '../src/threads/start-thread.js'
import { discardFile } from './discard-file.js'

if (parentPort !== null) {
  parentPort.postMessage('ready')
  await once(parentPort, 'message')
  await Promise.all((workerData as string[]).map(discardFile))
} else {
  const thread = startThread(new URL(import.meta.url), process.argv.slice(2), importThreadLimits)
  await once(thread, 'message')
  process.stdout.write('ready\n')
  process.stdin.resume()
  await once(process.stdin, 'end')
  thread.postMessage('begin')
  await once(thread, 'exit')
}
