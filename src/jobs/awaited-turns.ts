/** Turns that a job waits for in its thread, numbered by it: for whoever gives them, next door or in another thread, a number is all that it takes. */
export interface AwaitedTurns {
  /** The number of the next. Throws the abort's reason. */
  next (): number
  /** Calls `want`, and resolves when the turn has come. Rejects with the abort's reason, and then it never comes. */
  come (turn: number, want: () => void): Promise<void>
  /** It has come; of one that nobody waits for, nothing happens. */
  give (turn: number): void
}

export function createAwaitedTurns (signal: AbortSignal): AwaitedTurns {
  const waiting = new Map<number, { come: () => void, never: (error: unknown) => void }>()
  let nextTurn = 0
  signal.addEventListener('abort', () => { for (const { never } of waiting.values()) never(signal.reason) }, { once: true })

  return {
    next () {
      signal.throwIfAborted()
      return nextTurn++
    },
    async come (turn, want) {
      try {
        await new Promise<void>((resolve, reject) => {
          waiting.set(turn, { come: resolve, never: reject })
          want()
        })
      } finally {
        waiting.delete(turn)
      }
    },
    give (turn) { waiting.get(turn)?.come() }
  }
}
