/**
 * Garbage is nobody's while memory is plenty: V8 lets it lie until a heap has doubled, which is what makes imports fast. But each thread has a heap of
 * its own, and what one vendor sends may keep five of them at work, each with twice what it needs. So once the process holds much, a thread
 * collects its own heap as soon as garbage may have gathered in it, once a second at most.
 *
 * No official way leads to V8's collector but the inspector's, which goes through the heap up to seven times for what is left of weak references.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  /** What the process holds, other threads included. */
  residentBytes (): number
  /** What this thread's heap holds, buffers and garbage included. */
  heapBytes (): number
  collect (): void
}

/** A process that imports, answers and serves files at once has 350 MB; 500 are the goal while it is attacked (docs/security.md). */
export const pressureBytes = 400_000_000
/** Less may be what is young, which comes and goes by itself, and is not worth going through what is in use. */
const minGrowthBytes = 24_000_000
/** A collection takes some 25 ms. More often it costs imports more than the memory is worth. */
const everyMs = 1_000

/** To be called again and again, where a collection may come: costs 20 µs. */
export function createMemoryPressure (memory: Memory = ownMemory(), now = (): number => performance.now()): { relieve: () => void } {
  let leastBytes = memory.heapBytes()
  let notBeforeMs = -Infinity
  return {
    relieve () {
      if (now() < notBeforeMs || memory.residentBytes() < pressureBytes) return
      const bytes = memory.heapBytes()
      leastBytes = Math.min(leastBytes, bytes)
      if (bytes - leastBytes < minGrowthBytes) return
      memory.collect()
      leastBytes = memory.heapBytes()
      notBeforeMs = now() + everyMs
    }
  }
}

let collector: (() => void) | null = null

/** Contexts that are made once the flag is set have the function. It is the process's, and stays: another thread may be about to make one. */
function collect (): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  collector()
}

function ownMemory (): Memory {
  return {
    residentBytes: () => process.memoryUsage.rss(),
    heapBytes () {
      const { used_heap_size: used, external_memory: external } = getHeapStatistics()
      return used + external
    },
    collect
  }
}
