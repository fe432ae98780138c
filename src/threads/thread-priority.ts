import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Lets other threads of this process, and other processes, go before the calling thread when there are fewer cores than work. On
 * Linux, where a thread has a priority of its own; elsewhere it would be the whole process's, so nothing is done.
 */
export function lowerOwnPriority (nice: number): void {
  if (process.platform !== 'linux') return
  try {
    // `<pid>/task/<tid>`
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), nice)
  } catch {
    // Without /proc or the right to, it goes on as it is.
  }
}
