import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedChild } from '../../../src/embedded/guarded-child.js'
import { isListening } from '../../../src/embedded/local-ports.js'

/** Waits until the child's port takes connections. The child is stopped when that does not come, and told about with its last words. */
export async function untilListening (child: GuardedChild, port: number, name: string, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!await isListening(port)) {
    const late = performance.now() > deadline
    if (child.hasExited() || late) {
      await child.stop()
      throw new Error(`${name} ${late ? `does not listen on port ${port}` : `ended with ${await child.exited}`}:\n${await child.lastLines()}`)
    }
    await sleep(50)
  }
}
