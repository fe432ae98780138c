/**
 * How much may come over one websocket: each message costs something to parse and to answer, also one that makes no sense. Counted in units: one for
 * each message, and one more for each KiB of it.
 */
/** As many as a client needs that begins and ends as many subscriptions within a second as it may (websocket.ts), with room for their texts. */
const maxUnits = 256
const windowMs = 1_000

/** The longest document, and what else a message has. It fits into what may come within a second. */
export const maxMessageBytes = 128 * 1_024

export interface MessageBound {
  /** Counts one message; false when it is too much. */
  take (bytes: number): boolean
  /** From here on what may come may come anew each second. Until it is known who sends it, it may not. */
  renew (): void
}

export function createMessageBound (monotonicMs: () => number): MessageBound {
  let renews = false
  let sinceMs = monotonicMs()
  let units = 0
  return {
    take (bytes) {
      const now = monotonicMs()
      if (renews && now - sinceMs >= windowMs) {
        sinceMs = now
        units = 0
      }
      units += 1 + Math.floor(bytes / 1_024)
      return units <= maxUnits
    },
    renew () { renews = true }
  }
}
