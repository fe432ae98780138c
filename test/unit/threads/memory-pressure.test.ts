import t from 'tap'
import { createMemoryPressure, pressureBytes } from '../../../src/threads/memory-pressure.js'

/** A heap in which garbage gathers, collected in `tookMs`. */
function heap ({ resident = pressureBytes, inUse = 20e6, tookMs = 25 } = {}) {
  const state = { resident, bytes: inUse, nowMs: 0, collections: 0 }
  const memory = {
    residentBytes: () => state.resident,
    heapBytes: () => state.bytes,
    collect () {
      state.bytes = inUse
      state.nowMs += tookMs
      state.collections += 1
    }
  }
  return Object.assign(state, createMemoryPressure(memory, () => state.nowMs))
}

t.test('garbage stays while the process holds little', async (t) => {
  const thread = heap({ resident: pressureBytes - 1 })
  thread.bytes += 100e6
  thread.relieve()
  t.equal(thread.collections, 0)
})

t.test('it is collected once the process holds much', async (t) => {
  const thread = heap()
  thread.bytes += 100e6
  thread.relieve()
  t.equal(thread.collections, 1)
})

t.test('a heap in which little has gathered is left alone, however much the process holds', async (t) => {
  const thread = heap()
  for (let n = 0; n < 100; n++) {
    thread.nowMs += 1_000
    thread.bytes += 70_000
    thread.relieve()
  }
  t.equal(thread.collections, 0)
})

t.test('what V8 has collected meanwhile does not hide what has gathered since', async (t) => {
  const thread = heap({ inUse: 60e6 })
  thread.bytes = 20e6
  thread.relieve()
  thread.bytes = 50e6
  thread.relieve()
  t.equal(thread.collections, 1)
})

t.test('once a second at most', async (t) => {
  const thread = heap({ tookMs: 25 })
  for (let n = 0; n < 1_000; n++) {
    thread.nowMs += 10
    thread.bytes += 30e6
    thread.relieve()
  }
  t.equal(thread.collections, 10)
})

t.test('V8 does collect the heap of the thread that asks', async (t) => {
  const made = new FinalizationRegistry<string>(() => { collected = true })
  let collected = false
  made.register({}, 'garbage')
  let resident = 0
  const { relieve } = createMemoryPressure()
  const { rss } = process.memoryUsage
  process.memoryUsage.rss = () => resident
  t.teardown(() => { process.memoryUsage.rss = rss })
  const garbage = (): number => Array.from({ length: 1_000_000 }, (_, n) => ({ n })).length
  t.equal(garbage(), 1_000_000)
  resident = pressureBytes
  relieve()
  await new Promise((resolve) => { setImmediate(resolve) })
  t.ok(collected)
})
