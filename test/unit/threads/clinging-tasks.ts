/** A pool's module that does not end when it is told to. */
import { serveTasks } from '../../../src/threads/serve-tasks.js'

serveTasks<null, null>({
  run: async () => null,
  close: async () => { await new Promise(() => { setInterval(() => {}, 60_000) }) }
})
