/** A pool's module whose tasks do what they are told: everything that a task can do to its thread, and to those beside it. */
import { parentPort } from 'node:worker_threads'
import { serveTasks, threadData } from '../../../src/threads/serve-tasks.js'

export type PoisonTask =
  | { do: 'answer', text: string }
  | { do: 'break', text: string }
  /** Until it is aborted; then rejects with the name of the reason. */
  | { do: 'wait' }
  /** Gives back what it is told, once it has said something. */
  | { do: 'ask', text: string }
  /** Takes the whole event loop until gate[0] is set; sets gate[1] when it begins. */
  | { do: 'spin', gate: Int32Array, marked: boolean }
  | { do: 'allocate' }
  | { do: 'exit' }
  | { do: 'data' }
  | { do: 'pid' }
  /** Those of Node and V8 that its process was begun with. */
  | { do: 'flags' }
  /** What V8 does to a process over what it cannot go on from. */
  | { do: 'abort' }
  | { do: 'spin for ever' }
  /** Never ends, and its thread gets a message that cannot be read. */
  | { do: 'misread' }
  /** Gets what is sent to a whole group of processes, its parent included. */
  | { do: 'get signals' }

const held: unknown[] = []

serveTasks<PoisonTask, unknown, string, string>({
  async run (task, { signal, tell, onTold, markRunning }) {
    switch (task.do) {
      case 'answer': return task.text
      case 'break': throw new Error(task.text, { cause: new Error('why') })
      case 'wait': return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => { reject(new Error(`aborted: ${(signal.reason as Error).name}`)) }, { once: true })
      })
      case 'ask': return await new Promise((resolve) => {
        onTold(resolve)
        tell(task.text)
      })
      case 'spin':
        // In a turn of the event loop of its own.
        await new Promise((resolve) => { setImmediate(resolve) })
        if (task.marked) markRunning()
        Atomics.store(task.gate, 1, 1)
        while (Atomics.load(task.gate, 0) === 0);
        return 'spun'
      case 'allocate':
        for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => ({ index })))
      case 'exit': return process.exit(3)
      case 'data': return threadData()
      case 'flags': return process.execArgv
      case 'pid': return process.pid
      case 'abort': return process.abort()
      case 'spin for ever': for (;;);
      case 'misread':
        parentPort?.emit('messageerror', new Error('cannot be read'))
        return await new Promise(() => {})
      case 'get signals':
        for (const signal of ['SIGINT', 'SIGTERM']) process.kill(process.pid, signal)
        return 'still here'
    }
  },
  close: async () => {}
})
