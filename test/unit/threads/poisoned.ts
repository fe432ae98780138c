/** What tests of pools share. */
import { eventually } from '../../support/eventually.js'

export const poisonTasks = new URL('./poison-tasks.js', import.meta.url)
export const clingingTasks = new URL('./clinging-tasks.js', import.meta.url)
export const never = new AbortController().signal

export interface SpinGate {
  gate: Int32Array<SharedArrayBuffer>
  /** Resolves when the spinning has begun. */
  begun (): Promise<void>
  end (): void
}

export function spinGate (): SpinGate {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  return {
    gate,
    async begun () { await eventually('a task that spins', () => Atomics.load(gate, 1) === 1) },
    end () { Atomics.store(gate, 0, 1) }
  }
}
