/** A job's turns, on the side of the thread that it runs in: it asks its owner for each, and waits until it has it. */
import type { BeginLarge } from '../engine/run-pipeline.js'
import type { InTurn } from '../store/catalog/commit-products.js'
import type { TaskContext } from '../threads/serve-tasks.js'
import type { FromImport, ToImport } from './thread-messages.js'

export interface TurnsInThread {
  /** To write (jobs/vendor-turns). */
  inTurn: InTurn
  /** To have a large record in hand (threads/large-work). */
  beginLarge: BeginLarge
}

/** One that was aborted, or begun anew elsewhere, waits for none and gets none any more: nothing of what it waits with has been written. */
export function turnsInThread ({ signal, tell, onTold }: Pick<TaskContext<FromImport, ToImport>, 'signal' | 'tell' | 'onTold'>): TurnsInThread {
  const waiting = new Map<number, { come: () => void, never: (error: unknown) => void }>()
  let nextTurn = 0
  onTold(({ turn }) => { waiting.get(turn)?.come() })
  signal.addEventListener('abort', () => { for (const { never } of waiting.values()) never(signal.reason) }, { once: true })

  async function come (turn: number, wanted: FromImport): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        waiting.set(turn, { come: resolve, never: reject })
        tell(wanted)
      })
    } finally {
      waiting.delete(turn)
    }
  }

  return {
    async inTurn (write) {
      signal.throwIfAborted()
      const turn = nextTurn++
      try {
        await come(turn, { turnWanted: turn })
        return await write()
      } finally {
        tell({ turnOver: turn })
      }
    },
    async beginLarge () {
      signal.throwIfAborted()
      const large = nextTurn++
      const over = (): void => { tell({ largeOver: large }) }
      try {
        await come(large, { largeWanted: large })
        return over
      } catch (error) {
        over()
        throw error
      }
    }
  }
}
