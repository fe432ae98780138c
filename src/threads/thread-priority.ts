import { setPriority } from 'node:os'
import { kernelThreadId } from './kernel-thread.js'

/**
 * Lets other threads of this process, and other processes, go before the calling thread when there are fewer cores than work. On
 * Linux, where a thread has a priority of its own; elsewhere it would be the whole process's, so nothing is done.
 */
export function lowerOwnPriority (nice: number): void {
  const tid = kernelThreadId()
  if (tid === null) return
  try {
    setPriority(tid, nice)
  } catch {
    // Without the right to, it goes on as it is.
  }
}
