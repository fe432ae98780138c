/**
 * The read gate (read-gate.ts) for another thread: there is one for the process, in its main thread, and whoever reads for a vendor elsewhere
 * asks there for each read. To ask takes some 15 µs while the main thread is free, which a request that was handed to a thread does not feel; the main
 * thread's own reads, which are most of them, ask nobody.
 *
 *   thread: wanted ─▶ main: waits its turn at the gate ─▶ may begin ─▶ thread: reads ─▶ over ─▶ main: its place is free
 *                                        └─▶ refused
 *
 * When the thread or its task ends, `end` on the main side gives all its places away, and what it waits for is never begun.
 */
import { isAppError, rateLimited, unavailable } from '../../errors.js'
import type { ReadGate } from './read-gate.js'

/** From the thread. `id`s are the task's own. */
export type ReadRequest = { read: 'wanted', id: number, owner: string, shape: string } | { read: 'over', id: number }

/** From the main thread: it may begin, or why it may not. */
export interface ReadReply { id: number, refused?: { message: string, retryAfterSeconds: number | undefined } }

/** The main thread's side of one task. */
export interface RemoteReads {
  asked (request: ReadRequest): void
  end (): void
}

export function createRemoteReads (gate: Pick<ReadGate, 'run'>, reply: (reply: ReadReply) => void): RemoteReads {
  /** Those that may begin, or have. */
  const overs = new Map<number, () => void>()
  let isEnded = false

  async function want (id: number, owner: string, shape: string): Promise<void> {
    try {
      // That a read is over is known later of a thread, which works meanwhile: what it has cost is not what it would cost here.
      await gate.run(owner, `${shape} in a thread`, async () => {
        if (isEnded) return
        const over = new Promise<void>((resolve) => { overs.set(id, resolve) })
        reply({ id })
        await over
      })
    } catch (error) {
      if (!isEnded) reply({ id, refused: { message: (error as Error).message, retryAfterSeconds: isAppError(error) ? error.retryAfterSeconds : undefined } })
    }
  }

  function over (id: number): void {
    overs.get(id)?.()
    overs.delete(id)
  }

  return {
    asked (request) {
      if (request.read === 'over') over(request.id)
      else void want(request.id, request.owner, request.shape)
    },
    end () {
      isEnded = true
      for (const id of [...overs.keys()]) over(id)
    }
  }
}

/** The thread's side of one task. */
export interface RemoteReadGate extends Pick<ReadGate, 'run'> {
  replied (reply: ReadReply): void
  /** What waits rejects with SERVICE_UNAVAILABLE, and so does what comes: nobody is there to read for. */
  end (): void
}

export function createRemoteReadGate (ask: (request: ReadRequest) => void): RemoteReadGate {
  const waiting = new Map<number, { begin: () => void, refuse: (error: Error) => void }>()
  let nextId = 1
  let isEnded = false
  const ended = (): Error => unavailable('The request has ended')

  return {
    async run (owner, shape, command) {
      if (isEnded) throw ended()
      const id = nextId++
      await new Promise<void>((resolve, reject) => {
        waiting.set(id, { begin: resolve, refuse: reject })
        ask({ read: 'wanted', id, owner, shape })
      })
      try {
        return await command()
      } finally {
        if (!isEnded) ask({ read: 'over', id })
      }
    },
    replied ({ id, refused }) {
      const read = waiting.get(id)
      waiting.delete(id)
      if (refused === undefined) read?.begin()
      else read?.refuse(rateLimited(refused.message, refused.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refused.retryAfterSeconds }))
    },
    end () {
      isEnded = true
      for (const { refuse } of waiting.values()) refuse(ended())
      waiting.clear()
    }
  }
}
