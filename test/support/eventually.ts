/** Waiting for what is about to become true, with a deadline that only a failure meets. */
import { setTimeout as delay } from 'node:timers/promises'

/** What is polled is often the service under test, whose time it costs. */
const pollMs = 100

/** Polls until `look` gives something other than undefined, null or false, and gives that. `what` is told when it never does. */
export async function eventually<T> (
  what: string, look: () => Promise<T | undefined | null | false> | T | undefined | null | false, timeoutMs = 60_000
): Promise<T> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
    const seen = await look()
    if (seen !== undefined && seen !== null && seen !== false) return seen
    await delay(pollMs)
  }
  throw new Error(`In vain: ${what}`)
}

/** A promise and what settles it: how a test holds something up exactly as long as it wants. */
export interface Gate {
  open (): void
  passed: Promise<void>
}

export function createGate (): Gate {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => { open = resolve })
  return { open, passed }
}
