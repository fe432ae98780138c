/** Says how large the young generations of its main thread and of another become, in megabytes, when nearly all in them is still in use. */
import { once } from 'node:events'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread, parentPort } from 'node:worker_threads'
import { startThread } from '../../../src/threads/start-thread.js'

function youngGenerationMb (): number {
  let largest = 0
  const kept: object[][] = []
  for (let round = 0; round < 200; round++) {
    kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })))
    if (kept.length > 20) kept.shift()
    largest = Math.max(largest, getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0)
  }
  return largest / 2 ** 20
}

if (isMainThread) {
  const [thread] = await once(startThread(new URL(import.meta.url), null, { maxYoungGenerationSizeMb: 24 }), 'message') as [number]
  process.stdout.write(JSON.stringify({ main: youngGenerationMb(), thread }))
} else parentPort?.postMessage(youngGenerationMb())
