/** A job's turns to write, on the side of the thread that it runs in (see jobs/write-turns): it asks for each, and waits until it has it. */
import type { InTurn } from '../store/catalog/commit-products.js'
import type { TaskContext } from '../threads/serve-tasks.js'
import type { FromImport, ToImport } from './thread-messages.js'

/** One that was aborted, or begun anew elsewhere, waits for none and gets none any more: nothing of what it waits with has been written. */
export function turnsInThread ({ signal, tell, onTold }: Pick<TaskContext<FromImport, ToImport>, 'signal' | 'tell' | 'onTold'>): InTurn {
  const waiting = new Map<number, { come: (isWaitedFor: boolean) => void, never: (error: unknown) => void }>()
  let nextTurn = 0
  onTold(({ turn, isWaitedFor }) => { waiting.get(turn)?.come(isWaitedFor) })
  signal.addEventListener('abort', () => { for (const { never } of waiting.values()) never(signal.reason) }, { once: true })

  return async (write) => {
    signal.throwIfAborted()
    const turn = nextTurn++
    try {
      const isWaitedFor = await new Promise<boolean>((resolve, reject) => {
        waiting.set(turn, { come: resolve, never: reject })
        tell({ turnWanted: turn })
      })
      return await write(isWaitedFor)
    } finally {
      waiting.delete(turn)
      tell({ turnOver: turn })
    }
  }
}
