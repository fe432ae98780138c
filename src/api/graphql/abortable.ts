/**
 * An async generator that can be ended while it waits. A plain one cannot: its `return()` queues up behind the `next()`
 * under way, so a subscriber that leaves would be served until the next event, however far off.
 */
export function abortable<T> (
  run: (signal: AbortSignal) => AsyncGenerator<T>, outer?: AbortSignal
): AsyncIterableIterator<T> {
  const controller = new AbortController()
  const generator = run(outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]))
  return {
    next: async () => await generator.next(),
    async return () {
      controller.abort()
      return await generator.return(undefined)
    },
    async throw (error: unknown) {
      controller.abort()
      return await generator.throw(error)
    },
    [Symbol.asyncIterator] () { return this }
  }
}
