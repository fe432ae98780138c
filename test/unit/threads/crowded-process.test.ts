import t from 'tap'
import { createCrowdedLook } from '../../../src/threads/crowded-process.js'

const crowded = 400

interface Heap { resident: number, held: number, collections: number }

/** A collection that is begun takes its time: it is the test that says what is held after it. */
function lookAt (heap: Heap): () => void {
  return createCrowdedLook({
    residentMegabytes: () => heap.resident,
    oldMegabytes: () => heap.held,
    beginCollecting () { heap.collections += 1 }
  }, crowded)
}

t.test('a thread of a crowded process collects its garbage', (t) => {
  const heap = { resident: crowded, held: 50, collections: 0 }
  lookAt(heap)()
  t.equal(heap.collections, 1)
  t.end()
})

t.test('where there is room, garbage is left to V8', (t) => {
  const heap = { resident: crowded - 1, held: 500, collections: 0 }
  lookAt(heap)()
  t.equal(heap.collections, 0)
  t.end()
})

t.test('what is in use is not looked through again until much has come', (t) => {
  const heap = { resident: crowded, held: 50, collections: 0 }
  const look = lookAt(heap)
  look()
  heap.held = 30
  look()
  heap.held = 37
  look()
  t.equal(heap.collections, 1)
  heap.held = 38
  look()
  t.equal(heap.collections, 2)
  t.end()
})

t.test('while it collects, it is not told to again unless much has come', (t) => {
  const heap = { resident: crowded, held: 50, collections: 0 }
  const look = lookAt(heap)
  look()
  heap.held = 57
  look()
  t.equal(heap.collections, 1)
  heap.held = 58
  look()
  t.equal(heap.collections, 2)
  t.end()
})

t.test('what V8 has found to be garbage since does not count as in use', (t) => {
  const heap = { resident: crowded, held: 120, collections: 0 }
  const look = lookAt(heap)
  look()
  heap.held = 20
  look()
  heap.held = 40
  look()
  t.equal(heap.collections, 2)
  t.end()
})
