/** A job's turns, on the side of the thread that it runs in: it asks its owner for each, and waits until it has it. */
import type { BeginLarge } from '../engine/run-pipeline.js'
import type { InTurn } from '../store/catalog/commit-products.js'
import type { TaskContext } from '../threads/serve-tasks.js'
import { createAwaitedTurns } from './awaited-turns.js'
import type { FromImport, ToImport } from './thread-messages.js'

export interface TurnsInThread {
  /** To write (jobs/vendor-turns). */
  inTurn: InTurn
  /** To have a large record in hand (threads/large-work). */
  beginLarge: BeginLarge
}

/** One that was aborted, or begun anew elsewhere, waits for none and gets none any more: nothing of what it waits with has been written. */
export function turnsInThread ({ signal, tell, onTold }: Pick<TaskContext<FromImport, ToImport>, 'signal' | 'tell' | 'onTold'>): TurnsInThread {
  const turns = createAwaitedTurns(signal)
  onTold(({ turn }) => { turns.give(turn) })

  return {
    async inTurn (write) {
      const turn = turns.next()
      try {
        await turns.come(turn, () => { tell({ turnWanted: turn }) })
        return await write()
      } finally {
        tell({ turnOver: turn })
      }
    },
    async beginLarge () {
      const large = turns.next()
      const over = (): void => { tell({ largeOver: large }) }
      try {
        await turns.come(large, () => { tell({ largeWanted: large }) })
        return over
      } catch (error) {
        over()
        throw error
      }
    }
  }
}
