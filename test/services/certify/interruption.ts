import { constants } from 'node:os'

export interface Interruption {
  signal: AbortSignal
  /** As of a process that was ended by it; undefined while nobody has asked for that. */
  exitCode (): number | undefined
}

/** Takes SIGINT and SIGTERM from now on: what was begun is ended in good order, however often they come. */
export function takeInterruption (onFirst?: () => void): Interruption {
  const controller = new AbortController()
  let code: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (code !== undefined) return
      code = 128 + constants.signals[signal]
      controller.abort(new Error(`interrupted by ${signal}`))
      onFirst?.()
    })
  }
  return { signal: controller.signal, exitCode: () => code }
}
