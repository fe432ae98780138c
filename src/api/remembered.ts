/**
 * The answer to a question that costs something and that anybody may ask: it is found out once for all who ask meanwhile, and once in
 * `forMs` at most, so that a flood of questions costs what one does.
 */
export function createRemembered<T> (
  findOut: () => Promise<T>, { forMs, monotonicMs = () => performance.now() }: { forMs: number, monotonicMs?: () => number }
): () => Promise<T> {
  let underWay: Promise<T> | undefined
  let last: { answer: T, at: number } | undefined
  return async () => {
    if (last !== undefined && monotonicMs() - last.at < forMs) return last.answer
    underWay ??= findOut().then((answer) => {
      last = { answer, at: monotonicMs() }
      return answer
    }).finally(() => { underWay = undefined })
    return await underWay
  }
}
