import t from 'tap'
import { createCrowdedLook } from '../../../src/threads/crowded-process.js'

const crowded = 400

interface Heap { resident: number, held: number, kept: number, collections: number }

/** A thread of whose heap `kept` is in use, whatever it holds. */
function lookAt (heap: Heap): () => void {
  return createCrowdedLook({
    residentMegabytes: () => heap.resident,
    oldMegabytes: () => heap.held,
    collectGarbage () {
      heap.collections += 1
      heap.held = heap.kept
    }
  }, crowded)
}

t.test('a thread of a crowded process collects its garbage', (t) => {
  const heap = { resident: crowded, held: 50, kept: 30, collections: 0 }
  lookAt(heap)()
  t.equal(heap.collections, 1)
  t.end()
})

t.test('where there is room, garbage is left to V8', (t) => {
  const heap = { resident: crowded - 1, held: 500, kept: 30, collections: 0 }
  lookAt(heap)()
  t.equal(heap.collections, 0)
  t.end()
})

t.test('what is in use is not looked through again until much has come', (t) => {
  const heap = { resident: crowded, held: 50, kept: 30, collections: 0 }
  const look = lookAt(heap)
  look()
  heap.held = 45
  look()
  t.equal(heap.collections, 1)
  heap.held = 46
  look()
  t.equal(heap.collections, 2)
  t.end()
})

t.test('what V8 has found to be garbage since does not count as in use', (t) => {
  const heap = { resident: crowded, held: 120, kept: 100, collections: 0 }
  const look = lookAt(heap)
  look()
  heap.held = 20
  look()
  heap.held = 40
  look()
  t.equal(heap.collections, 2)
  t.end()
})
