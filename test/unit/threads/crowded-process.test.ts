import t from 'tap'
import { createCrowdedLook } from '../../../src/threads/crowded-process.js'

const crowded = 400

/** How often a thread has begun to collect after each look, where it holds so much then. A collection that is begun takes its time: what is held after it, the test says. */
function collections (residentMegabytes: number, ...held: number[]): number[] {
  let [begun, oldMegabytes] = [0, 0]
  const look = createCrowdedLook({ residentMegabytes: () => residentMegabytes, oldMegabytes: () => oldMegabytes, beginCollecting () { begun += 1 } }, crowded)
  return held.map((now) => {
    oldMegabytes = now
    look()
    return begun
  })
}

for (const [what, resident, held, begun] of [
  ['a thread of a crowded process collects its garbage', crowded, [50], [1]],
  ['where there is room, garbage is left to V8', crowded - 1, [500], [0]],
  ['what is in use is not looked through again until much has come', crowded, [50, 30, 44, 45], [1, 1, 1, 2]],
  ['while it collects, it is not told to again unless much has come', crowded, [30, 44, 45], [1, 1, 2]],
  ['half as much has to come, and no more than 24 MB', crowded, [200, 100, 123, 124], [1, 1, 1, 2]],
  ['of very much that is in use, a fifth more has to come', crowded, [400, 200, 239, 240], [1, 1, 1, 2]],
  ['of next to nothing, 8 MB more have to come', crowded, [50, 4, 11, 12], [1, 1, 1, 2]],
  ['what V8 has found to be garbage since does not count as in use', crowded, [120, 20, 40], [1, 1, 2]]
] as const) {
  t.test(what, (t) => {
    t.strictSame(collections(resident, ...held), begun)
    t.end()
  })
}
